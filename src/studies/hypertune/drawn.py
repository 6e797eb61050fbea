"""Every figure of document 004, by name."""

from __future__ import annotations

from studies.hypertune.figures import FIGURES as FIGURES
