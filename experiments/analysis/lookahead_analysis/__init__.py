"""Reads the result files of Lookahead with h5py and pandas."""

from . import packages  # noqa: F401  first, because it checks for packages that the others need
from .energy import energy_differences, recompute_energy
from .run import Run, RunFileError
from .study import Study
from .sweeps import SweepError

__all__ = ["Run", "RunFileError", "Study", "SweepError", "energy_differences", "recompute_energy"]
