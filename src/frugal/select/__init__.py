"""Model selection for a user's own table: the command `frugal select`."""
