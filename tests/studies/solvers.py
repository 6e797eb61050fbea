"""Optimisers and factorisations, which no table, figure or claim may run: what they give is stored as a run.

Its last digits depend on processor and library, and it may take hours. Where the edge is:

- Closed forms of a small linear regression count. Task 1 of document 002 has one on ten points, by a singular
  value decomposition, and its scores are a run.
- Quantiles of known distributions do not, although scipy finds some by bisection: they are numbers of a table.
- Nor do statistics that are sums: means, intervals, rank tests, slopes of a line through points.
- matplotlib inverts 3 x 3 matrices to place what it draws; these are no numbers of ours.
"""

import sys
from importlib import import_module

from scipy import stats

SOLVERS = {
    "numpy.linalg": "cholesky det eig eigh eigvals eigvalsh inv lstsq pinv qr slogdet solve svd tensorsolve",
    "scipy.linalg": "cho_factor cho_solve cholesky eig eigh inv lstsq lu lu_factor pinv qr solve"
    " solve_triangular svd",
    "scipy.linalg.lapack": "dgesv dpotrf dpotri dpotrs dtrtrs",
    "scipy.optimize": "basinhopping curve_fit differential_evolution dual_annealing fmin fmin_l_bfgs_b"
    " least_squares linprog milp minimize minimize_scalar nnls root",
    "numpy": "polyfit",
}
"""By module, the functions."""
PACKAGES = ("optuna", "sklearn", "smac", "torch")
"""What fits models."""


def is_solver(name):
    """Whether a dotted name is that of an optimiser, a factorisation, or of anything that fits models."""
    module, _, function = name.rpartition(".")
    return name.split(".")[0] in PACKAGES or function == "fit" or function in SOLVERS.get(module, "").split()


def forbid(monkeypatch):
    """Make all of `SOLVERS`, under every name that our modules have for them, raise an error."""
    import_module("matplotlib.transforms")  # which takes what it needs at import
    found = {}
    for module, functions in SOLVERS.items():
        for name in functions.split():
            found[getattr(import_module(module), name)] = refusal(f"{module}.{name}")
            monkeypatch.setattr(f"{module}.{name}", refusal(f"{module}.{name}"))
    for distribution in (stats.rv_continuous, *stats.rv_continuous.__subclasses__()):
        monkeypatch.setattr(distribution, "fit", refusal(f"scipy.stats.{distribution.__name__}.fit"))
    for module in [name for name in sys.modules if name.split(".")[0] in ("frugal", "studies")]:
        for name, value in list(vars(sys.modules[module]).items()):
            if callable(value) and value.__hash__ is not None and value in found:
                monkeypatch.setattr(sys.modules[module], name, found[value])


def refusal(name):
    def refuse(*_, **__):
        raise AssertionError(f"{name} was called to draw something; store what it gives as a run")

    return refuse
