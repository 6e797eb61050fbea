"""Models for a user's own table: what `frugal select` does."""
