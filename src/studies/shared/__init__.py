"""Parts that several papers or comparisons need; their packages do not import each other."""
