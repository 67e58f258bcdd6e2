"""Checks that the packages which the modules here need are installed, before these import them."""

import importlib
import importlib.util
import sys


def sentence_of(missing):
    return (f"{sys.executable} has no {' and no '.join(missing)}; install h5py, numpy, pandas and matplotlib for it, or "
            "choose another Python (lookahead report --python)")


def missing_of(*names):
    return [name for name in names if importlib.util.find_spec(name) is None]


def require(*names):
    """Ends the program with one sentence if one of the packages is missing."""
    missing = missing_of(*names)
    if missing:
        sys.exit(sentence_of(missing))


class LazyModule:
    """A module that is imported when one of its members is first used: a program that reads only attributes and arrays
    does not need pandas."""

    def __init__(self, name):
        self._name = name

    def __getattr__(self, attribute):
        missing = missing_of(self._name)
        if missing:
            raise ImportError(sentence_of(missing))
        return getattr(importlib.import_module(self._name), attribute)


if missing_of("h5py", "numpy"):
    require("h5py", "numpy", "pandas")
pandas = LazyModule("pandas")
