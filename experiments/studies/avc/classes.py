"""high pressure: a kernel needs 8 registers or more without spills, with pointers of 32 bits, as in the paper (Collange
and Kouyoumdjian, 2011, section 3.1); else low pressure."""

import json
import pathlib
import re

ROW = "registers without spills"
HIGH_PRESSURE = 8
TABLE = json.loads(pathlib.Path(__file__).with_name("paper.json").read_text())["figures"]["table4"]["values"]


def expected(workload):
    """The registers of its kernels in the paper's table 4."""
    kernels = re.findall(r"\.entry (\w+)", workload.ptx)
    return workload.in_turn(TABLE[kernel]["r_base"] for kernel in kernels if kernel in TABLE)


def measure(workload):
    profile = workload.json_of("profile", "registers", workload.name, "--machine", "avc_fermi_sm", "-o", "isa.pointers=32")
    base = {kernel["kernel"]: kernel["r_base"] for kernel in profile}
    found = "high" if max(base[kernel] for kernel in workload.kernels) >= HIGH_PRESSURE else "low"
    return workload.in_turn(base[kernel] for kernel in workload.kernels), f"{found} pressure"
