"""Frugal: model selection on a budget, by saving folds, trials or rows.

The packages below are imported once they are asked for, so `import frugal` takes milliseconds.

Examples:
    >>> import frugal
    >>> "greedy_early_stopping" in frugal.folds.known()
    True
"""

from typing import TYPE_CHECKING

from frugal.lazy import lazily

if TYPE_CHECKING:
    from frugal import benchmarks, datasets, folds, learners, model_selection, rows, trials
    from frugal.model_selection import minimize

__all__ = ["benchmarks", "datasets", "folds", "learners", "minimize", "model_selection", "rows", "trials"]
__version__ = "0.1.0"

__getattr__ = lazily(
    __name__,
    {
        "benchmarks": "",
        "datasets": "",
        "folds": "",
        "learners": "",
        "minimize": "model_selection.minimum",
        "model_selection": "",
        "rows": "",
        "trials": "",
    },
)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
