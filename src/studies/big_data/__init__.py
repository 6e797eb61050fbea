"""Document 003: sizes and lengths of trials (section 2), and training on fewer rows (section 3).

`paper` lists what its reproduction consists of. A module per study has its methods, runs and claims; tables,
figures and captions stand with them, or in a module per figure.
"""
