"""Document 001: "Greed is good", greedy k-fold cross validation (Soper 2021, Electronics 10(16):1973)."""
