"""Document 003, section 2.2: learning curves extrapolated, and trials that are cut short by it."""
