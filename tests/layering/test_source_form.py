#!/usr/bin/env python3
"""Tests source_form.py: it finds each fault, and nothing in what has the form."""

import pathlib
import sys
import tempfile

import source_form

GOOD = '''
#define LOOP(x) for (;;) x
// if (a) b;
void f() {
    if (a) { return; }
    if constexpr (b(c, {1, 2})) {
        for (int i = 0; i < 3; ++i) { g([&] { return i; }); }
    } else if (d) [[unlikely]] {
        do { ++a; } while (a < 3);
    } else {
        while (next()) {}
        while (next());
    }
    text(R"(if (a) b;)", "while (a) b;", '"');
    const int sum = 1 + a;  // "a" + b
}
namespace lookahead::gpu {
}
'''
BAD = ["if (a) return;", "if (a) { b(); } else c();", "for (auto x : y) z();", "while (a) b();", "do ++a; while (a < 3);",
       "for (auto x : y)\n    if (a) { b(); }", "if (a) [[likely]] b();", "h([&] { if (a) b(); });", "// " + "x" * 118,
       'return "a" + b;', 'return b + "a";', "namespace lookahead::elsewhere {"]


def faults(text, folder):
    path = pathlib.Path(folder) / "sample.cpp"
    path.write_text(text)
    return [line for line, _ in source_form.faults_of(path)]


def main() -> int:
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        if faults(GOOD, folder):
            failures.append(f"good text: lines {faults(GOOD, folder)}")
        failures += [f"not found: {text}" for text in BAD if faults("void f() {\n" + text + "\n}\n", folder) != [2]]
    if source_form.strangers(["core/a.h", "README.md", "left.h5", "core/b.h"]) != ["left.h5"]:
        failures.append("strangers at the top level")
    print("\n".join(failures) or f"{len(BAD)} faults found")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
