"""Every way to save trials on the same problems, which no single document compares.

`paper` lists what it consists of; `problems_and_methods` says what is compared, `regrets` makes searches
comparable and has the table, `figures` the pictures. Ranks and their diagrams are those of `studies.shared.ranks`.
"""
