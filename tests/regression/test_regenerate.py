#!/usr/bin/env python3
"""Tests tests/regenerate with a table of its own, and that the repository's table has all files that scripts write."""

import contextlib
import importlib.machinery
import importlib.util
import io
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
loader = importlib.machinery.SourceFileLoader("regenerate", str(ROOT / "tests/regenerate"))
regenerate = importlib.util.module_from_spec(importlib.util.spec_from_loader("regenerate", loader))
loader.exec_module(regenerate)

TABLE = """
[dear]
files = ["dear.csv"]
make = "cp source.txt dear.csv && echo dear >> order"
behaviour = "gtx480"
minutes = 60
[page]
files = ["page.md#table"]
make = "test -e broken && exit 3; cp dear.csv page.md; echo page >> order"
check = "cmp dear.csv page.md"
behaviour = "gtx480"
needs = ["dear.csv"]
minutes = 1
["copy/{0}"]
each = "texts/*.txt"
files = ["copies/{0}.txt"]
make = "cp texts/{0}.txt copies/{0}.txt && echo {0} >> order"
check = "cmp texts/{0}.txt copies/{0}.txt"
exact = true
needs = ["texts/{0}.txt"]
minutes = 2
[figure]
files = ["figure.csv"]
by_hand = "draw it"
needs = ["source.txt"]
"""
ALL_IN_ORDER = ["a", "b", "dear", "page"]


class Results:
    """Stands for a program; its results are one word."""

    def __init__(self, word="first"):
        self.word, self.built_anew = word, False

    def is_of_another_build(self):
        return self.built_anew

    def of(self, product):
        return self.word if product.behaviour else ""

    def revision(self):
        return f"revision of {self.word}"


class RegenerateTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root, self.results = pathlib.Path(folder.name), Results()
        for name, text in {"tests/regenerate.toml": TABLE, "source.txt": "figures\n", "texts/a.txt": "a\n",
                           "texts/b.txt": "b\n", "copies/old.txt": "", "dear.csv": "", "page.md": ""}.items():
            (self.root / name).parent.mkdir(exist_ok=True)
            (self.root / name).write_text(text)

    def call(self, *words):
        """The exit code, and what is printed."""
        said = io.StringIO()
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            try:
                code = regenerate.main(list(words), self.root, self.results)
            except SystemExit as end:
                code = end.code
        return code, said.getvalue()

    def states(self):
        catalogue = regenerate.Catalogue(self.root, self.results)
        return {name: catalogue.state(product) for name, product in catalogue.products.items()}

    def made(self):
        """What has been made since the last call of this, in order."""
        order = self.root / "order"
        names = order.read_text().split() if order.exists() else []
        order.unlink(missing_ok=True)
        return names

    def test_cheapest_first_and_a_page_behind_what_it_is_made_of(self):
        code, said = self.call("--make")
        self.assertEqual((code, self.made()), (0, ALL_IN_ORDER), said)
        self.assertIn("4 made, 0 failed", said)
        self.assertEqual({name for name, state in self.states().items() if state != regenerate.CURRENT}, {"figure"})

    def test_what_is_current_is_not_made_again(self):
        self.call("--make")
        self.made()
        self.assertEqual(self.call("--make")[0], 0)
        self.assertEqual(self.call("--make", "dear"), (0, "dear is current\n0 made, 0 failed\n"))
        self.assertEqual(self.made(), [])

    def test_an_interrupted_call_goes_on(self):
        done = regenerate.Catalogue.run

        def interrupted(catalogue, product, command, made_of):
            if product.name == "dear":
                raise KeyboardInterrupt
            return done(catalogue, product, command, made_of)
        regenerate.Catalogue.run = interrupted
        self.addCleanup(setattr, regenerate.Catalogue, "run", done)
        self.assertRaises(KeyboardInterrupt, self.call, "--make")
        self.assertEqual(self.made(), ["a", "b"])
        regenerate.Catalogue.run = done
        self.call("--make")
        self.assertEqual(self.made(), ["dear", "page"])

    def test_states(self):
        self.assertEqual(set(self.states().values()), {regenerate.UNKNOWN})
        self.call("--make")
        self.results.word = "second"
        self.assertEqual(self.states()["dear"], regenerate.BEHAVIOUR)
        self.assertEqual(self.states()["copy/a"], regenerate.CURRENT)
        self.results.word = "first"
        (self.root / "texts/a.txt").write_text("another a\n")
        states = self.states()
        self.assertEqual((states["copy/a"], states["copy/b"], states["dear"]),
                         (regenerate.FILES, regenerate.CURRENT, regenerate.CURRENT))
        code, said = self.call()
        self.assertEqual(code, 0)
        self.assertRegex(said, r"older than its files +\d+ s  copy/a\n")
        self.assertRegex(said, r"current +\d+ s  dear, of program revision of first\n")

    def test_without_a_program_nothing_that_depends_on_it_is_current_or_made(self):
        self.call("--make")
        self.made()
        self.results.word = None
        self.assertEqual(self.states()["dear"], regenerate.UNKNOWN)
        code, said = self.call("--make", "dear")
        self.assertEqual((code, self.made()), (1, []))
        self.assertIn("dear: needs the program, and there is no ", said)

    def test_a_program_that_is_built_anew_ends_the_call(self):
        self.results.built_anew = True
        code, said = self.call("--make")
        self.assertEqual((code, self.made()), (1, ["a", "b", "dear"]))
        self.assertIn("dear: the program was built anew meanwhile; call again", said)
        self.assertEqual(self.states()["dear"], regenerate.UNKNOWN)

    def test_a_section_of_a_page_is_a_need_by_itself(self):
        (self.root / "tests/regenerate.toml").write_text(
            TABLE + '[other]\nfiles = ["o"]\nmake = "true"\nneeds = ["two.md#first"]\n')
        page = ("<!-- first: made by x -->\n{}\n<!-- end of first -->\n"
                "<!-- second: made by x -->\n{}\n<!-- end of second -->\n")
        (self.root / "two.md").write_text(page.format(1, 2))
        self.call("--make", "other")
        (self.root / "two.md").write_text(page.format(1, 3))
        self.assertEqual(self.states()["other"], regenerate.CURRENT)
        (self.root / "two.md").write_text(page.format(0, 3))
        self.assertEqual(self.states()["other"], regenerate.FILES)

    def test_a_failure_is_told_and_stops_nothing_else(self):
        (self.root / "broken").write_text("")
        code, said = self.call("--make")
        self.assertEqual((code, self.made()), (1, ["a", "b", "dear"]))
        self.assertIn("page: failed with exit code 3", said)
        self.assertIn("3 made, 1 failed: page", said)
        self.assertEqual(self.states()["page"], regenerate.UNKNOWN)
        (self.root / "broken").unlink()
        self.assertEqual(self.call("--make")[0], 0)
        self.assertEqual(self.made(), ["page"])

    def test_pages_end_with_their_program(self):
        self.call("--make")
        line = "\n\nProgram of the tables: revision of first.\n"
        self.assertEqual((self.root / "page.md").read_text(), "figures" + line)
        catalogue = regenerate.Catalogue(self.root, self.results)
        catalogue.remember(catalogue.products["page"], {"behaviour": "", "files": ""}, program="2")
        self.assertEqual((self.root / "page.md").read_text(), "figures\n\nProgram of the tables: 2.\n")
        self.assertIn("page.md: does not end with 'Program of the tables: 2.'", self.after_a_change_of_the_page())

    def after_a_change_of_the_page(self):
        (self.root / "page.md").write_text("figures\n")
        code, said = self.call("--check", "page")
        self.assertEqual(code, 1)
        return said

    def test_the_line_names_products_of_other_programs(self):
        (self.root / "tests/regenerate.toml").write_text(TABLE + """
[more]
files = ["page.md#more"]
make = "true"
behaviour = "gtx480"
[still_more]
files = ["page.md#still_more"]
make = "true"
behaviour = "gtx480"
""")
        self.call("--make", "page", "dear")
        self.assertTrue((self.root / "page.md").read_text().endswith(
            "Programs of the tables: revision of first; more, still_more: unknown.\n"))

    def test_checks(self):
        code, said = self.call("--check", "copy/*")
        self.assertEqual(code, 1)
        self.assertIn("2 failed: copy/a, copy/b", said)
        for name in ("a", "b"):
            (self.root / f"copies/{name}.txt").write_text(f"{name}\n")
        self.assertEqual(self.call("--check", "copy/*")[0], 0)
        self.assertEqual(self.states()["copy/a"], regenerate.CURRENT, "an exact check shows that it is")
        self.assertEqual(self.call("--check", "page")[0], 0)
        self.assertEqual(self.states()["page"], regenerate.UNKNOWN, "another check does not")

    def test_what_is_made_by_hand(self):
        self.assertIn("figure is made by hand: draw it", self.call("--make", "figure")[1])
        self.assertEqual(self.call("--made", "figure")[0], 0)
        self.assertEqual(self.states()["figure"], regenerate.CURRENT)
        code, said = self.call("--made", "dear")
        self.assertEqual(code, 2)
        self.assertIn("dear is not made by hand; --make makes it", said)

    def test_unknown_names(self):
        for words in (["--make", "deer"], ["--check", "deer"], ["--made", "deer"], ["deer"], ["--make", "dear", "x*"]):
            code, said = self.call(*words)
            self.assertEqual(code, 2)
            self.assertRegex(said, "^regenerate: there is no product '.*'; `tests/regenerate` lists their names\n$")
        self.assertEqual(self.made(), [])


