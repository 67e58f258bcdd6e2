// The mesh of workload cfd is consistent: sides meet, and a uniform flow stays uniform.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "experiments/workloads/cfd/mesh.h"
#include "tests/support/seed.h"

namespace lookahead::workloads::cfd {
namespace {

std::uint32_t seed() {
    static const auto seed = static_cast<std::uint32_t>(test::random_seed()) | 1u;
    return seed;
}

constexpr std::int64_t kSides = TetrahedralMesh::kSides;
/// With a partial last layer of cubes, with a full one, and with a single layer.
constexpr std::int64_t kElements[] = {6, 192, 384, 6 * 125, 6 * 333};

struct View {
    const TetrahedralMesh& mesh;
    std::int64_t n = static_cast<std::int64_t>(mesh.volumes().size());

    std::int32_t neighbour(std::int64_t i, std::int64_t side) const { return mesh.neighbours()[i + side * n]; }
    float normal(std::int64_t i, std::int64_t side, std::int64_t axis) const {
        return mesh.normals()[i + (side + axis * kSides) * n];
    }
    double area(std::int64_t i, std::int64_t side) const {
        return std::hypot(double{normal(i, side, 0)}, double{normal(i, side, 1)}, double{normal(i, side, 2)});
    }
};

TEST_CASE("an element's neighbour at a side has it as neighbour, there with the opposite of its normal") {
    for (const std::int64_t elements : kElements) {
        const TetrahedralMesh mesh(elements, seed());
        const View view{mesh};
        REQUIRE(view.n == elements);
        bool good = true;
        for (std::int64_t i = 0; i < elements; ++i) {
            for (std::int64_t side = 0; side < kSides; ++side) {
                const std::int32_t other = view.neighbour(i, side);
                if (other < 0) {
                    good = good && (other == TetrahedralMesh::kWing || other == TetrahedralMesh::kFarField);
                    continue;
                }
                std::int64_t back = 0;
                while (back < kSides && view.neighbour(other, back) != i) { ++back; }
                good = good && other < elements && other != i && back < kSides;
                for (std::int64_t axis = 0; good && axis < 3; ++axis) {
                    good = std::abs(view.normal(i, side, axis) + view.normal(other, back, axis)) <=
                           1e-6 * view.area(i, side);
                }
            }
        }
        CHECK(good);
    }
}

TEST_CASE("an element's sides enclose it") {
    for (const std::int64_t elements : kElements) {
        const TetrahedralMesh mesh(elements, seed());
        const View view{mesh};
        double worst = 0;
        for (std::int64_t i = 0; i < elements; ++i) {
            double all = 0;
            for (std::int64_t side = 0; side < kSides; ++side) { all += view.area(i, side); }
            for (std::int64_t axis = 0; axis < 3; ++axis) {
                double sum = 0;
                for (std::int64_t side = 0; side < kSides; ++side) { sum += double{view.normal(i, side, axis)}; }
                worst = std::max(worst, std::abs(sum) / all);
            }
        }
        CHECK(worst < 1e-6);
        CHECK(*std::ranges::min_element(mesh.volumes()) > 0);
    }
}

TEST_CASE("there is a wing, in one piece of the numbers, and a far field around the mesh") {
    const TetrahedralMesh mesh(24'576, seed());
    const auto count = [&](std::int32_t what) { return std::ranges::count(mesh.neighbours(), what); };
    // 16 cubes per side: a plate of 8 x 11 cubes has two faces of 88 squares and an edge of 38, with two sides each.
    CHECK(count(TetrahedralMesh::kWing) == 2 * (2 * 88 + 38));
    CHECK(count(TetrahedralMesh::kFarField) > 2 * 4 * 16 * 16);
}

}  // namespace
}  // namespace lookahead::workloads::cfd
