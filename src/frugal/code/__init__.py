"""The part of our code that a result depends on, and its hash. Syntax trees are read; nothing is imported."""

from frugal.code.reach import Code, Job
from frugal.code.tree import Tree

__all__ = ["Code", "Job", "Tree"]
