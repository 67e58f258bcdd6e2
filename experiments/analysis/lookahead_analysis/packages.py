"""What the modules of this package need beside Python, asked for before they import it."""

import importlib.util
import sys


def require(*packages):
    """Ends the program with one sentence if one is not there."""
    missing = [package for package in packages if importlib.util.find_spec(package) is None]
    if missing:
        sys.exit(f"{sys.executable} has no {' and no '.join(missing)}; install h5py, numpy, pandas and matplotlib for it, or "
                 "choose another Python (lookahead report --python)")


require("h5py", "numpy", "pandas")
