"""Reads the result files of Lookahead with h5py and pandas."""

from .run import Run, RunFileError

__all__ = ["Run", "RunFileError"]
