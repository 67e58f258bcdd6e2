#include "experiments/workloads/comd/files.h"
#include "experiments/workloads/forms.h"

namespace lookahead::workloads::comd {

constexpr std::uint32_t kThreads = 128;
constexpr std::int64_t kCellAtoms = 64;
constexpr double kLattice = 3.615;     // angstrom: copper
constexpr float kCutoff = 4.95f;       // the suite's potential for copper
constexpr float kDisplacement = 0.1f;  // from the lattice points, along each axis
constexpr std::int64_t kTableCount = 500;
constexpr double kDensityRange = 16.0;
constexpr double kPerAngstrom = kTableCount / double{kCutoff}, kPerDensity = kTableCount / kDensityRange;
/// Positions up to 150 angstrom have a rounding error of 8e-6 in single precision; each of 42 neighbours' forces has a
/// slope of some 5.
constexpr double kTolerance = 1e-4;

constexpr std::array<SizedParameter, 2> kParameters{{
    {"side", "unit cell", {3, 7, 20, 40}, 64, "Unit cells of four atoms along each side; 20 in the suite."},
    {"rounds", "round", {1, 1, 1, 2}, 1 << 14, "Computations of the forces."},
}};

class Comd : public SizedWorkload<kParameters, kLoopedAndVectorFormTo8> {
  public:
    LOOKAHEAD_WORKLOAD_OF_VECTOR_FORMS(Comd, comd)

    void run(Device& device) override {
        make_crystal();
        make_cells();
        make_tables();

        Cells cells{device.upload(neighbours_), device.upload(atoms_), device.upload(place_xyz_[0]),
                    device.upload(place_xyz_[1]), device.upload(place_xyz_[2])};
        const std::uint64_t bytes = place_xyz_[0].size() * sizeof(float);
        for (DeviceAddress* results :
             {&cells.force_x, &cells.force_y, &cells.force_z, &cells.energy, &cells.density, &cells.slope}) {
            *results = zeros(device, bytes);
        }
        const auto count = s32(atom_count_);
        const AtomList list{device.upload(atom_cell_), device.upload(atom_place_), count};
        const DeviceAddress images = device.upload(image_cells_), originals = device.upload(original_cells_);
        const auto table = [&](const std::vector<float>& values, double per_unit) {
            return Table{device.upload(values) + sizeof(float), 0.0f, static_cast<float>(per_unit), s32(kTableCount)};
        };
        const Table pair = table(pair_, kPerAngstrom), density = table(density_, kPerAngstrom);
        const Table embedding = table(embedding_, kPerDensity);

        const LaunchConfiguration shape{{blocks_for(atom_count_, kThreads)}, {kThreads}};
        const auto image_count = s32(image_cells_.size());
        for (std::int64_t round = 0; round < rounds_; ++round) {
            device.launch(pairs_kernel_, shape, pack_parameters(cells, list, pair, density, kCutoff));
            device.launch("comd_embed", shape, pack_parameters(cells, list, embedding));
            device.launch("comd_images", {{blocks_for(image_count * kCellAtoms, kThreads)}, {kThreads}},
                          pack_parameters(cells, images, originals, image_count));
            device.launch(densities_kernel_, shape, pack_parameters(cells, list, density, kCutoff));
        }
        const DeviceAddress results[4] = {cells.force_x, cells.force_y, cells.force_z, cells.energy};
        for (int i = 0; i < 4; ++i) { results_[i] = device.download<float>(results[i], place_xyz_[0].size()); }
    }

    CheckReport check() const override {
        std::vector<double> expected[4];
        for (auto& values : expected) { values.assign(atom_count_, 0.0); }
        std::vector<double> slopes(atom_count_);
        for (std::int64_t atom = 0; atom < atom_count_; ++atom) {
            double rho = 0, energy = 0;
            of_neighbours(atom, [&](std::int64_t, const double(&d)[3], double r) {
                const auto [pair, pair_slope] = look_up(pair_, r * kPerAngstrom, kPerAngstrom);
                rho += look_up(density_, r * kPerAngstrom, kPerAngstrom).value;
                energy += 0.5 * pair;
                for (int i = 0; i < 3; ++i) { expected[i][atom] -= pair_slope * d[i] / r; }
            });
            const auto [embedding, slope] = look_up(embedding_, rho * kPerDensity, kPerDensity);
            expected[3][atom] = energy + embedding;
            slopes[atom] = slope;
        }
        for (std::int64_t atom = 0; atom < atom_count_; ++atom) {
            of_neighbours(atom, [&](std::int64_t other, const double(&d)[3], double r) {
                const double rho_slope = look_up(density_, r * kPerAngstrom, kPerAngstrom).slope;
                for (int i = 0; i < 3; ++i) {
                    expected[i][atom] -= (slopes[atom] + slopes[other]) * rho_slope * d[i] / r;
                }
            });
        }
        std::vector<CheckReport> reports;
        const char* const what[4] = {"force along x", "force along y", "force along z", "energy"};
        for (int i = 0; i < 4; ++i) {
            std::vector<float> got;
            for (std::int64_t atom = 0; atom < atom_count_; ++atom) { got.push_back(results_[i][place_of_[atom]]); }
            reports.push_back(compare_close(what[i], got, expected[i], kTolerance));
        }
        return all_of(reports);
    }

