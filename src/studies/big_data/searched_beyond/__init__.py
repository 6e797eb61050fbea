"""Searches with the combinations that document 003 proposes at its end, each against its parts."""
