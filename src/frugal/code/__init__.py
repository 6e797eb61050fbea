"""Which of our code a result depends on, and a hash of it, from syntax trees alone: nothing is imported."""

from frugal.code.reach import Code, Job
from frugal.code.tree import Tree

__all__ = ["Code", "Job", "Tree"]
