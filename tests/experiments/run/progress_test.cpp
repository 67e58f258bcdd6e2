#include "experiments/run/progress.h"

#include <doctest/doctest.h>

namespace lookahead {
namespace {

TEST_CASE("a progress line says which launch runs, of how many where that is known, by the name in the source") {
    ProgressReport report;
    CHECK(place_text(report) == "between kernels");
    report.kernel = "_Z5scalePfi";
    report.launch = 3;
    report.kernel_fraction = 0.25;
    CHECK(place_text(report) == "kernel 3 'scale(float*, int)' 25.0 %");
    report.launches = 10;
    CHECK(place_text(report) == "kernel 3 of 10 'scale(float*, int)' 25.0 %");
}

}  // namespace
}  // namespace lookahead
