"""Every figure of document 004, by name."""

from __future__ import annotations

from frugal.papers.hypertune.figures import FIGURES as FIGURES
