"""Beyond document 003's section 3: the combinations that it names, and every method on real data."""