  private:
    // The layout in kernel.cu.
    struct Table {
        DeviceAddress values;
        float first, per_unit;
        std::int32_t count;
    };
    struct Cells {
        DeviceAddress neighbours, atoms, x, y, z, force_x = 0, force_y = 0, force_z = 0, energy = 0, density = 0,
                                                  slope = 0;
    };
    struct AtomList {
        DeviceAddress cells, places;
        std::int32_t count;
    };
    struct Looked {
        double value, slope;
    };

    /// Face-centred cubic, numbered by half unit cells; atoms are a quarter unit cell from the borders, and slightly
    /// off the lattice.
    void make_crystal() {
        XorShift32 random(seed());
        const std::int64_t halves = 2 * side_;
        atom_at_.assign(halves * halves * halves, -1);
        points_.clear();
        for (auto& axis : xyz_) { axis.clear(); }
        for (std::int64_t at = 0; at < halves * halves * halves; ++at) {
            const std::array<std::int64_t, 3> point{at % halves, at / halves % halves, at / halves / halves};
            if ((point[0] + point[1] + point[2]) % 2 != 0) { continue; }
            atom_at_[at] = s32(points_.size());
            points_.push_back(point);
            for (int i = 0; i < 3; ++i) {
                const double on_lattice = (static_cast<double>(point[i]) + 0.5) * kLattice / 2;
                xyz_[i].push_back(static_cast<float>(on_lattice + kDisplacement * (2.0 * random.next_float() - 1)));
            }
        }
    }

    /// Inner cells come first, then the surrounding image cells; a cell's atoms are in the order of their numbers.
    void make_cells() {
        const std::int64_t n = cells_, outer = n + 2;
        const double length = static_cast<double>(side_) * kLattice, width = length / static_cast<double>(n);
        // By x, y, z from -1 to n.
        std::vector<std::int32_t> number(outer * outer * outer, -1);
        const auto at = [&](std::int64_t x, std::int64_t y, std::int64_t z) {
            return ((z + 1) * outer + y + 1) * outer + x + 1;
        };
        std::int32_t next = 0;
        std::vector<std::array<std::int64_t, 3>> cells;
        for (const bool inside : {true, false}) {
            for_each_point({-1, -1, -1}, {n + 1, n + 1, n + 1}, [&](auto x, auto y, auto z) {
                const auto is_in = [n](std::int64_t i) { return i >= 0 && i < n; };
                if ((is_in(x) && is_in(y) && is_in(z)) != inside) { return; }
                number[at(x, y, z)] = next++;
                cells.push_back({x, y, z});
            });
        }
        const std::int64_t inside = n * n * n, all = static_cast<std::int64_t>(cells.size());
        neighbours_.clear();
        for (std::int64_t cell = 0; cell < inside; ++cell) {
            for (int i = 0; i < 27; ++i) {
                neighbours_.push_back(
                    number[at(cells[cell][0] + i % 3 - 1, cells[cell][1] + i / 3 % 3 - 1, cells[cell][2] + i / 9 - 1)]);
            }
        }
        atoms_.assign(all, 0);
        for (auto& axis : place_xyz_) { axis.assign(all * kCellAtoms, 0.0f); }
        place_of_.assign(atom_count_, 0);
        for (std::int64_t atom = 0; atom < atom_count_; ++atom) {
            std::int64_t cell[3];
            for (int i = 0; i < 3; ++i) { cell[i] = std::min(static_cast<std::int64_t>(xyz_[i][atom] / width), n - 1); }
            const std::int32_t mine = number[at(cell[0], cell[1], cell[2])];
            place_of_[atom] = mine * kCellAtoms + atoms_[mine]++;
            for (int i = 0; i < 3; ++i) { place_xyz_[i][place_of_[atom]] = xyz_[i][atom]; }
        }
        image_cells_.clear();
        original_cells_.clear();
        for (std::int64_t cell = inside; cell < all; ++cell) {
            std::int64_t wrapped[3];
            for (int i = 0; i < 3; ++i) { wrapped[i] = (cells[cell][i] + n) % n; }
            const std::int32_t original = number[at(wrapped[0], wrapped[1], wrapped[2])];
            image_cells_.push_back(s32(cell));
            original_cells_.push_back(original);
            atoms_[cell] = atoms_[original];
            for (int i = 0; i < 3; ++i) {
                const double shift = length * (cells[cell][i] < 0 ? -1 : cells[cell][i] == n ? 1 : 0);
                for (std::int64_t place = 0; place < atoms_[cell]; ++place) {
                    place_xyz_[i][cell * kCellAtoms + place] =
                        static_cast<float>(place_xyz_[i][original * kCellAtoms + place] + shift);
                }
            }
        }
        atom_cell_.clear();
        atom_place_.clear();
        for (std::int32_t cell = 0; cell < inside; ++cell) {
            for (std::int32_t place = 0; place < atoms_[cell]; ++place) {
                atom_cell_.push_back(cell);
                atom_place_.push_back(place);
            }
        }
    }

