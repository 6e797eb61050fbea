"""Document 003, section 3.4: support vector machines on cluster centres. Figures 11 and 12."""
