"""How tests kill a run."""


class KilledError(Exception):
    """Nothing of ours catches it, so that a run ends where a test raises it."""