    /// The form of Finnis and Sinclair (1984): both functions of distance, and their derivatives, go to 0 at the
    /// cutoff; the embedding energy is minus the root of the density.
    void make_tables() {
        for (auto* table : {&pair_, &density_, &embedding_}) { table->clear(); }
        for (std::int64_t i = -1; i <= kTableCount + 2; ++i) {
            const double r = static_cast<double>(i) * kCutoff / kTableCount, near = std::max(1 - r / kCutoff, 0.0);
            pair_.push_back(static_cast<float>(near * near * (30.0 + r * (-14.0 + r * 1.6))));
            density_.push_back(static_cast<float>(2.0 * near * near));
            const double rho = std::max(static_cast<double>(i), 0.0) * kDensityRange / kTableCount;
            embedding_.push_back(static_cast<float>(-std::sqrt(rho)));
        }
    }

    /// `x` is in steps of the table, `per_unit` steps make one unit of the slope.
    static Looked look_up(const std::vector<float>& table, double x, double per_unit) {
        const std::int64_t i = std::min(static_cast<std::int64_t>(x), kTableCount - 1);
        x -= static_cast<double>(i);
        const double v0 = table[i], v1 = table[i + 1], v2 = table[i + 2], v3 = table[i + 3];
        return {v1 + 0.5 * x * (v2 - v0 + x * (v2 + v0 - 2 * v1)),
                0.5 * (v2 - v0 + x * (v3 - v1 - v2 + v0)) * per_unit};
    }

    /// Calls `visit` for all atoms within the cutoff. Finds them by lattice points instead of cells.
    template <class Visit>
    void of_neighbours(std::int64_t atom, Visit visit) const {
        const std::int64_t halves = 2 * side_;
        constexpr std::int64_t kReach = 2;  // three half unit cells, less the displacements, exceed the cutoff
        const std::array<std::int64_t, 3> least{-kReach, -kReach, -kReach}, end{kReach + 1, kReach + 1, kReach + 1};
        for_each_point(least, end, [&](auto x, auto y, auto z) {
            if ((x + y + z) % 2 != 0 || (x == 0 && y == 0 && z == 0)) { return; }
            const std::int64_t offset[3] = {x, y, z};
            std::int64_t at[3];
            double d[3], r2 = 0;
            for (int i = 0; i < 3; ++i) { at[i] = (points_[atom][i] + offset[i] + 2 * halves) % halves; }
            const std::int64_t other = atom_at_[(at[2] * halves + at[1]) * halves + at[0]];
            for (int i = 0; i < 3; ++i) {
                const std::int64_t image = points_[atom][i] + offset[i] - at[i];
                d[i] = double{xyz_[i][atom]} - xyz_[i][other] - static_cast<double>(image) * kLattice / 2;
                r2 += d[i] * d[i];
            }
            if (r2 <= double{kCutoff} * kCutoff) { visit(other, d, std::sqrt(r2)); }
        });
    }

    const std::int64_t side_ = value(0), rounds_ = value(1), atom_count_ = 4 * side_ * side_ * side_;
    const std::int64_t cells_ = static_cast<std::int64_t>(static_cast<double>(side_) * kLattice / double{kCutoff});
    const std::string pairs_kernel_ = kernel_of_form("comd_pairs", word(0), word(1), word(2));
    const std::string densities_kernel_ = kernel_of_form("comd_densities", word(0), word(1), word(2));
    std::vector<std::int32_t> atom_at_;  ///< by half unit cell; -1: none
    std::vector<std::array<std::int64_t, 3>> points_;
    std::array<std::vector<float>, 3> xyz_, place_xyz_;
    std::vector<std::int64_t> place_of_;
    std::vector<std::int32_t> neighbours_, atoms_, image_cells_, original_cells_, atom_cell_, atom_place_;
    std::vector<float> pair_, density_, embedding_;
    std::array<std::vector<float>, 4> results_;
};

LOOKAHEAD_REGISTER_WORKLOAD(Comd, comd)

}  // namespace lookahead::workloads::comd
