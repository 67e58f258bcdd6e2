#include "experiments/workloads/pmode_premise/files.h"
#include "experiments/workloads/sized_workload.h"

namespace lookahead::workloads::pmode_premise {

constexpr std::array<SizedParameter, 3> kParameters{{
    {"warps", "warp", {1, 6, 6, 6}, 32, "Warps per CTA."},
    {"ctas", "CTA", {16, 120, 120, 120}, 1 << 16, "CTAs of the grid; the default is eight for each of 15 SMs."},
    {"rounds", "round", {4, 32, 128, 1024}, 1 << 16, "Rounds of the loop, each with a load."},
}};
constexpr std::array<std::string_view, 6> kArithmetic{"0", "8", "16", "32", "64", "128"};
constexpr std::array<WordParameter, 1> kWords{
    {{"arithmetic", kArithmetic, "Dependent arithmetic instructions that use what a round loads."}}};

class PmodePremise : public SizedWorkload<kParameters, kWords> {
  public:
    LOOKAHEAD_SIZED_WORKLOAD(PmodePremise, pmode_premise)

    void run(Device& device) override {
        in_ = XorShift32(seed()).floats(threads_ * rounds_);
        const DeviceAddress in = device.upload(in_);
        const DeviceAddress out = device.allocate(threads_ * sizeof(float));
        device.launch(fmt::format("figure5_{}", word(0)), {{ctas_}, {block_}},
                      pack_parameters(in, out, s32(rounds_), s32(threads_)));
        out_ = device.download<float>(out, threads_);
    }

    CheckReport check() const override {
        std::vector<float> expected(threads_);
        for (std::size_t i = 0; i < in_.size(); ++i) {
            float value = in_[i] * 3.0f;
            for (int k = std::stoi(word(0)); k > 0; --k) { value = std::fma(value, 0.5f, 1.0f); }
            expected[i % threads_] += value;
        }
        return compare_exact("out", out_, expected);
    }

  private:
    const std::uint32_t block_ = u32(32 * value(0));
    const std::uint32_t ctas_ = u32(value(1));
    const std::size_t threads_ = std::size_t{block_} * ctas_, rounds_ = static_cast<std::size_t>(value(2));
    std::vector<float> in_, out_;
};

LOOKAHEAD_REGISTER_WORKLOAD(PmodePremise, pmode_premise)

}  // namespace lookahead::workloads::pmode_premise
