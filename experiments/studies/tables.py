#!/usr/bin/env python3
"""Writes the tables of a paper's pages, README.md and details.md in its folder, from its studies' recorded results (results/*.csv).

    tables.py caps                                  # write the pages from the recorded studies
    tables.py caps --check                          # check that the pages agree with them; exit code 1 if not
    tables.py caps --sweeps FOLDER                  # record the sweeps caps-STUDY.sweep in FOLDER first
    tables.py caps --sweeps FOLDER --part           # the same, for sweeps with some of a study's points; the others stay
    tables.py caps --sweeps FOLDER --run            # run the sweeps first; points with a result are not run again
    tables.py caps --sweeps FOLDER --run --size tiny --only caps/parts      # a trial

Needs h5py (to record), numpy and pandas.
"""

import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "analysis"))
from lookahead_analysis import study_tables  # noqa: E402

if __name__ == "__main__":
    PAPERS = sorted(path.parent.name for path in HERE.glob("*/claims.py"))
    if len(sys.argv) < 2 or sys.argv[1] not in PAPERS:
        sys.exit(f"{__doc__}\nPapers: {', '.join(PAPERS)}")
    sys.exit(study_tables.main(study_tables.page_of(HERE / sys.argv.pop(1)), __doc__))
