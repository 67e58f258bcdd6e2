#include <doctest/doctest.h>

#include "experiments/run/source_lines.h"

namespace lookahead::source_lines_tests {
namespace {

constexpr std::string_view kPtx =
    ".version 9.0\n"
    ".visible .entry first() {\n"
    "  mov.u32 %r1, 0; \r\n"
    "\t.loc\t1 12 5\n"
    "  add.u32 %r1, %r1, 1;\n"
    "  .loc 2 7 1, function_name $info, inlined_at 1 20 3\n"
    "  ret;\n"
    "}\n"
    ".visible .entry second() {\n"
    "  ret;\n"
    "  .loc 3 5 1\n"
    "  .location;\n"
    "}\n"
    "\t.file\t1 \"/home/user/a kernel.cu\", 1700000000, 1234\n"
    "  .file 2 \"inlined.cuh\"\n";

void check_place(const SourceLines& lines, std::uint32_t line, std::string_view file, std::uint32_t cuda_line) {
    CAPTURE(line);
    CHECK(lines.cuda(line).file == file);
    CHECK(lines.cuda(line).line == cuda_line);
}

TEST_CASE("a line's text is given without the space around it") {
    const SourceLines lines(kPtx);
    CHECK(lines.text(1) == ".version 9.0");
    CHECK(lines.text(3) == "mov.u32 %r1, 0;");
    CHECK(lines.text(15) == ".file 2 \"inlined.cuh\"");
    CHECK(lines.text(0).empty());
    CHECK(lines.text(16).empty());
    CHECK(SourceLines("").text(1).empty());
}

TEST_CASE("a .loc holds for the lines after it, to the end of its function") {
    const SourceLines lines(kPtx);
    check_place(lines, 3, "", 0);
    check_place(lines, 5, "/home/user/a kernel.cu", 12);
    check_place(lines, 7, "inlined.cuh", 7);
    check_place(lines, 10, "", 0);
    check_place(lines, 12, "", 0);  // no .file has its number
    check_place(lines, 0, "", 0);
    check_place(lines, 99, "", 0);
}

}  // namespace
}  // namespace lookahead::source_lines_tests
