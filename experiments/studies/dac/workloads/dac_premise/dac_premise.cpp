#include "experiments/workloads/dac_premise/files.h"
#include "experiments/workloads/sized_workload.h"

namespace lookahead::workloads::dac_premise {

constexpr std::array<SizedParameter, 3> kParameters{{
    {"warps", "warp", {1, 6, 6, 6}, 32, "Warps per CTA."},
    {"ctas", "CTA", {16, 120, 120, 120}, 1 << 16, "CTAs of the grid; the default is eight for each of 15 SMs."},
    {"rounds", "round", {4, 32, 128, 1024}, 1 << 16, "Rounds of the loop, each with a load (the paper's dim)."},
}};
constexpr std::array<std::string_view, 6> kArithmetic{"1", "8", "16", "32", "64", "128"};
constexpr std::array<WordParameter, 1> kWords{
    {{"arithmetic", kArithmetic, "Dependent arithmetic instructions between a round's load and its store."}}};

class DacPremise : public SizedWorkload<kParameters, kWords> {
  public:
    LOOKAHEAD_SIZED_WORKLOAD(DacPremise, dac_premise)

    void run(Device& device) override {
        a_ = XorShift32(seed()).floats(threads_ * rounds_);
        const DeviceAddress a = device.upload(a_);
        const DeviceAddress b = device.allocate(a_.size() * sizeof(float));
        device.launch(fmt::format("figure4_{}", word(0)), {{ctas_}, {block_}},
                      pack_parameters(a, b, s32(rounds_), s32(threads_)));
        b_ = device.download<float>(b, a_.size());
    }

    CheckReport check() const override {
        std::vector<float> expected = a_;
        for (float& value : expected) {
            for (int k = std::stoi(word(0)); k > 0; --k) { value = std::fma(value, 0.5f, 1.0f); }
        }
        return compare_exact("B", b_, expected);
    }

  private:
    const std::uint32_t block_ = u32(32 * value(0));
    const std::uint32_t ctas_ = u32(value(1));
    const std::size_t threads_ = std::size_t{block_} * ctas_, rounds_ = static_cast<std::size_t>(value(2));
    std::vector<float> a_, b_;
};

LOOKAHEAD_REGISTER_WORKLOAD(DacPremise, dac_premise)

}  // namespace lookahead::workloads::dac_premise
