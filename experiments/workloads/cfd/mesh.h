#pragma once

#include "experiments/workloads/sized_workload.h"

namespace lookahead::workloads::cfd {

/// A mesh of tetrahedra around a wing, with the suite's layout: structures of arrays, in each the first side of all
/// elements, then the second, and so on.
///
/// The space is a grid of cubes of six tetrahedra each (Kuhn's division, the same in every cube, so that sides meet).
/// Vertices are moved at random, by less than would turn a tetrahedron inside out. The wing is a plate of missing
/// cubes; the far field lies outside the outer cubes. Elements are numbered cube by cube.
///
/// The area vectors of an element's sides add up to zero except for rounding, and two neighbours have that of their
/// common side with opposite signs. So a uniform flow stays uniform, except for the effect of the wing.
class TetrahedralMesh {
  public:
    static constexpr std::int32_t kWing = -1, kFarField = -2;
    static constexpr std::int64_t kSides = 4, kOfCube = 6;

    /// `elements` must be a multiple of kOfCube.
    TetrahedralMesh(std::int64_t elements, std::uint32_t seed) : n_(elements), side_(side_for(elements / kOfCube)) {
        find_cubes();
        const std::vector<float> moves =
            XorShift32(seed).floats(3 * (side_ + 1) * (side_ + 1) * (layers_ + 1), -kMove, kMove);
        neighbours_.resize(kSides * n_);
        normals_.resize(3 * kSides * n_);
        volumes_.resize(n_);
        for (std::int64_t cube = 0, i = 0; cube < static_cast<std::int64_t>(first_.size()); ++cube) {
            if (first_[cube] < 0) { continue; }
            for (const Axes& axes : kDivision) { add_element(i++, place_of(cube), axes, moves); }
        }
    }

    /// [side][element]: an element, kWing or kFarField.
    const std::vector<std::int32_t>& neighbours() const { return neighbours_; }
    /// [coordinate][side][element]: the side's area along its normal, which points inwards.
    const std::vector<float>& normals() const { return normals_; }
    const std::vector<float>& volumes() const { return volumes_; }

  private:
    using Vector = std::array<double, 3>;
    using Place = std::array<std::int64_t, 3>;
    /// A tetrahedron goes from a cube's first vertex to its last along edges, with the axes in this order.
    using Axes = std::array<std::uint8_t, 3>;

    /// Length of a cube's edge: the suite's local time steps are stable by a factor of about two.
    static constexpr double kEdge = 0.05;
    static constexpr float kMove = 0.1f;  ///< of an edge, in each coordinate
    static constexpr std::array<Axes, kOfCube> kDivision{
        {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}};

    static std::int64_t side_for(std::int64_t cubes) {
        std::int64_t side = 1;
        while ((side + 1) * (side + 1) * (side + 1) <= cubes) { ++side; }
        return side;
    }

    bool is_wing(const Place& p) const {
        return p[2] == side_ / 2 && p[0] >= side_ / 4 && p[0] < side_ - side_ / 4 && p[1] >= side_ / 8 &&
               p[1] < side_ - side_ / 8 - 1;
    }

    Place place_of(std::int64_t cube) const { return {cube % side_, cube / side_ % side_, cube / (side_ * side_)}; }

    /// Numbers cubes row by row and layer by layer until there are enough; the last layer may be incomplete.
    void find_cubes() {
        std::int64_t elements = 0;
        while (elements < n_) {
            const bool wing = is_wing(place_of(static_cast<std::int64_t>(first_.size())));
            first_.push_back(wing ? kWing : s32(elements));
            if (!wing) { elements += kOfCube; }
        }
        layers_ = place_of(static_cast<std::int64_t>(first_.size()) - 1)[2] + 1;
    }

    /// The first element of a cube, or kWing or kFarField in its place.
    std::int32_t first_at(const Place& p) const {
        if (p[0] < 0 || p[0] >= side_ || p[1] < 0 || p[1] >= side_ || p[2] < 0) { return kFarField; }
        const std::int64_t cube = (p[2] * side_ + p[1]) * side_ + p[0];
        return cube < static_cast<std::int64_t>(first_.size()) ? first_[cube] : kFarField;
    }

    static std::int32_t element_of(std::int32_t first, const Axes& axes) {
        std::int32_t number = 0;
        while (kDivision[number] != axes) { ++number; }
        return first < 0 ? first : first + number;
    }

    Vector vertex(const Place& p, const std::vector<float>& moves) const {
        const std::size_t at = 3 * ((p[2] * (side_ + 1) + p[1]) * (side_ + 1) + p[0]);
        Vector v;
        for (std::size_t k = 0; k < 3; ++k) { v[k] = kEdge * (static_cast<double>(p[k]) + double{moves[at + k]}); }
        return v;
    }

    void add_element(std::int64_t i, const Place& cube, const Axes& axes, const std::vector<float>& moves) {
        std::array<Vector, 4> corners;
        Place at = cube;
        corners[0] = vertex(at, moves);
        for (std::size_t k = 0; k < 3; ++k) {
            ++at[axes[k]];
            corners[k + 1] = vertex(at, moves);
        }
        // Side j is opposite corner j. The first belongs to the next cube along the first axis, the last to the
        // previous cube along the last axis; the others are sides of tetrahedra in this cube.
        Place next = cube, before = cube;
        ++next[axes[0]];
        --before[axes[2]];
        const std::int32_t here = first_at(cube);
        const std::array<std::int32_t, kSides> neighbours{
            element_of(first_at(next), {axes[1], axes[2], axes[0]}), element_of(here, {axes[1], axes[0], axes[2]}),
            element_of(here, {axes[0], axes[2], axes[1]}), element_of(first_at(before), {axes[2], axes[0], axes[1]})};
        for (std::int64_t j = 0; j < kSides; ++j) {
            const Vector& a = corners[(j + 1) % 4];
            Vector normal = product(minus(corners[(j + 2) % 4], a), minus(corners[(j + 3) % 4], a));
            const double inwards = dot(normal, minus(corners[j], a));
            for (std::int64_t k = 0; k < 3; ++k) {
                normals_[i + (j + k * kSides) * n_] = static_cast<float>(inwards < 0 ? -normal[k] / 2 : normal[k] / 2);
            }
            neighbours_[i + j * n_] = neighbours[j];
            volumes_[i] = static_cast<float>((inwards < 0 ? -inwards : inwards) / 6);
        }
    }

    static Vector minus(const Vector& a, const Vector& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
    static double dot(const Vector& a, const Vector& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
    static Vector product(const Vector& a, const Vector& b) {
        return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
    }

    std::int64_t n_;
    std::int64_t side_;  ///< cubes along x, and along y
    std::int64_t layers_ = 0;
    std::vector<std::int32_t> first_;  ///< by cube: its first element, or kWing
    std::vector<std::int32_t> neighbours_;
    std::vector<float> normals_, volumes_;
};

}  // namespace lookahead::workloads::cfd
