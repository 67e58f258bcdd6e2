"""Opens HDF5 files so that a damaged one is an error with a sentence, not a crash of the HDF5 library.

Each file that Lookahead writes ends with the checksum of its bytes (hdf5_schemas/README.md). A file without one was
written by an earlier version, or changed by another tool: a child process reads all of it first.
"""

import contextlib
import os
import pathlib
import resource
import struct
import zlib

import h5py

from .messages import DamagedFile

MARK = b"CHECKSUM"
TRAILER = struct.Struct("<8sQQ")  # the mark, the number of bytes before it, and their CRC-32
PIECE = 1 << 20
ADVICE = "copy it again or make it anew"


@contextlib.contextmanager
def whole_file(path):
    """Gives a temporary name under which to write the file: it gets the name `path` when it is complete, and is removed
    if that fails."""
    path = os.path.realpath(path)
    partial = pathlib.Path(f"{path}.partial")
    try:
        yield partial
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def write_page(path, text):
    with whole_file(path) as partial:
        partial.write_text(text, encoding="utf-8")


def checksum_is_right(path):
    """Whether the file's checksum is that of its bytes; None for a file without one."""
    with open(path, "rb") as file:
        length = file.seek(0, os.SEEK_END) - TRAILER.size
        if length < 0:
            return None
        file.seek(length)
        mark, told_length, told = TRAILER.unpack(file.read(TRAILER.size))
        if mark != MARK:
            return None
        if told_length != length:
            return False
        file.seek(0)
        crc = 0
        for begin in range(0, length, PIECE):
            crc = zlib.crc32(file.read(min(PIECE, length - begin)), crc)
        return crc == told


def _read_all(path):
    def read(_, item):
        dict(item.attrs.items())
        if isinstance(item, h5py.Dataset):
            item[()]
            for dimension in item.dims:
                dimension.values()

    with h5py.File(path, "r") as file:
        read("/", file)
        file.visititems(read)


def _read_as_child(path, size):
    """Reads all of the file and ends the process, with 0 if that succeeds."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    own = int(pathlib.Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    for limit, most in ((resource.RLIMIT_CPU, 10 + size // (8 << 20)), (resource.RLIMIT_AS, own + (2 << 30) + 64 * size),
                        (resource.RLIMIT_CORE, 0)):
        resource.setrlimit(limit, (most, most))
    _read_all(path)
    os._exit(0)


def read_on_trial(path):
    """DamagedFile if a child process crashes, does not come to an end, or fails when it reads all of the file."""
    child = os.fork()
    if child == 0:
        try:
            _read_as_child(path, os.path.getsize(path))
        finally:
            os._exit(1)
    if os.waitpid(child, 0)[1] != 0:
        raise DamagedFile(f"it is not an HDF5 file, or it is damaged; {ADVICE}")


def open_file(path):
    """The file as h5py opens it for reading. OSError if it is not there, DamagedFile if it was damaged."""
    right = checksum_is_right(path)
    if right is None:
        read_on_trial(path)
    elif not right:
        raise DamagedFile(f"it was damaged after it was written (its checksum is wrong); {ADVICE}")
    return h5py.File(path, "r")
