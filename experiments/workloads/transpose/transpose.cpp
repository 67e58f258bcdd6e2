#include "core/error/error.h"
#include "experiments/workloads/forms.h"
#include "experiments/workloads/transpose/files.h"

namespace lookahead::workloads::transpose {

constexpr std::int64_t kTile = 32;
constexpr std::int64_t kShare = 4;  // rows of a tile per thread in the original

constexpr std::array<SizedParameter, 4> kParameters{{
    {"width", "element", {160, 1024, 4096, 8192}, 1 << 14, "Width of the matrix; 1024 in the suite.", kTile},
    {"height", "element", {96, 1024, 2048, 8192}, 1 << 14, "Height of the matrix; 1024 in the suite.", kTile},
    {"rounds", "round", {1, 4, 10, 20}, 1 << 14, "Launches with the same matrix; 100 in the suite."},
    {"share", "row", {8, 16, 16, 16}, kTile, "Rows of a tile per thread in form=looped: a power of two."},
}};

class Transpose : public SizedWorkload<kParameters, kLoopedAndVectorForm> {
  public:
    LOOKAHEAD_WORKLOAD_OF_VECTOR_FORMS(Transpose, transpose)

    void run(Device& device) override {
        if (kTile % share_ != 0) {
            throw ConfigurationError(
                "transpose: share = {} does not divide a tile's 32 rows: give 1, 2, 4, 8, 16 or 32.", share_);
        }
        from_ = XorShift32(seed()).floats(width_ * height_);
        const DeviceAddress from = device.upload(from_), to = device.allocate(from_.size() * sizeof(float));
        for (std::int64_t round = 0; round < rounds_; ++round) {
            device.launch(kernel_,
                          {{blocks_for(width_, kTile), blocks_for(height_, kTile)}, {kTile, blocks_for(kTile, share_)}},
                          pack_parameters(to, from, s32(width_), s32(height_)));
        }
        to_ = device.download<float>(to, from_.size());
    }

    CheckReport check() const override {
        std::vector<float> expected(from_.size());
        for (std::int64_t y = 0; y < height_; ++y) {
            for (std::int64_t x = 0; x < width_; ++x) { expected[x * height_ + y] = from_[y * width_ + x]; }
        }
        return compare_exact("element", to_, expected);
    }

  private:
    const std::int64_t width_ = value(0), height_ = value(1), rounds_ = value(2);
    const std::int64_t share_ = is_original() ? kShare : value(3);
    const std::string kernel_ = kernel_of_form("transpose", word(0), word(1), word(2));
    std::vector<float> from_, to_;
};

LOOKAHEAD_REGISTER_WORKLOAD(Transpose, transpose)

}  // namespace lookahead::workloads::transpose
