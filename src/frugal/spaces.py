"""Search spaces: named dimensions, drawn from, listed as a grid, mapped to and from the unit cube.

Each dimension is a distribution; `from_unit` is its quantile function, so a uniform draw in the unit cube is
a draw from the space. Integers are rounded after the inverse map and the rounded value is what is stored.
A dimension's `kind` is continuous, integer, ordinal (its values have an order) or categorical.
"""

from __future__ import annotations

import itertools
import json
import math
import operator
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final, Literal, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from frugal.checks import as_python, check_known, check_positive, check_rng, check_whole, is_real, json_default
from frugal.interface import Candidate

Kind = Literal["continuous", "integer", "ordinal", "categorical"]
Scale = Literal["linear", "log"]


def as_json(candidate: Candidate) -> str:
    """Serialise a candidate as JSON with sorted keys, so that equal candidates give equal texts.

    Examples:
        >>> from frugal.spaces import as_json
        >>> as_json({"gamma": 0.1, "C": 1}) == as_json({"C": 1, "gamma": 0.1})
        True
    """
    return json.dumps(dict(candidate), sort_keys=True, default=json_default)


def alike(first: object, second: object) -> bool:
    """Whether two values are of one type and equal, arrays in all their elements: 1 and 1.0 are not alike.

    Two nans of one type are alike.
    """
    return type(first) is type(second) and _equal(first, second)


def _equal(first: object, second: object) -> bool:
    """Whether two values are equal; False where that is no question of yes or no, as for two data frames."""
    if first is second:
        return True
    try:
        if isinstance(first, np.ndarray) or isinstance(second, np.ndarray):
            return np.array_equal(first, second)  # type: ignore[arg-type]
        return bool(first == second) or (first != first and second != second)
    except Exception:  # noqa: BLE001  whatever a comparison raises
        return False


@runtime_checkable
class Dimension(Protocol):
    """One hyperparameter: its values and their distribution.

    Attributes:
        kind: `continuous`, `integer`, `ordinal` or `categorical`.

    Examples:
        >>> from frugal.spaces import Dimension, Uniform
        >>> isinstance(Uniform(0.0, 1.0), Dimension)
        True
    """

    kind: ClassVar[Kind]

    def from_unit(self, u: float) -> object:
        """Value at quantile `u` in [0, 1]."""

    def to_unit(self, value: object) -> float:
        """A `u` with `from_unit(u) == value`; ValueError outside the dimension."""


@dataclass(frozen=True)
class Choice:
    """A listed value, all equally likely; their order means nothing.

    Raises:
        ValueError: if the values are no list, tuple, range or array, or there is none.

    Examples:
        >>> from frugal.spaces import Choice
        >>> Choice(("rbf", "linear")).from_unit(0.7)
        'linear'
    """

    values: tuple[object, ...]
    kind: ClassVar[Kind] = "categorical"

    def __post_init__(self) -> None:
        is_number = isinstance(self.values, np.ndarray) and self.values.ndim == 0
        if is_number or not isinstance(self.values, list | tuple | range | np.ndarray):
            raise ValueError(f"values must be a tuple or a list, got {self.values!r}")
        if not len(self.values):
            raise ValueError(f"a {self.kind} dimension needs at least one value")
        values = self.values.tolist() if isinstance(self.values, np.ndarray) else self.values
        object.__setattr__(self, "values", tuple(values))

    def from_unit(self, u: float) -> object:
        """Value at quantile `u`."""
        return self.values[min(int(u * len(self.values)), len(self.values) - 1)]

    def to_unit(self, value: object) -> float:
        """Centre of the value's cell."""
        return (self.place(value) + 0.5) / len(self.values)

    def place(self, value: object) -> int:
        """Place of a value among `values`: of one of its type, such as 1 or 1.0, before one that is merely equal.

        Raises:
            ValueError: if it is none of them.
        """
        for is_same in (operator.is_, alike, _equal):
            for place, other in enumerate(self.values):
                if is_same(value, other):
                    return place
        raise ValueError(f"{value!r} is not one of {list(self.values)}")


@dataclass(frozen=True)
class Ordinal(Choice):
    """A listed value, all equally likely; neighbours in the list are alike.

    Examples:
        >>> from frugal.spaces import Ordinal
        >>> Ordinal((16, 32, 64)).to_unit(32)
        0.5
    """

    kind: ClassVar[Kind] = "ordinal"


