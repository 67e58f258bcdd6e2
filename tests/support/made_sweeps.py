"""Sweeps that are made by hand, and tables in their place, for tests of papers' figures."""

import contextlib
import io
import pathlib
import sys

import h5py
import numpy as np
import pandas as pd

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "experiments/analysis"))
from lookahead_analysis import figures, papers, study_tables  # noqa: E402, F401


def write_counters(run, counters):
    """Writes counters of one component each."""
    for name, value in counters.items():
        run[f"counters/{name}"] = np.array([value], dtype=np.uint64)


def make_index(folder, study, columns):
    """Writes the index as `lookahead sweep run` does: it also has numbers of metrics, which are no axes."""
    with h5py.File(folder / "index.h5", "w") as index:
        index.attrs.update({"study": study, "title": "A study"})
        for name, values in columns.items():
            index.create_dataset(f"points/{name}", data=values, dtype=h5py.string_dtype())
        index["points/cycles"] = np.ones(len(columns["workload"]))
        for dataset in index["points"].values():
            dataset.attrs["units"] = ""


def make_sweep(folder, study, axis, points, make):
    """Makes a sweep of points by workload and value of the axis by make(path, ENTRY, value); None is a point that
    failed."""
    (folder / "points").mkdir(parents=True)
    columns = {"workload": [], axis: [], "status": [], "message": [], "file": []}
    for (workload, value), what in points.items():
        file = f"points/{workload}_{value}.h5"
        if what is not None:
            make(folder / file, what, value)
        row = (workload, value, "complete", "", file) if what is not None else (workload, value, "failed", "it broke", "")
        for column, each in zip(columns.values(), row):
            column.append(each)
    make_index(folder, study, columns)


def show(*arguments):
    """Exit code and what is printed to stdout and stderr; in this process, because Python takes longer to start than to
    make a figure."""
    out, errors = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
        code = figures.main([str(word) for word in arguments])
    return code, out.getvalue(), errors.getvalue()


class Rows:
    """Stands for a sweep: these rows, whatever the axes."""

    def __init__(self, columns, rows):
        self.rows = pd.DataFrame(rows, columns=columns)

    def table(self, *_):
        return self.rows.copy()


def drawn_axes(draw):
    """What the images that `draw` writes look like: for each of their axes the bars by label, the published marks, limits and texts."""
    import matplotlib.figure
    seen = []
    save = matplotlib.figure.Figure.savefig

    def look(figure, *arguments, **options):
        save(figure, *arguments, **options)
        for axes in figure.axes:
            if not axes.axison:
                continue
            marks = [(float(line.get_xdata()[1]), float(line.get_ydata()[0])) for line in axes.lines if line.get_marker() == "D"]
            legend = axes.get_legend()
            seen.append({
                "bars": {bars.get_label(): [(bar.get_x() + bar.get_width() / 2, bar.get_y(), bar.get_height()) for bar in bars]
                         for bars in axes.containers},
                "marks": marks, "limits": axes.get_ylim(), "label": axes.get_ylabel(),
                "rows": [tick.get_text() for tick in axes.get_xticklabels()],
                "beside": legend is None or legend.get_window_extent().x0 >= axes.get_window_extent().x1,
                "texts": [figure._suptitle.get_text(), axes.get_title()], "below": [text.get_text() for text in figure.texts]})
    matplotlib.figure.Figure.savefig = look
    try:
        draw()
    finally:
        matplotlib.figure.Figure.savefig = save
    return seen


def images(check, figure, folder):
    """The axes of the figure's image, as drawn_axes has them."""
    return drawn_axes(lambda: check(figure, show(figure, folder, "-o", folder / "image.png")[0] == 0, figure))
