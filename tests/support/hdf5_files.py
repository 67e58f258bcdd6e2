"""The checksum at the end of the program's HDF5 files (hdf5_schemas/README.md), which h5py cuts off when it changes one."""

import pathlib
import struct
import zlib

CHECKSUM_BYTES = 24


def sealed(data):
    """The bytes of a file without a checksum, followed by their checksum."""
    return bytes(data) + struct.pack("<8sQQ", b"CHECKSUM", len(data), zlib.crc32(data))


def seal(path):
    path = pathlib.Path(path)
    path.write_bytes(sealed(path.read_bytes()))
