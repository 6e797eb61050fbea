"""Document 003, section 3.3: case-control subsampling and its successors for logistic regression."""
