"""The part of Numba's device arrays that leakgraph uses."""

__version__ = "0.61.2"
