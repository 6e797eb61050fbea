"""torchvision's datasets, also beside a torch without CUDA."""

from __future__ import annotations

import functools
import importlib.util
from pathlib import Path
from typing import Any

_OPERATORS = ("nms", "qnms")


@functools.cache
def import_datasets() -> Any:
    """The module `torchvision.datasets`.

    torchvision's compiled operators may be built for another torch (a CUDA build beside a CPU-only torch).
    They do not load then, and the import fails with "operator torchvision::nms does not exist", although no
    dataset needs them; so the operators that the import looks for are declared, without an implementation.

    Raises:
        ImportError: if torchvision is not installed.
    """
    import torch

    operators: Any = torch.ops
    libraries: Any = torch.library

    spec = importlib.util.find_spec("torchvision")
    if spec is None or spec.origin is None:
        raise ImportError("torchvision is not installed")
    try:
        operators.load_library(str(Path(spec.origin).parent / "_C.so"))
    except (OSError, ImportError):
        library = libraries.Library("torchvision", "FRAGMENT")
        for name in _OPERATORS:
            library.define(f"{name}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
        _KEPT.append(library)  # a library's declarations go when it is collected
    return importlib.import_module("torchvision.datasets")


_KEPT: list[object] = []
