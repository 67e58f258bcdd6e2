#!/usr/bin/env python3
"""`annotate`: its rows have all that the result file counts by instruction, by line too; what it cannot show is refused."""

import json
import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "support"))
import lookahead_process as lookahead  # noqa: E402

import h5py  # noqa: E402

WAITS = ["turn", "memory_unit", "memory", "constants", "fence", "pipeline", "fetch", "branch", "barrier"]
CUDA = """__global__ void scale(float* values)
{
    values[threadIdx.x] *= 2;
}
"""
PTX = """.version 7.0
.target sm_50
.address_size 64
.visible .entry scale(.param .u64 values) {{
  .reg .b64 %rd<4>; .reg .b32 %r<2>; .reg .f32 %f<3>;
  .loc 1 1 0
  ld.param.u64 %rd1, [values];
  cvta.to.global.u64 %rd1, %rd1;
  .loc 1 3 5
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd2, %r1, 4;
  add.u64 %rd3, %rd1, %rd2;
  ld.global.f32 %f1, [%rd3];
  add.f32 %f2, %f1, %f1;
  st.global.f32 [%rd3], %f2;
  ret;
}}
  .file 1 "{file}"
"""


class AnnotateTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.run_file = cls.folder / "run.h5"
        lookahead.simulate(PROGRAM, ["bfs", "--size", "tiny", "--out", cls.run_file])

    def annotate(self, *arguments, code=0):
        done = lookahead.execute(PROGRAM, ["annotate", *arguments])
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stderr if code else done.stdout

    def rows(self, *arguments):
        return json.loads(self.annotate(*arguments, "--json"))

    def counted(self, path):
        """The file's sums by kernel and counter."""
        with h5py.File(path) as file:
            group = file["instructions"]
            sums = {}
            for kernel, counts in zip(group["kernel"].asstr()[...], group["counts"][...]):
                row = sums.setdefault(kernel, dict.fromkeys(group["counter"].asstr()[...], 0))
                for counter, count in zip(row, counts):
                    row[counter] += int(count)
            return sums

    def test_all_rows_have_all_counts_of_the_file_by_instruction_and_by_line(self):
        for by in ("instruction", "ptx"):
            sums = {}
            for row in self.rows(self.run_file, "--all", "--by", by):
                of = sums.setdefault(row["kernel"], dict.fromkeys(row["counts"], 0))
                for counter, count in row["counts"].items():
                    of[counter] += count
            self.assertEqual(sums, self.counted(self.run_file))

    def test_counts_are_those_of_the_components(self):
        sums = self.counted(self.run_file)
        total = lambda counter: sum(row[counter] for row in sums.values())  # noqa: E731
        with h5py.File(self.run_file) as file:
            of = lambda name: int(file[f"counters/{name}"][...].sum())  # noqa: E731
            self.assertEqual(total("issued"), of("sm/warp_instructions"))
            self.assertEqual(total("lanes"), of("sm/thread_instructions"))
            self.assertEqual(sum(map(total, WAITS)), of("sm/warp_cycles"))
            for name, answer in (("hits", "l1_hits"), ("merges", "l1_merges"), ("misses", "l1_misses")):
                self.assertEqual(total(answer), of(f"l1d/{name}_demand"))
            names = list(file["kernels/name"].asstr()[...])
            for kernel, row in sums.items():
                instructions = [int(n) for name, n in zip(names, file["kernels/warp_instructions"][...]) if name == kernel]
                self.assertEqual(row["issued"], sum(instructions))

    def test_the_costliest_rows_come_first_and_shares_are_of_the_kernel(self):
        rows = self.rows(self.run_file, "--top", "5", "--kernel", "bfs_expand")
        cycles = [sum(row["counts"][wait] for wait in WAITS) for row in rows]
        self.assertEqual(cycles, sorted(cycles, reverse=True))
        self.assertEqual(len(rows), 5)
        lines = self.annotate(self.run_file, "--top", "5", "--kernel", "bfs_expand").splitlines()
        self.assertRegex(lines[0], r"^bfs_expand: \d+ instructions issued; of the warps' \d+ cycles \w+ \d+ %")
        whole = sum(self.counted(self.run_file)["bfs_expand"][wait] for wait in WAITS)
        shown = [float(line.split()[0]) for line in lines[2:]]
        self.assertEqual(shown, [float(f"{100 * each / whole:.1f}") for each in cycles])

    def test_lines_of_cuda_are_shown_with_their_text(self):
        source, ptx, out = (self.folder / name for name in ("scale.cu", "scale.ptx", "scale.h5"))
        source.write_text(CUDA)
        ptx.write_text(PTX.format(file=source))
        lookahead.simulate(PROGRAM, ["ptx", "--set", f"file={ptx}", "--set", "grid=1", "--set", "block=32", "--set", "arguments=f32[32]", "--out", out])
        rows = self.rows(out, "--by", "cuda", "--all")
        lines = CUDA.splitlines()
        self.assertIn(f"{source}:3", [row["place"] for row in rows])
        for row in rows:
            self.assertEqual(row["text"], lines[int(row["place"].removeprefix(f"{source}:")) - 1].strip())
        source.unlink()
        self.assertEqual({row["text"] for row in self.rows(out, "--by", "cuda", "--all")}, {""})

    def test_what_cannot_be_shown_is_refused(self):
        other = self.folder / "other.h5"
        other.write_text("no HDF5")
        for arguments, sentence in (
                ([other], "other.h5"), ([self.folder / "none.h5"], "none.h5"),
                ([self.run_file, "--kernel", "bfs_expant"], "has no kernel bfs_expant: did you mean bfs_expand?"),
                ([self.run_file, "--by", "cuda"], "names no lines of CUDA source: compile the program with nvcc -lineinfo")):
            said = self.annotate(*arguments, code=3)
            self.assertIn(sentence, said)
            self.assertEqual(len(said.strip().splitlines()), 1)
        for arguments in (["--by", "line"], ["--top", "0"]):
            self.annotate(self.run_file, *arguments, code=2)

    def test_a_file_of_an_earlier_program_is_refused(self):
        earlier = self.folder / "earlier.h5"
        earlier.write_bytes(self.run_file.read_bytes())
        with h5py.File(earlier, "r+") as file:
            del file["instructions"]
        self.assertIn("an earlier program wrote it", self.annotate(earlier, code=3))


if __name__ == "__main__":
    PROGRAM = lookahead.program_of_unit_tests(__doc__)
    unittest.main()
