#include "experiments/workloads/caps_premise/files.h"
#include "experiments/workloads/sized_workload.h"

namespace lookahead::workloads::caps_premise {

constexpr std::array<SizedParameter, 2> kParameters{{
    {"warps", "warp", {6, 6, 6, 6}, 32, "Warps per CTA."},
    {"ctas", "CTA", {120, 480, 4800, 48000}, 1 << 16, "CTAs of the grid."},
}};
constexpr std::array<std::string_view, 4> kLoads{"1", "2", "4", "8"};
constexpr std::array<WordParameter, 1> kWords{{{"loads", kLoads, "Loads of the kernel, each with a stride."}}};

/// What the kernel does before and behind its loads.
float chain(float value) {
    for (int k = 0; k < 16; ++k) { value = std::fma(value, 0.5f, 1.0f); }
    return value;
}

class CapsPremise : public SizedWorkload<kParameters, kWords> {
  public:
    LOOKAHEAD_SIZED_WORKLOAD(CapsPremise, caps_premise)

    void run(Device& device) override {
        in_ = XorShift32(seed()).floats(threads_ * loads_);
        const DeviceAddress in = device.upload(in_);
        const DeviceAddress out = device.allocate(threads_ * sizeof(float));
        device.launch(fmt::format("strides_{}", loads_), {{ctas_}, {block_}}, pack_parameters(in, out, s32(threads_)));
        out_ = device.download<float>(out, threads_);
    }

    CheckReport check() const override {
        std::vector<float> expected(threads_);
        for (std::size_t thread = 0; thread < threads_; ++thread) {
            float value = chain(static_cast<float>(thread));
            for (std::size_t s = 0; s < loads_; ++s) { value += in_[s * threads_ + thread]; }
            expected[thread] = chain(value);
        }
        return compare_exact("out", out_, expected);
    }

  private:
    const std::uint32_t block_ = u32(32 * value(0));
    const std::uint32_t ctas_ = u32(value(1));
    const std::size_t threads_ = std::size_t{block_} * ctas_, loads_ = std::stoul(word(0));
    std::vector<float> in_, out_;
};

LOOKAHEAD_REGISTER_WORKLOAD(CapsPremise, caps_premise)

}  // namespace lookahead::workloads::caps_premise
