"""Frugal: model selection on a budget, by saving folds, trials or rows."""

from typing import TYPE_CHECKING

from frugal.lazy import lazily

if TYPE_CHECKING:
    from frugal.model_selection.minimum import minimize

__version__ = "0.1.0"
__all__ = ["__version__", "minimize"]

__getattr__ = lazily(__name__, {"minimize": "model_selection.minimum"})