@dataclass(frozen=True)
class Uniform:
    """A number in [low, high], spread evenly, or evenly in its logarithm.

    Args:
        low, high: the bounds, both included.
        scale: `linear` or `log`.

    Raises:
        ValueError: if the bounds are not finite and in order, a log scale does not stay above 0, the difference of
            the bounds (on a log scale, their ratio) is too large for a float, or on another scale.

    Examples:
        >>> from frugal.spaces import Uniform
        >>> Uniform(0.0, 10.0).from_unit(0.5), round(Uniform(0.01, 100.0, "log").from_unit(0.5), 6)
        (5.0, 1.0)
    """

    low: float
    high: float
    scale: Scale = "linear"
    kind: ClassVar[Kind] = "continuous"

    def __post_init__(self) -> None:
        _check_bounds(self.low, self.high, self.scale)
        _set_plain_bounds(self)

    def from_unit(self, u: float) -> float:
        """Value at quantile `u`."""
        if self.scale == "linear":
            return min(self.low + u * (self.high - self.low), self.high)
        value: float = self.low * (self.high / self.low) ** u
        return min(max(value, self.low), self.high)

    def to_unit(self, value: object) -> float:
        """Quantile of `value`."""
        x = _number(value)
        if not self.low <= x <= self.high:
            raise ValueError(f"{value!r} is outside [{self.low}, {self.high}]")
        if self.scale == "linear":
            return (x - self.low) / (self.high - self.low)
        return math.log(x / self.low) / math.log(self.high / self.low)


@dataclass(frozen=True)
class Integer:
    """A whole number from low to high, both included: a number between low - 1/2 and high + 1/2, rounded.

    Args:
        low, high: the bounds.
        scale: `linear` or `log`.

    Raises:
        ValueError: if the bounds are not whole and in order, a log scale does not start at 1 or above, the bounds
            are too large for a float, or on another scale.

    Examples:
        >>> from frugal.spaces import Integer
        >>> Integer(1, 4).from_unit(0.3), Integer(1, 4).to_unit(2)
        (2, 0.375)
    """

    low: int
    high: int
    scale: Scale = "linear"
    kind: ClassVar[Kind] = "integer"

    def __post_init__(self) -> None:
        _check_bounds(self.low, self.high, self.scale)
        if not all(isinstance(bound, int | np.integer) for bound in (self.low, self.high)):
            raise ValueError(f"bounds of an Integer must be whole numbers, got [{self.low}, {self.high}]")
        _set_plain_bounds(self)

    def from_unit(self, u: float) -> int:
        """Value at quantile `u`."""
        if self.scale == "linear":
            return int(min(self.low + int(u * (self.high - self.low + 1)), self.high))
        low, high = self.low - 0.5, self.high + 0.5
        value: float = low * (high / low) ** u
        return int(min(max(math.floor(value + 0.5), self.low), self.high))

    def to_unit(self, value: object) -> float:
        """Centre of the value's cell."""
        number = _number(value)
        x = int(value) if math.isfinite(number) else 0  # type: ignore[call-overload]  # floats round large ones
        if not math.isfinite(number) or value != x or not self.low <= x <= self.high:
            raise ValueError(f"{value!r} is not a whole number in [{self.low}, {self.high}]")
        if self.scale == "linear":
            return (x - self.low + 0.5) / (self.high - self.low + 1)
        low, high = self.low - 0.5, self.high + 0.5
        edges = (math.log((x + side) / low) / math.log(high / low) for side in (-0.5, 0.5))
        return sum(edges) / 2


@dataclass(frozen=True)
class Exponential:
    """A number from 0 up, exponentially distributed with the given mean.

    Raises:
        ValueError: if the mean is no finite number above 0.

    Examples:
        >>> from frugal.spaces import Exponential
        >>> round(Exponential(2.0).from_unit(0.5), 3)  # the median, 2 log 2
        1.386
    """

    mean: float
    kind: ClassVar[Kind] = "continuous"

    def __post_init__(self) -> None:
        check_positive("mean", self.mean)

    def from_unit(self, u: float) -> float:
        """Value at quantile `u`; the quantile 1 is capped just below."""
        return -self.mean * math.log1p(-min(u, 1.0 - 2.0**-53))

    def to_unit(self, value: object) -> float:
        """Quantile of `value`."""
        x = _number(value)
        if not 0 <= x < math.inf:
            raise ValueError(f"{value!r} is below 0 or not finite")
        return -math.expm1(-x / self.mean)


