"""Unroll factors of the workloads' form=looped."""

import pathlib

PAGE = pathlib.Path(__file__).resolve().parents[2] / "experiments/workloads/README.md"


def best_factors():
    """By workload, the factor with the fewest cycles on vecmem_nvidia at small: the bold one of the table that
    measure_factors writes."""
    table = PAGE.read_text().split("<!-- factors: made by measure_factors -->")[1].split("<!-- end of factors -->")[0]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.strip().splitlines()]
    return {row[0]: int(rows[0][column].removeprefix("unroll ")) for row in rows[2:]
            for column, cell in enumerate(row) if cell.startswith("**")}
