"""Points of mutation in the sources are conjuncts, and the check of that refuses any other form."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import point_form  # noqa: E402

GOOD = """
if (full() && LOOKAHEAD_RULE(a)) [[unlikely]] {}
if (LOOKAHEAD_RULE(a) && is_ready(x ? 1 : 2) && !done) return;
if (const auto copies = valid & sectors; copies != 0 && LOOKAHEAD_RULE(a)) {}
} else if (LOOKAHEAD_RULE(a) && x) {
for (unsigned left = all; left != 0 && LOOKAHEAD_RULE(a); --left) {}
while (LOOKAHEAD_RULE(a) && x == y) {}
const bool holds = LOOKAHEAD_RULE(a) && x < y;
return x && y && LOOKAHEAD_RULE(a);
return tainted || (LOOKAHEAD_RULE(a) && guarded && after[at]);
f(x && LOOKAHEAD_RULE(a), y);
take(x && LOOKAHEAD_RULE(a)) ? 1 : 2;
case 1: return x && LOOKAHEAD_RULE(a);
// if (!LOOKAHEAD_RULE(a)) {}
#define POINT LOOKAHEAD_RULE(a)
"""

BAD = {
    "is negated": [
        "if (!LOOKAHEAD_RULE(a)) {}", "if (x && !LOOKAHEAD_RULE(a)) {}", "if (x || !LOOKAHEAD_RULE(a)) {}",
        "n += !LOOKAHEAD_RULE(a);"],
    "is in a condition that is negated": [
        "if (!(LOOKAHEAD_RULE(a) && x)) {}", "if (y && !(LOOKAHEAD_RULE(a) && x)) {}", "if (!((LOOKAHEAD_RULE(a) && x) || y)) {}"],
    "is in a choice by ?:": [
        "n = LOOKAHEAD_RULE(a) && x ? 1 : 2;", "n = (LOOKAHEAD_RULE(a) && x) ? 1 : 2;", "n = x ? LOOKAHEAD_RULE(a) && y : z;",
        "n = x ? z : LOOKAHEAD_RULE(a) && y;", "n = x ? z : (LOOKAHEAD_RULE(a) && y);"],
    "is combined by ||": [
        "if (x || LOOKAHEAD_RULE(a)) {}", "if (x && LOOKAHEAD_RULE(a) || y) {}"],
    "has no condition beside it": [
        "if (LOOKAHEAD_RULE(a)) {}", "return LOOKAHEAD_RULE(a);", "n = LOOKAHEAD_RULE(a);", "n += LOOKAHEAD_RULE(a);",
        "f(x, LOOKAHEAD_RULE(a));", "n = LOOKAHEAD_RULE(a) ? 1 : 2;", "if (LOOKAHEAD_RULE(a) && LOOKAHEAD_RULE(b)) {}",
        "switch (x) { case 1: return LOOKAHEAD_RULE(a); }", "for (; LOOKAHEAD_RULE(a);) {}"],
    "is an operand of another operator than &&": [
        "if (x && y + LOOKAHEAD_RULE(a)) {}", "if (x && LOOKAHEAD_RULE(a) == y) {}", "n = x & LOOKAHEAD_RULE(a);"],
}


class Forms(unittest.TestCase):
    def test_all_points_of_the_product_are_conjuncts(self):
        for folder in point_form.FOLDERS:
            for path in (point_form.SOURCE / folder).rglob("*.cpp"):
                self.assertEqual(list(point_form.faults_of(path.read_text())), [], path)

    def test_conjuncts_are_accepted(self):
        for line in GOOD.strip().splitlines():
            self.assertEqual(list(point_form.faults_of(f"void f() {{\n{line}\n}}")), [], line)

    def test_any_other_form_is_refused_by_name(self):
        for fault, lines in BAD.items():
            for line in lines:
                found = list(point_form.faults_of(f"void f() {{\n{line}\n}}"))
                self.assertTrue(found, line)
                self.assertEqual({where for where, _ in found}, {2}, line)
                self.assertIn(f"LOOKAHEAD_RULE(a) {fault}", [sentence for _, sentence in found], line)


if __name__ == "__main__":
    unittest.main()
