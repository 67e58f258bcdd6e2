"""Finds the papers that are reproduced: each is a folder of experiments/studies that has a paper.json, which
experiments/studies/README.md describes, and a figures.py. An installed package has copies of these files in
`studies`."""

import functools
import importlib.resources
import json
import pathlib
import types
from typing import Callable, NamedTuple

FILES = ("paper.json", "figures.py")
CARRIED = {}  # the files' texts by paper and name, in `lookahead report`, which carries them instead of files
NOT_IN_PAPER = "not in the paper"


class Figure(NamedTuple):
    """A figure of a paper. `make` makes its table from a sweep of `study`, whose axes are `axes`; `facts` takes what it
    needs from a result file. `words` and `values` are the paper's; the values are by row and column of the table."""

    study: str
    title: str
    make: Callable
    words: str
    axis: str
    facts: Callable
    axes: dict
    values: dict


class Published(float):
    """A number of a paper, whose text has the paper's digits."""

    def __new__(cls, text):
        number = super().__new__(cls, text)
        number.text = text
        return number

    def __str__(self):
        return self.text


class Paper:
    def __init__(self, name, texts):
        self.name, self.texts = name, texts
        self.data = json.loads(texts["paper.json"], parse_float=Published)

    def of_class(self, kind):
        """The paper's names of the workloads of this class."""
        return {workload: name for workload, (name, its) in self.data["workloads"].items() if its == kind}

    def rows_of_classes(self, index):
        """A table's workloads by class, in the order of the classes, and all of them under "all"."""
        kinds = dict.fromkeys(kind for _, kind in self.data["workloads"].values())
        return {kind: [workload for workload in index if workload in self.of_class(kind)] for kind in kinds} | {"all": list(index)}

    def label(self, workload):
        """A workload's name with the paper's name for it."""
        return f"{workload} ({self.data['workloads'][workload][0]})" if workload in self.data["workloads"] else workload

    def values(self, figure):
        return self.data["figures"].get(figure, {}).get("values", {})

    def said(self, figure, row, column):
        """The value that the paper gives in a figure's row and column."""
        return self.values(figure)[row][column]

    @functools.cached_property
    def module(self):
        """The module figures.py, which has FIGURES, STUDIES and `facts`, and may have `OWN_FACTS` for studies that need
        other facts."""
        module = types.ModuleType(f"{__package__}.studies.{self.name}")
        exec(compile(self.texts["figures.py"], f"studies/{self.name}/figures.py", "exec"), module.__dict__)
        return module

    def facts_of(self, study):
        """The function that takes the facts for this study's figures from a result file."""
        return getattr(self.module, "OWN_FACTS", {}).get(study, self.module.facts)

    @functools.cached_property
    def figures(self):
        words = {name: figure.get("words", NOT_IN_PAPER) for name, figure in self.data["figures"].items()}
        return {name: Figure(f"{self.name}/{study}", title, make, words.get(name, NOT_IN_PAPER), axis, self.facts_of(study),
                             self.module.STUDIES[study], self.values(name))
                for name, (study, title, make, axis) in self.module.FIGURES.items()}

    def table(self, figure, sweep):
        return self.figures[figure].make(sweep)


def _texts():
    """The texts of the papers' files, by paper and by file name."""
    if CARRIED:
        return CARRIED
    inside = importlib.resources.files(__package__).joinpath("studies")
    root = inside if inside.is_dir() else pathlib.Path(__file__).resolve().parents[2] / "studies"
    folders = [folder for folder in root.iterdir() if folder.joinpath("paper.json").is_file()] if root.is_dir() else []
    return {folder.name: {name: folder.joinpath(name).read_text(encoding="utf-8") for name in FILES} for folder in folders}


@functools.cache
def papers():
    """All papers by name, in the order of the names."""
    return {name: Paper(name, texts) for name, texts in sorted(_texts().items())}


def of(name):
    """The paper whose folder has this name, or whose figures.py is the module of this name."""
    return papers()[name.rsplit(".", 1)[-1]]
