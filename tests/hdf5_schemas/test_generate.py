#!/usr/bin/env python3
"""Tests of hdf5_schemas/generate.py; the argument is the folder of the schemas."""

import copy
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCHEMAS = pathlib.Path(sys.argv.pop(1)) if len(sys.argv) > 1 else pathlib.Path("hdf5_schemas")


def generate(schema):
    """The exit code, the errors and the files' texts by name."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        (root / "run.schema.json").write_text(json.dumps(schema))
        done = subprocess.run([sys.executable, SCHEMAS / "generate.py", "--header-folder", root / "out", "--source",
                               root / "out" / "embedded.cpp", root / "run.schema.json"],
                              capture_output=True, text=True)
        texts = {path.name: path.read_text() for path in (root / "out").glob("*")}
        return done.returncode, done.stderr, texts


class GenerateTest(unittest.TestCase):
    def setUp(self):
        self.schema = json.loads((SCHEMAS / "run.schema.json").read_text())

    def refused(self, change, message):
        schema = copy.deepcopy(self.schema)
        change(schema["root"])
        code, errors, _ = generate(schema)
        self.assertNotEqual(code, 0)
        self.assertIn(message, errors)

    def test_the_header_has_version_names_units_and_descriptions(self):
        code, errors, texts = generate(self.schema)
        self.assertEqual((code, errors), (0, ""))
        header = texts["run_schema.h"]
        self.assertIn(f'kVersion = "{self.schema["version"]}"', header)
        cycles = self.schema["root"]["groups"]["kernels"]["datasets"]["cycles"]
        self.assertIn(f'DatasetName kKernelsCycles{{"cycles", "{cycles["units"]}", "{cycles["description"]}", "cycles"}};', header)
        self.assertIn('"Name of the kernel.", ""};', header)
        self.assertIn('"core cycle"};', header)
        self.assertIn('kStateHashAttribute = "state_hash"', header)

    def test_the_embedded_text_is_the_schema(self):
        text = generate(self.schema)[2]["embedded.cpp"]
        embedded = text.split('R"schema(')[1].split(')schema"')[0]
        self.assertEqual(json.loads(embedded), self.schema)

    def test_a_change_of_the_schema_changes_the_header(self):
        before = generate(self.schema)[2]["run_schema.h"]
        self.schema["root"]["groups"]["kernels"]["datasets"]["cycles"]["units"] = "tick"
        self.assertNotEqual(generate(self.schema)[2]["run_schema.h"], before)

    def test_faulty_schemas_are_refused_with_their_place(self):
        kernels = ["groups", "kernels"]

        def at(root, *path):
            for step in path:
                root = root[step]
            return root

        self.refused(lambda root: at(root, *kernels, "datasets", "cycles").update(type="complex"),
                     "/kernels/cycles: type is not one of")
        self.refused(lambda root: at(root, *kernels, "datasets", "cycles").update(unit="cycle"),
                     "/kernels/cycles: unknown members")
        self.refused(lambda root: at(root, *kernels).pop("description"), "/kernels: there is no description")
        self.refused(lambda root: at(root, *kernels, "datasets", "id").update(dimensions=["row"]),
                     "/kernels/id: a scale has the name of its dimension")
        self.refused(lambda root: at(root, "attributes", "status").pop("description"), "@status: there is no descr")
        self.refused(lambda root: at(root, *kernels, "datasets", "name").update(long_name="name"),
                     "/kernels/name: a long name is of an array of numbers")
        self.refused(lambda root: root["attributes"]["schema_version"].update(values=["9.9"]), "@schema_version")
        for since, message in (("9.9", "/energy: since is not a later minor"), ("1.0", "/energy: since is not a later"),
                               ("new", "/energy: since is not major.minor")):
            self.refused(lambda root, since=since: at(root, "groups", "energy").update(since=since), message)
        self.refused(lambda root: at(root, *kernels, "datasets", "*").update(since="1.1"),
                     "/kernels/*: only a named member has a since")
        self.refused(lambda root: root["groups"]["histograms"]["groups"]["*"]["groups"]["*"]["relations"].append(
            {"dimension": "edges", "is": "nothing", "plus": 1}), "a relation is of unknown dimensions")

    def test_the_change_log_has_the_version(self):
        log = (SCHEMAS / "CHANGELOG.md").read_text()
        self.assertIn(f"## {self.schema['id']}", log)
        self.assertIn(f"**{self.schema['version']}**", log)


if __name__ == "__main__":
    unittest.main()
