"""How the programs of this package speak to their users: one sentence, and an exit code."""

import argparse
import sys

FOLDER, NO_FILE, NO_FOLDER, NOT_ALLOWED = 21, 2, 20, 13  # error numbers of the operating system
REASONS = {FOLDER: "it is a folder", NO_FILE: "there is no such file or folder", NO_FOLDER: "what should be its folder is a file",
           NOT_ALLOWED: "that is not allowed"}


class DamagedFile(OSError):
    """An error whose text says what is wrong with the file, without its name."""


# The errors that reading raises if a file has other contents than its schema says.
UNUSABLE = (OSError, LookupError, ValueError, TypeError, ArithmeticError, MemoryError)


def reason_of(error):
    """Why a file could not be used, in words of our own where HDF5 and the operating system have unclear ones."""
    if isinstance(error, OSError) and error.errno in REASONS:
        return REASONS[error.errno]
    if isinstance(error, OSError) and error.errno is None and not isinstance(error, DamagedFile):  # h5py's
        return "it is not an HDF5 file, or it is damaged"
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return error.args[0] if isinstance(error, KeyError) else str(error)


def text_of(error, written):
    """The message about an error that occurred while the file `written` was made."""
    return f"{written}: cannot be written: {reason_of(error)}" if isinstance(error, OSError) else str(error)


class Parser(argparse.ArgumentParser):
    """A parser that reports an error in one line, as `lookahead` does."""

    def error(self, message):
        print(f"lookahead: {message}; 'lookahead report --help' tells more", file=sys.stderr)
        sys.exit(2)
