"""irregular: the address of a global load depends on loaded data, by the backward slice with which Koo et al. (section
V.B) exclude loads from prefetching, or a global access touches 8 lines or more on average; else regular."""

import re

ROW = "addresses"
IRREGULAR_LINES = 8.0
COMPUTED = re.compile(r"^(add|sub|mul|mad|fma|div|rem|neg|abs|min|max|and|or|xor|not|shl|shr|shf|lop3|bfe|bfi|prmt|cvt|"
                      r"cvta|mov|selp|slct|setp|sqrt|rsqrt|rcp|sin|cos|ex2|lg2|popc|clz|brev|bfind|addc|subc|madc|set|"
                      r"copysign|dp4a|sad|isspacep|tanh|ld\.param|ld\.const)")


def loads_of(ptx):
    """How many global loads the PTX has, and how many of their addresses depend on loaded data."""
    total = indirect = 0
    for body in re.findall(r"\.entry\s+\S+\((?:[^)]*)\)[^{]*\{(.*?)\n\}", ptx, re.S):
        sources, from_memory, addresses = {}, set(), []
        for line in body.splitlines():
            found = re.match(r"\s*(?:@!?%\w+\s+)?([a-z][\w.]*)\s+(.*);", line)
            if not found:
                continue
            opcode, operands = found.groups()
            if opcode.startswith(("ld.global", "ld.volatile.global")):
                addresses.append(re.findall(r"%\w+", operands[operands.index("["):]))
            if opcode.startswith(("st", "bra", "bar", "red", "ret", "exit", "membar", "fence")):
                continue
            vector = re.match(r"\{([^}]*)\},\s*(.*)", operands)
            written, rest = vector.groups() if vector else (operands.partition(",")[0], operands.partition(",")[2])
            for register in re.findall(r"%\w+", written):
                if COMPUTED.match(opcode):
                    sources.setdefault(register, set()).update(re.findall(r"%\w+", rest))
                else:
                    from_memory.add(register)
        for registers in addresses:
            total += 1
            seen, open_ = set(), list(registers)
            while open_:
                register = open_.pop()
                if register in seen:
                    continue
                seen.add(register)
                open_ += sources.get(register, ())
            indirect += bool(seen & from_memory)
    return total, indirect


def measure(workload):
    loads, indirect = loads_of(workload.ptx)
    found = "irregular" if indirect > 0 or workload.lines >= IRREGULAR_LINES else "regular"
    return f"{indirect} of {loads} global loads indirect", found
