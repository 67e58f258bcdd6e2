"""How the programs of this package speak to their users: one sentence, and an exit code."""

import argparse
import sys

FOLDER, NO_FILE, NO_FOLDER, NOT_ALLOWED = 21, 2, 20, 13  # of the operating system
REASONS = {FOLDER: "it is a folder", NO_FILE: "there is no such file or folder", NO_FOLDER: "what should be its folder is a file",
           NOT_ALLOWED: "that is not allowed"}


class DamagedFile(OSError):
    """What is wrong with the file, without its name."""


# What reading raises where a file has other contents than its schema says.
UNUSABLE = (OSError, LookupError, ValueError, TypeError, ArithmeticError, MemoryError)


def reason_of(error):
    """Why a file could not be used, without what HDF5 and the operating system call it."""
    if isinstance(error, OSError) and error.errno in REASONS:
        return REASONS[error.errno]
    if isinstance(error, OSError) and error.errno is None and not isinstance(error, DamagedFile):  # h5py's
        return "it is no HDF5 file, or a damaged one"
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return error.args[0] if isinstance(error, KeyError) else str(error)


def text_of(error, written):
    """What to say of an error while the file `written` was made."""
    return f"{written}: cannot be written: {reason_of(error)}" if isinstance(error, OSError) else str(error)


class Parser(argparse.ArgumentParser):
    """An error is one line, as `lookahead` writes it."""

    def error(self, message):
        print(f"lookahead: {message}; 'lookahead report --help' tells more", file=sys.stderr)
        sys.exit(2)
