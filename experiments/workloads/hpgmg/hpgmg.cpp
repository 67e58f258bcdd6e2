#include "experiments/workloads/forms.h"
#include "experiments/workloads/hpgmg/files.h"

namespace lookahead::workloads::hpgmg {

constexpr std::uint32_t kTileI = 32, kTileJ = 4, kTileK = 8, kCopyThreads = 64;
constexpr std::int64_t kDegree = 6;  // of the suite's Chebyshev polynomial
constexpr std::int64_t kLine = 32;   // in words; a box's first cell begins a line
constexpr std::int64_t kRowPad = 4;  // rows are padded to a multiple of this many words
constexpr float kA = 1.0f, kB = 1.0f;
constexpr double kEigenvalue = 2.0;  // the operator's largest, scaled by its diagonal
/// For values of size 1: each step contracts and adds some units in the last place.
constexpr double kTolerance = 5e-6;

enum : std::int64_t { kX, kTemp, kRightSide, kAlpha, kBetaI, kBetaJ, kBetaK, kInverseDiagonal, kVectors };

constexpr std::array<SizedParameter, 5> kParameters{{
    {"box", "cell", {12, 32, 32, 64}, 64, "Cells along each side of a box.", 2},
    {"boxes_i", "box", {2, 2, 3, 4}, 8, "Boxes along i."},
    {"boxes_j", "box", {1, 2, 3, 4}, 8, "Boxes along j."},
    {"boxes_k", "box", {1, 1, 3, 4}, 8, "Boxes along k."},
    {"smooths", "smooth", {1, 1, 2, 2}, 1 << 10, "Smooths, of six steps each."},
}};

class Hpgmg : public SizedWorkload<kParameters, kLoopedAndVectorFormTo8> {
  public:
    LOOKAHEAD_WORKLOAD_OF_VECTOR_FORMS(Hpgmg, hpgmg)

    void run(Device& device) override {
        make_level();
        make_tiles();
        make_copies();
        make_polynomial();

        const Level level{device.upload(data_), device.upload(vector_begin_), s32(kVectors), s32(j_stride_),
                          s32(k_stride_)};
        const DeviceAddress tiles = device.upload(tiles_), copies = device.upload(copies_);
        const DeviceAddress c1 = device.upload(c1_), c2 = device.upload(c2_);
        for (std::int64_t smooth = 0; smooth < smooths_; ++smooth) {
            for (std::int32_t step = 0; step < kDegree; ++step) {
                const auto from = s32(step % 2 == 0 ? kX : kTemp);
                device.launch(copy_, {{u32(copies_.size())}, {kCopyThreads}}, pack_parameters(level, copies, from));
                device.launch(chebyshev_, {{u32(tiles_.size())}, {kTileI, kTileJ}},
                              pack_parameters(level, tiles, kA, kB * inverse_h2_, step, c1, c2));
            }
        }
        after_ = device.download<float>(level.data, data_.size());
    }

