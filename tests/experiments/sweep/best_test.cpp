#include "experiments/sweep/best.h"

#include <doctest/doctest.h>

#include <limits>
#include <string>
#include <vector>

#include "core/error/error.h"
#include "tests/core/error/error_of.h"

namespace lookahead {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

/// Two workloads with three numbers of CTAs and two designs: twelve points, with designs adjacent.
Study study_with(const std::string& best) {
    return parse_study(R"(
workloads = ["a", "b"]
[[axis]]
name = "ctas"
[[axis.value]]
name = "2"
[[axis.value]]
name = "4"
[[axis.value]]
name = "8"
[[axis]]
name = "design"
[[axis.value]]
name = "base"
[[axis.value]]
name = "new"
)" + best,
                       "test", "test.toml");
}

std::vector<SweepPoint> points_of(const Study& study) {
    std::vector<SweepPoint> points;
    for (const std::string& workload : study.workloads) {
        for (const AxisValue& ctas : study.axes[0].values) {
            for (const AxisValue& design : study.axes[1].values) {
                points.push_back({workload, {ctas.name, design.name}, {}, ""});
            }
        }
    }
    return points;
}

/// "workload value point" of each row.
std::vector<std::string> rows(const std::string& best, const std::vector<double>& figures) {
    const Study study = study_with(best);
    std::vector<std::string> texts;
    for (const BestRow& row : best_rows(study, study.bests[0], points_of(study), figures)) {
        texts.push_back(row.workload + " " + row.value + " " + std::to_string(row.point));
    }
    return texts;
}

using Rows = std::vector<std::string>;

const std::string kOpt = "[[best]]\nname = \"opt\"\naxis = \"ctas\"\n";
//                                    a: 2        4        8        b: 2        4        8
const std::vector<double> kCycles{90, 40, 70, 50, 80, 60, 30, 95, 20, 85, 10, 99};

TEST_CASE("without pinned axes every design has a best of its own") {
    CHECK(rows(kOpt, kCycles) == Rows{"a 4 2", "a 2 1", "b 8 10", "b 4 9"});
}

TEST_CASE("the choice among the points of one design holds for the others") {
    CHECK(rows(kOpt + "among = [\"design=base\"]\n", kCycles) == Rows{"a 4 2", "a 4 3", "b 8 10", "b 8 11"});
    CHECK(rows(kOpt + "among = [\"design=new\"]\n", kCycles) == Rows{"a 2 0", "a 2 1", "b 4 8", "b 4 9"});
}

TEST_CASE("most chooses the largest figure, and values restricts the candidates") {
    CHECK(rows(kOpt + "choose = \"most\"\n", kCycles) == Rows{"a 2 0", "a 8 5", "b 2 6", "b 8 11"});
    CHECK(rows(kOpt + "values = [\"2\", \"8\"]\namong = [\"design=base\"]\n", kCycles) ==
          Rows{"a 8 4", "a 8 5", "b 8 10", "b 8 11"});
}

TEST_CASE("of equal figures the first in the axis's order is chosen") {
    CHECK(rows(kOpt, std::vector<double>(12, 7.0)) == Rows{"a 2 0", "a 2 1", "b 2 6", "b 2 7"});
}

TEST_CASE("points without a figure are never chosen, and counted") {
    std::vector<double> figures = kCycles;
    figures[2] = kNone;
    for (std::size_t i = 6; i < 12; i += 2) { figures[i] = kNone; }
    CHECK(rows(kOpt, figures) == Rows{"a 8 4", "a 2 1", "b  -1", "b 4 9"});
    const Study study = study_with(kOpt);
    const auto found = best_rows(study, study.bests[0], points_of(study), figures);
    CHECK(found[0].complete == 2);
    CHECK(found[0].candidates == 3);
    CHECK(found[2].complete == 0);
}

TEST_CASE("a fault of a best is named with its place and what would be right") {
    const auto message = [](const std::string& best) { return test::error_of<InputError>([&] { study_with(best); }); };
    CHECK(
        message(kOpt + "metric = \"cycels\"\n").find("test.toml:20:10: unknown metric 'cycels': did you mean cycles") ==
        0);
    CHECK(message("[[best]]\nname = \"opt\"\naxis = \"cta\"\n").find("one of the study's") != std::string::npos);
    CHECK(message(kOpt + "values = [\"3\"]\n").find("the axis 'ctas' has no value '3'") != std::string::npos);
    CHECK(message(kOpt + "among = [\"ctas=2\"]\n").find("does not name another axis") != std::string::npos);
    CHECK(message(kOpt + "among = [\"design=bas\"]\n").find("did you mean base") != std::string::npos);
    CHECK(message(kOpt + "choose = \"best\"\n").find("give least or most") != std::string::npos);
    CHECK(message(kOpt + kOpt).find("'opt' appears twice") != std::string::npos);
}

}  // namespace
}  // namespace lookahead
