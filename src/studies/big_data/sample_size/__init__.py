"""Document 003, section 3.2: samples that grow as the gradient needs it; Figure 8 and its claims."""