@dataclass(frozen=True, repr=False)
class Continuous:
    """A number as a continuous distribution of `scipy.stats` spreads it, at one of its quantiles k / 2^32.

    On this grid `to_unit` undoes `from_unit` to the last digit, though `cdf` and `ppf` are rounded. The quantiles
    0 and 1 of a distribution without bounds are capped by one step.

    Raises:
        ValueError: if it is no frozen continuous distribution, such as `scipy.stats.loguniform(1e-3, 10)`.

    Examples:
        >>> from scipy.stats import norm
        >>> from frugal.spaces import Continuous
        >>> Continuous(norm(10, 2)).from_unit(0.5)
        10.0
    """

    distribution: Any
    kind: ClassVar[Kind] = "continuous"

    def __post_init__(self) -> None:
        if not _is_frozen(self.distribution, "pdf"):
            raise ValueError(
                f"expected a frozen continuous distribution of scipy.stats, got {self.distribution!r}"
            )

    def __repr__(self) -> str:
        return f"Continuous({_text(self.distribution)})"

    def from_unit(self, u: float) -> float:
        """Value at the quantile of the grid that is nearest to `u`."""
        return float(self._at(u))

    def snap(self, u: NDArray[np.float64]) -> NDArray[np.float64]:
        """The same as `to_unit(from_unit(u))` for quantiles u of any shape."""
        return np.asarray(np.rint(self.distribution.cdf(self._at(u)) * _STEPS) / _STEPS)

    def _at(self, u: Any) -> Any:
        """Values at the quantiles of the grid that are nearest to `u`."""
        low, high = self._bounds()
        steps = np.clip(np.rint(u * _STEPS), int(low == -math.inf), _STEPS - int(high == math.inf))
        return np.clip(self.distribution.ppf(steps / _STEPS), low, high)

    def to_unit(self, value: object) -> float:
        """Quantile of the grid that is nearest to that of `value`."""
        x, (low, high) = _number(value), self._bounds()
        if not low <= x <= high or math.isinf(x):
            raise ValueError(f"{value!r} is outside [{low}, {high}] or not finite")
        return round(float(self.distribution.cdf(x)) * _STEPS) / _STEPS

    def _bounds(self) -> tuple[float, float]:
        low, high = self.distribution.support()
        return float(low), float(high)


@dataclass(frozen=True, repr=False)
class Discrete:
    """A whole number as a discrete distribution of `scipy.stats` spreads it.

    Raises:
        ValueError: if it is no frozen discrete distribution, such as `scipy.stats.randint(1, 100)`.

    Examples:
        >>> from scipy.stats import randint
        >>> from frugal.spaces import Discrete
        >>> Discrete(randint(1, 5)).from_unit(0.3), Discrete(randint(1, 5)).to_unit(2)
        (2, 0.375)
    """

    distribution: Any
    kind: ClassVar[Kind] = "integer"

    def __post_init__(self) -> None:
        if not _is_frozen(self.distribution, "pmf"):
            raise ValueError(f"expected a frozen discrete distribution of scipy.stats, got {self.distribution!r}")

    def __repr__(self) -> str:
        return f"Discrete({_text(self.distribution)})"

    def from_unit(self, u: float) -> int:
        """Value at quantile `u`, capped to [2^-32, 1 - 2^-32]: for rarer values the `cdf` rounds to 0 or 1."""
        return int(self._at(u))

    def snap(self, u: NDArray[np.float64]) -> NDArray[np.float64]:
        """`to_unit` of `from_unit` at quantiles u of any shape, at once."""
        x = self._at(u)
        return np.asarray((self.distribution.cdf(x - 1) + self.distribution.cdf(x)) / 2)

    def _at(self, u: Any) -> Any:
        """Values at quantiles `u`, capped."""
        low, _ = self.distribution.support()
        return np.trunc(np.maximum(self.distribution.ppf(np.clip(u, 1 / _STEPS, 1 - 1 / _STEPS)), low))

    def to_unit(self, value: object) -> float:
        """Centre of the value's cell."""
        x = _number(value)
        below, up_to = (float(self.distribution.cdf(k)) for k in (x - 1, x)) if math.isfinite(x) else (0.0, 0.0)
        # Values closer together than the digits of the `cdf` have no cell of their own.
        is_fine = 1 / _STEPS < up_to < 1 - 1 / _STEPS and self.distribution.pmf(x) > 0
        if not (up_to > below or is_fine) or x != int(x):
            raise ValueError(f"{value!r} is not a whole number that {_text(self.distribution)} can give")
        return (below + up_to) / 2


