"""What several papers or comparisons need, whose own packages do not import each other."""
