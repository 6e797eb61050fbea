"""Document 003, section 2.1: optimisers that choose the size of each trial."""
