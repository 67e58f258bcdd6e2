#!/usr/bin/env python3
"""Every built-in machine runs vecadd, size tiny, to its end with outputs that match; machines of native code need ptxas."""

import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
import lookahead_process as lookahead  # noqa: E402


def fault(program, machine, folder):
    """What is wrong with the machine's run; None if nothing is."""
    try:
        summary = lookahead.simulate(program, ["vecadd", "--size", "tiny", "--machine", machine,
                                               "--out", folder / f"{machine}.h5"])
    except RuntimeError as error:
        return str(error)
    good = (summary["machine"], summary["status"], summary["outputs"]) == (machine, "complete", "match")
    return None if good and summary["cycles"] > 0 else str(summary)


def main() -> int:
    parser = lookahead.argument_parser(__doc__)
    arguments = parser.parse_args()

    machines = lookahead.machines(arguments.program)
    faults = {}
    with tempfile.TemporaryDirectory() as folder:
        for machine in machines:
            faults[machine] = fault(arguments.program, machine, pathlib.Path(folder))
    for machine, found in faults.items():
        if found:
            print(f"{machine}: {found}")
    failed = sum(found is not None for found in faults.values())
    print(f"{len(machines) - failed} passed, {failed} failed")
    return 1 if failed or "gtx480" not in machines else 0


if __name__ == "__main__":
    sys.exit(main())
