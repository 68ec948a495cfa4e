"""As much of Numba as leakgraph asks of its device arrays."""

__version__ = "0.61.2"
