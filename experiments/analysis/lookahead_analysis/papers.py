"""The papers that are reproduced, found by their place: each folder of experiments/studies that has a paper.json, which
experiments/studies/README.md describes, and a figures.py. An installed package has these files in itself, in `studies`."""

import functools
import importlib.resources
import json
import pathlib
import types
from typing import Callable, NamedTuple

FILES = ("paper.json", "figures.py")
CARRIED = {}  # by paper and name: the files' texts, where there are no files, in the program's `lookahead report`
NOT_IN_PAPER = "not in the paper"


class Figure(NamedTuple):
    """`make` gives the table of a sweep of `study`, whose axes are `axes`; `facts` takes from a result file what it needs.
    `words` and `values` are the paper's, the latter by row and column of the table."""

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
        """Those of a table's workloads that are of each class, in the classes' order; and all of them."""
        kinds = dict.fromkeys(kind for _, kind in self.data["workloads"].values())
        return {kind: [workload for workload in index if workload in self.of_class(kind)] for kind in kinds} | {"all": list(index)}

    def label(self, workload):
        """A workload with the paper's name of it."""
        return f"{workload} ({self.data['workloads'][workload][0]})" if workload in self.data["workloads"] else workload

    def values(self, figure):
        return self.data["figures"].get(figure, {}).get("values", {})

    def said(self, figure, row, column):
        """What the paper has there."""
        return self.values(figure)[row][column]

    @functools.cached_property
    def module(self):
        """figures.py, which has FIGURES, STUDIES and `facts`; and `OWN_FACTS` for the studies that need other facts."""
        module = types.ModuleType(f"{__package__}.studies.{self.name}")
        exec(compile(self.texts["figures.py"], f"studies/{self.name}/figures.py", "exec"), module.__dict__)
        return module

    def facts_of(self, study):
        """What takes the facts out of a result file for this study's figures."""
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
    """By paper and name, the texts of its files."""
    if CARRIED:
        return CARRIED
    inside = importlib.resources.files(__package__).joinpath("studies")
    root = inside if inside.is_dir() else pathlib.Path(__file__).resolve().parents[2] / "studies"
    folders = [folder for folder in root.iterdir() if folder.joinpath("paper.json").is_file()] if root.is_dir() else []
    return {folder.name: {name: folder.joinpath(name).read_text(encoding="utf-8") for name in FILES} for folder in folders}


@functools.cache
def papers():
    """By name, in the order of names."""
    return {name: Paper(name, texts) for name, texts in sorted(_texts().items())}


def of(name):
    """The paper whose folder has this name, or whose figures.py is the module of this name."""
    return papers()[name.rsplit(".", 1)[-1]]