_STEPS: Final = 2**32


def _is_frozen(distribution: object, density: str) -> bool:
    """True for a frozen scipy distribution; the attribute named `density` tells continuous from discrete."""
    return all(hasattr(distribution, name) for name in (density, "ppf", "cdf", "support", "args", "kwds", "dist"))


def _text(distribution: Any) -> str:
    """A frozen distribution as source code."""
    arguments = [repr(value) for value in distribution.args]
    arguments += [f"{name}={value!r}" for name, value in distribution.kwds.items()]
    return f"{distribution.dist.name}({', '.join(arguments)})"


def _set_plain_bounds(dimension: Uniform | Integer) -> None:
    """Keep bounds that are numbers of NumPy as Python's, which do not overflow."""
    for name in ("low", "high"):
        object.__setattr__(dimension, name, as_python(getattr(dimension, name)))


def _check_bounds(low: float, high: float, scale: str) -> None:
    check_known("scale", scale, ("linear", "log"))
    if not (is_real(low) and is_real(high) and -math.inf < low < high < math.inf):
        raise ValueError(f"bounds must be finite numbers with low < high, got [{low}, {high}]")
    if scale == "log" and low <= 0:
        raise ValueError(f"a log scale must stay above 0, got [{low}, {high}]")
    try:
        width = float(high) / float(low) if scale == "log" else float(high) - float(low)
    except OverflowError:  # of a whole number above all floats
        width = math.inf
    if not math.isfinite(width):
        what = "high / low" if scale == "log" else "high - low"
        raise ValueError(f"{what} must be a finite number, got [{low}, {high}]")


def _number(value: object) -> float:
    if not is_real(value):
        raise ValueError(f"{value!r} is not a number")
    try:
        return float(value)  # type: ignore[arg-type]
    except OverflowError as error:  # a whole number above all floats
        raise ValueError("a whole number of more than 308 digits is in no dimension") from error


_MOST_COUNTED: Final = 10**6
"""Longest support of a discrete distribution whose gaps are counted."""


def _n_values(dimension: Dimension) -> int | None:
    if isinstance(dimension, Choice):
        return len(dimension.values)
    if isinstance(dimension, Integer):
        return dimension.high - dimension.low + 1
    if isinstance(dimension, Discrete):
        return _n_possible(dimension.distribution)
    return None


def _n_possible(distribution: Any) -> int | None:
    """Number of values of a discrete distribution, in a long support at most; None: infinitely many."""
    low, high = distribution.support()
    if not math.isfinite(high - low):
        return None
    if high - low > _MOST_COUNTED:
        return int(high - low) + 1
    return int(np.count_nonzero(distribution.pmf(np.arange(low, high + 1))))


