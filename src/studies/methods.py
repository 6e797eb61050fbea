"""The methods that several papers compare, strategies on folds and searches of trials, each with its look.

A method that a single paper has stands beside the study there. Light to import, since the workflow reads it at
every start.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from studies.records import LineStyle, Method

_DOTS: Final[LineStyle] = (0, (1, 1))


def _on_folds(name: str, color: str, label: str, marker: str, linestyle: LineStyle, hatch: str = "") -> Method:
    """A strategy on folds, with its look."""
    return Method(name, label=label, color=color, marker=marker, linestyle=linestyle, hatch=hatch)


_FOLDS = (
    _on_folds("standard", "#000000", "standard k-fold", "o", "-"),
    _on_folds("greedy", "#F2B138", "greedy", "s", "-", "//"),
    _on_folds("greedy_early_stopping", "#926A00", "greedy, early stopping", "D", "--", "\\\\"),
    _on_folds("successive_halving", "#00318F", "successive halving", "v", "-.", "xx"),
    _on_folds("beta_pruning", "#2F6756", "beta pruning", "^", "-", ".."),
    _on_folds("beta_sequential", "#4580EB", "beta sequential", "<", "--", "--"),
    _on_folds("beta_greedy", "#FFD18E", "beta greedy", ">", "-.", "++"),
    _on_folds("threshold_pruning", "#D07CA1", "threshold pruning", "P", ":", "||"),
    _on_folds("exact_pruning", "#7AACEB", "exact pruning", "X", (0, (5, 1)), "oo"),
    _on_folds("wilcoxon", "#684319", "wilcoxon", "*", (0, (3, 1, 1, 1, 1, 1)), "**"),
    _on_folds("aggressive_early_stopping", "#B63F16", "aggressive early stopping", "p", ":", "/."),
    _on_folds("forgiving_early_stopping", "#A5D896", "forgiving early stopping", "h", "--", "\\."),
    _on_folds("fold_halving", "#A21457", "fold halving", "d", "--", "x."),
    _on_folds("paired_racing", "#0C859F", "paired racing", "8", "-", "+."),
    _on_folds("predicted_folds", "#6E226B", "predicted folds", "H", ":", "o."),
)


def _terminating(method: Method) -> Method:
    """The same method with trials cut short; in the same colour and marker, with a dotted line."""
    return replace(
        method,
        name=f"{method.name}_terminated",
        termination={},
        variant_of=method.name,
        label=f"{method.label}, terminating",
        linestyle=_DOTS,
    )


_RANDOM = Method("random", label="random", color="#000000", marker="o", linestyle=(0, (8, 1)))
_TPE = Method("tpe", label="TPE (Optuna)", color="#D07CA1", marker="s", linestyle=(0, (5, 1)), hatch="//")
_SMAC = Method("smac", label="SMAC3", color="#926A00", marker="D", linestyle="--", hatch="\\\\")
_EI = Method("ei", label="EI", color="#00318F", marker="^", linestyle="-", hatch="..")
_EI_EXPLORE = Method("ei_explore", label="top-two EI", color="#4580EB", marker="v", linestyle="-.", hatch="xx")
_DNGO = Method("dngo", label="EI on DNGO", color="#2F6756", marker="<", linestyle=(0, (5, 1)), hatch="--")
_HYPERTUNE = Method("hypertune", label="HyperTune", color="#D9820A", marker="h", linestyle=(0, (3, 1, 1, 1, 1, 1)))
_HYPERBAND = Method("hyperband", label="Hyperband", color="#B0306A", marker="d", linestyle="-")
_TRIALS = (
    _RANDOM,
    _TPE,
    _SMAC,
    _EI,
    _EI_EXPLORE,
    _DNGO,
    Method("entropy_search", label="entropy search", color="#8A8F94", marker=">", linestyle="--"),
    Method("mtbo_4", "mtbo", {"divisor": 4}, label="MTBO-4", color="#7AACEB", marker="P", linestyle="-."),
    Method(
        "mtbo_16", "mtbo", {"divisor": 16}, label="MTBO-16", color="#5F9E8F", marker="X", linestyle=(0, (5, 1))
    ),
    Method(
        "mtbo_32",
        "mtbo",
        {"divisor": 32},
        label="MTBO-32",
        color="#684319",
        marker="p",
        linestyle=(0, (3, 1, 1, 1)),
    ),
    Method("mtbo_512", "mtbo", {"divisor": 512}, label="MTBO-512", color="#B63F16", marker="8", linestyle=":"),
    Method("fabolas", label="Fabolas", color="#F2B138", marker="*", linestyle="-"),
    _HYPERTUNE,
    _HYPERBAND,
    *map(_terminating, (_RANDOM, _TPE, _SMAC, _EI, _EI_EXPLORE, _DNGO)),
)
TRIALS: Final[Mapping[str, Method]] = {method.name: method for method in _TRIALS}
"""By name, in the order of tables and figures. Of an `mtbo_N` the small task has an Nth of the rows."""
METHODS: Final[Mapping[str, Method]] = {method.name: method for method in (*_FOLDS, *_TRIALS)}
"""All by name."""


def methods(*names: str) -> tuple[Method, ...]:
    """The known methods of these names."""
    return tuple(METHODS[name] for name in names)