MARK = re.compile(r"<!-- (\S+): (?:made|written) by (\S+) -->")
# Scripts that write files of the repository have one of these options, or this name.
WRITES = re.compile(r"""^\s+\w+\.add_argument\("--(?:write|update|regenerate)\"""", re.M)


@unittest.skipUnless((ROOT / ".git").exists(), "not in a repository")
class TableTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
        cls.files = [name for name in listed.splitlines() if (ROOT / name).is_file()]
        with tempfile.TemporaryDirectory() as folder:
            cls.catalogue = regenerate.Catalogue(ROOT, Results(), program=pathlib.Path(folder) / "none")
        cls.products = list(cls.catalogue.products.values())

    def commands_for(self, file, section=""):
        """The commands that make the file or its section."""
        def has(path):
            return pathlib.PurePath(file).match(path.split("#")[0]) and path.partition("#")[2] in ("", section)
        return [each.make + each.by_hand for each in self.products if any(map(has, each.files))]

    def test_every_marked_part_of_a_page(self):
        lacking, count = [], 0
        for name in self.files:
            if name.endswith(".md"):
                for section, script in MARK.findall((ROOT / name).read_text()):
                    count += 1
                    if not any(script in command for command in self.commands_for(name, section)):
                        lacking.append(f"{name}#{section}, which says that {script} makes it")
        self.assertGreater(count, 100)
        self.assertEqual(lacking, [])

    def test_every_script_that_writes(self):
        commands = " ".join(each.make + each.by_hand for each in self.products)
        scripts = [name for name in self.files if "." not in pathlib.PurePath(name).name or name.endswith(".py")]
        writing = [name for name in scripts if pathlib.PurePath(name).name.startswith("regenerate_")
                   or WRITES.search((ROOT / name).read_text(errors="replace"))]
        lacking = [name for name in writing if name not in commands]
        self.assertGreater(len(writing), 8)
        # It has the option --update for the programs that write pages with it.
        self.assertEqual(lacking, ["tests/support/statement_page.py"])

    def test_every_file_that_a_tool_makes(self):
        made = [name for name in self.files if re.search(r"\.capture\.h5$|/results/\w+\.csv$|\.tar\.xz$", name)
                or name.endswith(".ptx") and "Generated by NVIDIA NVVM Compiler" in (ROOT / name).read_text()
                and list((ROOT / name).parent.glob("*.cu"))]
        self.assertGreater(len(made), 100)
        self.assertEqual([name for name in made if not self.commands_for(name)], [])

    def test_every_page_that_says_that_a_script_writes_it(self):
        says = re.compile(r"`?--(?:update|write)`?\s(?:\w+ and )?(?:writes|makes)|[Mm]ade by `\w+ --update`"
                          r"|writes the tables of this page")
        pages = [name for name in self.files if name.endswith(".md") and says.search((ROOT / name).read_text())]
        self.assertGreater(len(pages), 5)
        self.assertEqual([name for name in pages if not any(name in each.pages() for each in self.products)], [])

    def test_files_and_scripts_are_there(self):
        for product in self.products:
            for path in product.files:
                self.assertTrue(list(ROOT.glob(path.split("#")[0])), f"{product.name}: {path}")
                if "#" in path:
                    regenerate.section_of((ROOT / path.split("#")[0]).read_text(), path.split("#")[1])
            self.assertNotEqual(bool(product.make), bool(product.by_hand), product.name)
            self.catalogue.hash_of_needs(product)
            script = r"(?<!\})\b\w[\w/]+/(?:\w+\.py|characterise|measure_\w+|undecoupled|regenerate\w*)"
            for word in re.findall(script, f"{product.make} {product.check}"):
                self.assertTrue((ROOT / word).exists(), f"{product.name}: {word}")

    def test_points_of_behaviour_are_those_of_the_table_of_results(self):
        for product in self.products:
            if product.behaviour:
                self.assertTrue(regenerate.Behaviour.points(product))
        self.assertRaises(SystemExit, regenerate.Behaviour.points, product._replace(behaviour="gtx480|gtx48"))

    def test_the_record_has_products_alone(self):
        self.assertEqual([name for name in self.catalogue.record if name not in self.catalogue.products], [])
        text = (ROOT / "tests/regenerate.json").read_text()
        self.assertEqual(json.loads(text), self.catalogue.record)


if __name__ == "__main__":
    unittest.main()