@dataclass(frozen=True)
class SearchSpace:
    """Named dimensions, in order.

    Attributes:
        dimensions: name -> dimension.
        signs: name -> sign of the derivative of accuracy while the model is too simple: 1 if larger values make
            the model more complex, -1 if they make it simpler, 0 if neither. Dimensions may be left out.

    Raises:
        ValueError: if a value is no dimension, a name is no string, or `check_signs` refuses the signs.

    Examples:
        >>> import numpy as np
        >>> from frugal.spaces import Choice, Integer, SearchSpace
        >>> space = SearchSpace({"depth": Integer(1, 9), "rule": Choice(("gini", "entropy"))})
        >>> space.from_unit(np.array([0.5, 0.9]))
        {'depth': 5, 'rule': 'entropy'}
        >>> len(space.sample(np.random.default_rng(0), 3))
        3
    """

    dimensions: Mapping[str, Dimension]
    signs: Mapping[str, int] = field(default_factory=dict, kw_only=True)

    def __post_init__(self) -> None:
        if not isinstance(self.dimensions, Mapping):
            raise ValueError(f"dimensions must be a mapping from names to dimensions, got {self.dimensions!r}")
        for name, dimension in self.dimensions.items():
            if not isinstance(name, str):
                raise ValueError(f"the name of a dimension must be a string, got {name!r}")
            if isinstance(dimension, type) or not isinstance(dimension, Dimension):
                raise ValueError(
                    f"{name!r} must be a dimension, such as Uniform(0.0, 1.0) or Choice((1, 2)), got {dimension!r}"
                )
        self.check_signs(self.signs)

    def check_signs(self, signs: Mapping[str, int]) -> None:
        """Raise unless every sign belongs to a dimension that has an order.

        Raises:
            ValueError: if they are no mapping from names to -1, 0 or 1, or on a sign of an unknown or categorical
                dimension.
        """
        if not isinstance(signs, Mapping):
            raise ValueError(f"signs must be a mapping from names of dimensions to -1, 0 or 1, got {signs!r}")
        for name, sign in signs.items():
            if name not in self.dimensions:
                raise ValueError(f"signs must be for {', '.join(self.dimensions)}, got one for {name!r}")
            if isinstance(sign, bool) or sign not in (-1, 0, 1):
                raise ValueError(f"the sign of {name!r} must be -1, 0 or 1, got {sign!r}")
            if sign and self.dimensions[name].kind == "categorical":
                raise ValueError(f"{name!r} is categorical, so its sign must be 0, got {sign}")

    @property
    def n_points(self) -> int | None:
        """Number of candidates; None if it is infinite. A value that a list repeats counts each time.

        Values to which a discrete distribution gives no probability do not count, in a support of up to 1,000,000.
        """
        numbers = [_n_values(one) for one in self.dimensions.values()]
        return None if None in numbers else math.prod(filter(None, numbers))

    def sample(self, rng: np.random.Generator, n_candidates: int) -> list[Candidate]:
        """Independent draws, with replacement; a shorter draw from an equal rng is a prefix.

        Raises:
            ValueError: if `rng` is no generator of NumPy, or `n_candidates` no whole number from 0 on.
        """
        check_rng(rng)
        check_whole("n_candidates", n_candidates, 0)
        return [self.from_unit(u) for u in rng.random((n_candidates, len(self.dimensions)))]

    def from_unit(self, point: NDArray[np.float64]) -> Candidate:
        """Candidate at a point, shape (n_dimensions,), of the unit cube.

        Raises:
            ValueError: if the point lies elsewhere.
        """
        point = np.asarray(point)
        if point.shape != (len(self.dimensions),) or not ((point >= 0) & (point <= 1)).all():
            raise ValueError(f"expected {len(self.dimensions)} numbers in [0, 1], got {point}")
        items = zip(self.dimensions.items(), point, strict=True)
        return {name: dimension.from_unit(float(u)) for (name, dimension), u in items}

    def to_unit(self, candidate: Candidate) -> NDArray[np.float64]:
        """Point of the unit cube, shape (n_dimensions,), that maps to `candidate`.

        Raises:
            ValueError: naming the dimension, if a value is not in it, is missing or is one too many.
        """
        if set(candidate) != set(self.dimensions):
            raise ValueError(f"expected values for {list(self.dimensions)}, got {list(candidate)}")
        return np.array([self._to_unit(name, candidate[name]) for name in self.dimensions])

    def _to_unit(self, name: str, value: object) -> float:
        try:
            return self.dimensions[name].to_unit(value)
        except ValueError as error:
            raise ValueError(f"{name!r}: {error}") from error

    def grid(self) -> list[Candidate]:
        """All candidates of a space that lists its values, the last dimension varying fastest.

        Raises:
            ValueError: if a dimension is not a `Choice`, since its values cannot be listed.
        """
        lists = []
        for name, dimension in self.dimensions.items():
            if not isinstance(dimension, Choice):
                raise ValueError(f"{name!r} does not list its values, so there is no grid")
            lists.append(dimension.values)
        return [dict(zip(self.dimensions, row, strict=True)) for row in itertools.product(*lists)]
