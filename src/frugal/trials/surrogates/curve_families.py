"""Eleven families of functions that learning curves are made of.

Source: Domhan, Springenberg and Hutter (2015), "Speeding up automatic hyperparameter optimization of deep neural
networks by extrapolation of learning curves"; parameters, their order and starting values are those of the
authors' published code. Epochs t count from 1, since most families have a logarithm or a negative power of t:

    vapor_pressure   exp(a + b / t + c log t)
    ilog2            c - a / log(t + 1)
    weibull          A - (A - B) exp(-(k t)^d)
    pow3             c - a t^-alpha
    pow4             c - (a t + b)^-alpha
    log_log_linear   log(a log t + b)
    mmf              A - (A - B) / (1 + (k t)^d)
    janoschek        A - (A - B) exp(-k t^d)
    hill3            th t^e / (k^e + t^e)
    log_power        a / (1 + (t / exp(b))^c)
    exp4             c - exp(b - a t^alpha)

Differs from the code: a power is computed as the exponential of a logarithm. That is faster, and gives nan for a
negative base, even with a whole exponent.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Times:
    """Epochs with what the families need of them, so that it is computed once.

    Attributes:
        t: epochs (n,), each at least 1.
        log: their logarithms.
    """

    t: Array
    log: Array

    @classmethod
    def at(cls, t: ArrayLike) -> Times:
        """Epochs `t`, a number or (n,)."""
        epochs = np.atleast_1d(np.asarray(t, dtype=float))
        return cls(epochs, np.log(epochs))


@dataclass(frozen=True)
class Family:
    """A function of the epoch with parameters.

    Attributes:
        name: snake_case.
        parameters: their names, in order.
        start: values that a fit starts from.
        formula: function of times (n,) and parameters, each (..., 1); may warn where it is not defined.
    """

    name: str
    parameters: tuple[str, ...]
    start: tuple[float, ...]
    formula: Callable[..., Array]

    def __call__(self, theta: ArrayLike, t: ArrayLike | Times) -> Array:
        """Values (..., n) at parameters theta (..., n_parameters), epochs t (n,); not finite where undefined."""
        times = t if isinstance(t, Times) else Times.at(t)
        vectors = np.asarray(theta, dtype=float)
        columns = [vectors[..., i, None] for i in range(len(self.start))]
        with np.errstate(all="ignore"):
            return np.asarray(self.formula(times, *columns), dtype=float)


def _logistic(z: Array) -> Array:
    return np.asarray(1 / (1 + np.exp(-z)))


def _vapor_pressure(x: Times, a: Array, b: Array, c: Array) -> Array:
    return np.exp(a + b / x.t + c * x.log)


def _ilog2(x: Times, c: Array, a: Array) -> Array:
    return c - a / np.log1p(x.t)


def _weibull(x: Times, A: Array, B: Array, k: Array, d: Array) -> Array:
    return A - (A - B) * np.exp(-np.exp(d * (np.log(k) + x.log)))


def _pow3(x: Times, c: Array, a: Array, alpha: Array) -> Array:
    return c - a * np.exp(-alpha * x.log)


def _pow4(x: Times, c: Array, a: Array, b: Array, alpha: Array) -> Array:
    return c - np.exp(-alpha * np.log(a * x.t + b))


def _log_log_linear(x: Times, a: Array, b: Array) -> Array:
    return np.log(a * x.log + b)


def _mmf(x: Times, A: Array, B: Array, k: Array, d: Array) -> Array:
    return A - (A - B) * _logistic(-d * (np.log(k) + x.log))


def _janoschek(x: Times, A: Array, B: Array, k: Array, d: Array) -> Array:
    return A - (A - B) * np.exp(-k * np.exp(d * x.log))


def _hill3(x: Times, th: Array, e: Array, k: Array) -> Array:
    return th * _logistic(e * (x.log - np.log(k)))


def _log_power(x: Times, a: Array, b: Array, c: Array) -> Array:
    return a * _logistic(-c * (x.log - b))


def _exp4(x: Times, c: Array, a: Array, b: Array, alpha: Array) -> Array:
    return c - np.exp(b - a * np.exp(alpha * x.log))


_LISTED: Final = (
    Family("vapor_pressure", ("a", "b", "c"), (-0.622028, -0.470050, 0.042322), _vapor_pressure),
    Family("ilog2", ("c", "a"), (0.78, 0.43), _ilog2),
    Family("weibull", ("A", "B", "k", "d"), (0.7, 0.1, 0.01, 1.0), _weibull),
    Family("pow3", ("c", "a", "alpha"), (0.84, 0.52, 0.01), _pow3),
    Family("pow4", ("c", "a", "b", "alpha"), (0.8, 200.0, 0.0, 0.1), _pow4),
    Family("log_log_linear", ("a", "b"), (1.0, 1.0), _log_log_linear),
    Family("mmf", ("A", "B", "k", "d"), (0.7, 0.1, 0.01, 5.0), _mmf),
    Family("janoschek", ("A", "B", "k", "d"), (0.73, 0.07, 0.355, 0.46), _janoschek),
    Family("hill3", ("th", "e", "k"), (0.772320, 0.586449, 2.460843), _hill3),
    Family("log_power", ("a", "b", "c"), (0.77, 2.98, -0.51), _log_power),
    Family("exp4", ("c", "a", "b", "alpha"), (0.7, 0.8, -0.8, 0.3), _exp4),
)
FAMILIES: Final[Mapping[str, Family]] = {family.name: family for family in _LISTED}
"""By name; 36 parameters in all. The authors' code later leaves out `vapor_pressure` and `ilog2`."""
