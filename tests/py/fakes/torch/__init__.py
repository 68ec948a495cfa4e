"""The part of PyTorch's CUDA that leakgraph uses, for machines without a GPU."""

from torch import _C, cuda

__all__ = ["_C", "cuda"]

__version__ = "2.13.0"
