"""Document 003, section 3.1: how far a bag of little bootstraps is off, against the time that it takes."""
