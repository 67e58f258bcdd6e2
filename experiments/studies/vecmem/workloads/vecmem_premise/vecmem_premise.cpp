#include "experiments/workloads/sized_workload.h"
#include "experiments/workloads/vecmem_premise/files.h"

namespace lookahead::workloads::vecmem_premise {

constexpr std::size_t kElements = 16, kLanes = 32;

constexpr std::array<SizedParameter, 4> kParameters{{
    {"warps", "warp", {4, 8, 8, 8}, 32, "Warps per CTA."},
    {"ctas", "CTA", {16, 512, 2048, 16384}, 1 << 16, "CTAs of the grid."},
    {"distinct", "warp", {8, 128, 2048, 16384}, 1 << 20, "Warps with data of their own, which others read again."},
    {"gap", "element", {512, 512, 512, 512}, 1 << 20, "Distance from one element of a thread to its next.", 32},
}};
constexpr std::array<std::string_view, 2> kForms{"looped", "vector"};
constexpr std::array<std::string_view, 2> kUnroll{"1", "4"};
constexpr std::array<std::string_view, 1> kLength{"8"};
constexpr std::array<std::string_view, 4> kArithmetic{"1", "4", "16", "64"};
constexpr std::array<WordParameter, 4> kWords{
    {{"form", kForms, "A loop over the elements, or the same with vector memory instructions."},
     {"unroll", kUnroll, "Elements that a round of form=looped takes."},
     {"length", kLength, "Elements of a vector memory instruction of form=vector."},
     {"arithmetic", kArithmetic, "Dependent arithmetic instructions that use an element."}}};

class VecmemPremise : public SizedWorkload<kParameters, kWords> {
  public:
    LOOKAHEAD_SIZED_WORKLOAD(VecmemPremise, vecmem_premise)

    void run(Device& device) override {
        in_ = XorShift32(seed()).floats((distinct_ + gap_) * kElements * kLanes);
        const DeviceAddress in = device.upload(in_);
        const DeviceAddress out = device.allocate(threads_ * sizeof(float));
        const std::string end = word(0) == "vector" ? fmt::format("v{}", word(2)) : word(1);
        device.launch(fmt::format("strided_{}_{}", word(3), end), {{ctas_}, {block_}},
                      pack_parameters(in, out, s32(distinct_), s32(gap_)));
        out_ = device.download<float>(out, threads_);
    }

    CheckReport check() const override {
        std::vector<float> expected(threads_);
        const std::size_t lines = gap_ / kLanes;
        for (std::size_t thread = 0; thread < threads_; ++thread) {
            const std::size_t warp = thread / kLanes % distinct_;
            const std::size_t first = warp / lines * kElements * gap_ + warp % lines * kLanes + thread % kLanes;
            for (std::size_t i = 0; i < kElements; ++i) {
                float value = in_[first + i * gap_];
                for (int k = std::stoi(word(3)); k > 0; --k) { value = std::fma(value, 0.5f, 1.0f); }
                expected[thread] += value;
            }
        }
        return compare_exact("out", out_, expected);
    }

  private:
    const std::uint32_t block_ = u32(32 * value(0));
    const std::uint32_t ctas_ = u32(value(1));
    const std::size_t threads_ = std::size_t{block_} * ctas_, distinct_ = static_cast<std::size_t>(value(2)),
                      gap_ = static_cast<std::size_t>(value(3));
    std::vector<float> in_, out_;
};

LOOKAHEAD_REGISTER_WORKLOAD(VecmemPremise, vecmem_premise)

}  // namespace lookahead::workloads::vecmem_premise