    CheckReport check() const override {
        // Computed on the whole periodic grid, without boxes.
        std::array<std::vector<double>, kVectors> v;
        for (std::int64_t vector = 0; vector < kVectors; ++vector) {
            for_each_point({}, cells_, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
                v[vector].push_back(data_[at(vector, i, j, k)]);
            });
        }
        const auto cell = [this](std::int64_t i, std::int64_t j, std::int64_t k) {
            const auto wrap = [](std::int64_t value, std::int64_t n) { return (value + n) % n; };
            return (wrap(k, cells_[2]) * cells_[1] + wrap(j, cells_[1])) * cells_[0] + wrap(i, cells_[0]);
        };
        std::vector<double> x = v[kX], last = v[kTemp], next(x.size());
        for (std::int64_t step = 0; step < smooths_ * kDegree; ++step) {
            for_each_point({}, cells_, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
                const std::int64_t me = cell(i, j, k), up_i = cell(i + 1, j, k), up_j = cell(i, j + 1, k),
                                   up_k = cell(i, j, k + 1);
                const double flux =
                    v[kBetaI][up_i] * (x[up_i] - x[me]) + v[kBetaI][me] * (x[cell(i - 1, j, k)] - x[me]) +
                    v[kBetaJ][up_j] * (x[up_j] - x[me]) + v[kBetaJ][me] * (x[cell(i, j - 1, k)] - x[me]) +
                    v[kBetaK][up_k] * (x[up_k] - x[me]) + v[kBetaK][me] * (x[cell(i, j, k - 1)] - x[me]);
                const double ax = kA * v[kAlpha][me] * x[me] - double{kB} * inverse_h2_ * flux;
                const std::int64_t s = step % kDegree;
                next[me] =
                    x[me] + c1_[s] * (x[me] - last[me]) + c2_[s] * v[kInverseDiagonal][me] * (v[kRightSide][me] - ax);
            });
            std::swap(last, x);
            std::swap(x, next);
        }
        std::vector<float> got;
        for_each_point({}, cells_,
                       [&](std::int64_t i, std::int64_t j, std::int64_t k) { got.push_back(after_[at(kX, i, j, k)]); });
        return compare_close("cell of x", got, x, kTolerance);
    }

  private:
    // The layout in kernel.cu.
    struct Level {
        DeviceAddress data, vector_begin;
        std::int32_t vectors, j_stride, k_stride;
    };
    struct Tile {
        std::int32_t box, i, j, k, size_i, size_j, size_k;
    };
    struct Place {
        std::int32_t box, i, j, k;
    };
    struct Copy {
        std::int32_t size_i, size_j, size_k;
        Place read, write;
    };

    std::int64_t box_at(std::int64_t i, std::int64_t j, std::int64_t k) const {
        return (k * boxes_[1] + j) * boxes_[0] + i;
    }

    /// The place of cell (i, j, k) of the level in its box.
    std::int64_t at(std::int64_t vector, std::int64_t i, std::int64_t j, std::int64_t k) const {
        return vector_begin_[box_at(i / box_, j / box_, k / box_) * kVectors + vector] + i % box_ +
               j % box_ * j_stride_ + k % box_ * k_stride_;
    }

    void make_level() {
        const std::int64_t boxes = boxes_[0] * boxes_[1] * boxes_[2], ghosts_before = 1 + j_stride_ + k_stride_;
        const std::int64_t first = (ghosts_before + kLine - 1) / kLine * kLine;
        const std::int64_t volume = (k_stride_ * (box_ + 1) + first + kLine - 1) / kLine * kLine;
        vector_begin_.clear();
        for (std::int64_t i = 0; i < boxes * kVectors; ++i) { vector_begin_.push_back(s32(i * volume + first)); }
        data_.assign(boxes * kVectors * volume, 0.0f);
        XorShift32 random(seed());
        for_each_point({}, cells_, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
            data_[at(kX, i, j, k)] = random.next_float();
            data_[at(kRightSide, i, j, k)] = 2 * random.next_float() - 1;
            for (const std::int64_t vector : {kAlpha, kBetaI, kBetaJ, kBetaK}) {
                data_[at(vector, i, j, k)] = 0.5f + random.next_float();
            }
        });
        // The coefficients of a box's outer faces, like its ghost cells, come from neighbouring boxes.
        const std::int64_t strides[3] = {1, j_stride_, k_stride_};
        for_each_point({}, cells_, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
            float beta = 0;
            for (int axis = 0; axis < 3; ++axis) {
                std::int64_t up[3] = {i, j, k};
                const bool is_last = up[axis] % box_ == box_ - 1;
                up[axis] = (up[axis] + 1) % cells_[axis];
                const float above = data_[at(kBetaI + axis, up[0], up[1], up[2])];
                if (is_last) { data_[at(kBetaI + axis, i, j, k) + strides[axis]] = above; }
                beta += data_[at(kBetaI + axis, i, j, k)] + above;
            }
            data_[at(kInverseDiagonal, i, j, k)] = 1.0f / (kA * data_[at(kAlpha, i, j, k)] + kB * inverse_h2_ * beta);
        });
    }

    void make_tiles() {
        tiles_.clear();
        const auto left = [this](std::int64_t from, std::uint32_t most) {
            return s32(std::min<std::int64_t>(most, box_ - from));
        };
        const auto side = s32(box_);
        for (std::int32_t box = 0; box < boxes_[0] * boxes_[1] * boxes_[2]; ++box) {
            for (std::int32_t k = 0; k < side; k += kTileK) {
                for (std::int32_t j = 0; j < side; j += kTileJ) {
                    for (std::int32_t i = 0; i < side; i += kTileI) {
                        tiles_.push_back({box, i, j, k, left(i, kTileI), left(j, kTileJ), left(k, kTileK)});
                    }
                }
            }
        }
    }

    /// Lists, for each box and side, the neighbouring box's cells, in tiles.
    void make_copies() {
        copies_.clear();
        const auto side = s32(box_);
        const std::int32_t most[3] = {kTileI, kTileJ, kTileK};
        for (std::int64_t box = 0; box < boxes_[0] * boxes_[1] * boxes_[2]; ++box) {
            const std::int64_t mine[3] = {box % boxes_[0], box / boxes_[0] % boxes_[1], box / boxes_[0] / boxes_[1]};
            for (int axis = 0; axis < 3; ++axis) {
                for (const int direction : {-1, 1}) {
                    std::int64_t beside[3] = {mine[0], mine[1], mine[2]};
                    beside[axis] = (beside[axis] + direction + boxes_[axis]) % boxes_[axis];
                    const auto other = s32(box_at(beside[0], beside[1], beside[2]));
                    std::int32_t end[3] = {side, side, side};
                    end[axis] = 1;
                    std::int32_t from[3];
                    for (from[2] = 0; from[2] < end[2]; from[2] += most[2]) {
                        for (from[1] = 0; from[1] < end[1]; from[1] += most[1]) {
                            for (from[0] = 0; from[0] < end[0]; from[0] += most[0]) {
                                std::int32_t size[3], read[3], write[3];
                                for (int i = 0; i < 3; ++i) {
                                    size[i] = std::min(most[i], end[i] - from[i]);
                                    read[i] = write[i] = from[i];
                                }
                                read[axis] = direction < 0 ? side - 1 : 0;
                                write[axis] = direction < 0 ? -1 : side;
                                const Place source{other, read[0], read[1], read[2]};
                                const Place target{s32(box), write[0], write[1], write[2]};
                                copies_.push_back({size[0], size[1], size[2], source, target});
                            }
                        }
                    }
                }
            }
        }
    }

    /// Coefficients of the Chebyshev iteration for eigenvalues between an eighth of the largest and the largest.
    void make_polynomial() {
        const double theta = 0.5 * (kEigenvalue + 0.125 * kEigenvalue),
                     delta = 0.5 * (kEigenvalue - 0.125 * kEigenvalue);
        const double sigma = theta / delta;
        c1_.assign(1, 0.0f);
        c2_.assign(1, static_cast<float>(1 / theta));
        double rho = 1 / sigma;
        for (std::int64_t step = 1; step < kDegree; ++step) {
            const double next = 1 / (2 * sigma - rho);
            c1_.push_back(static_cast<float>(next * rho));
            c2_.push_back(static_cast<float>(next * 2 / delta));
            rho = next;
        }
    }

    const std::int64_t box_ = value(0), smooths_ = value(4);
    const std::array<std::int64_t, 3> boxes_{value(1), value(2), value(3)};
    const std::array<std::int64_t, 3> cells_{boxes_[0] * box_, boxes_[1] * box_, boxes_[2] * box_};
    const std::int64_t j_stride_ = (box_ + 2 + kRowPad - 1) / kRowPad * kRowPad, k_stride_ = j_stride_ * (box_ + 2);
    const std::string copy_ = kernel_of_form("hpgmg_copy", word(0), word(1), word(2));
    const std::string chebyshev_ = kernel_of_form("hpgmg_chebyshev", word(0), word(1), word(2));
    const float inverse_h2_ = static_cast<float>(cells_[0] * cells_[0]);
    std::vector<float> data_, after_, c1_, c2_;
    std::vector<std::int32_t> vector_begin_;
    std::vector<Tile> tiles_;
    std::vector<Copy> copies_;
};

LOOKAHEAD_REGISTER_WORKLOAD(Hpgmg, hpgmg)

}  // namespace lookahead::workloads::hpgmg
