#!/usr/bin/env python3
"""Makes the wheel of the analysis package, which pip installs anywhere: make_wheel.py VERSION FOLDER

The papers' data and figures are in it (`studies`).
It is pure Python and needs h5py alone; tables need pandas (`pip install lookahead_analysis[tables]`), figures and pages matplotlib
too (`[figures]`). Equal sources make equal bytes."""

import base64
import hashlib
import pathlib
import sys
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
NAME = "lookahead_analysis"
BEGIN_OF_TIME = (1980, 1, 1, 0, 0, 0)  # of zip files


def metadata(version):
    readme = (HERE / "README.md").read_text(encoding="utf-8")
    return f"""Metadata-Version: 2.1
Name: {NAME}
Version: {version}
Summary: Reads and draws the result files of Lookahead, a simulator of GPUs.
Requires-Python: >=3.9
Requires-Dist: h5py
Provides-Extra: tables
Requires-Dist: pandas; extra == "tables"
Provides-Extra: figures
Requires-Dist: pandas; extra == "figures"
Requires-Dist: matplotlib; extra == "figures"
Description-Content-Type: text/markdown

{readme}"""


WHEEL = "Wheel-Version: 1.0\nGenerator: lookahead\nRoot-Is-Purelib: true\nTag: py3-none-any\n"


def contents(version):
    """Path in the wheel and bytes of each file, without the record."""
    for path in sorted((HERE / NAME).glob("*.py")):
        yield f"{NAME}/{path.name}", path.read_bytes()
    for paper in sorted(HERE.with_name("studies").glob("*/paper.json")):
        for path in (paper, paper.with_name("figures.py")):
            yield f"{NAME}/studies/{paper.parent.name}/{path.name}", path.read_bytes()
    yield f"{NAME}-{version}.dist-info/METADATA", metadata(version).encode()
    yield f"{NAME}-{version}.dist-info/WHEEL", WHEEL.encode()


def record_line(path, data):
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"{path},sha256={digest},{len(data)}\n"


def make_wheel(version, folder):
    wheel = pathlib.Path(folder) / f"{NAME}-{version}-py3-none-any.whl"
    wheel.parent.mkdir(parents=True, exist_ok=True)
    record_path = f"{NAME}-{version}.dist-info/RECORD"
    files = list(contents(version))
    record = "".join(record_line(path, data) for path, data in files) + f"{record_path},,\n"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in [*files, (record_path, record.encode())]:
            entry = zipfile.ZipInfo(path, BEGIN_OF_TIME)
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, data, zipfile.ZIP_DEFLATED)
    return wheel


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    print(make_wheel(*sys.argv[1:]))
