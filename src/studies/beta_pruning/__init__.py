"""Document 000, "Cross validation pruning using Bayesian methods" (Kreutzman 2020).

`paper` lists what its reproduction consists of; `model` is about its section 2, `network` about 3 and 5.
"""
