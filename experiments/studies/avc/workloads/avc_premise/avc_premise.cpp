#include "experiments/workloads/avc_premise/files.h"
#include "experiments/workloads/sized_workload.h"

namespace lookahead::workloads::avc_premise {

constexpr std::array<SizedParameter, 3> kParameters{{
    {"warps", "warp", {6, 6, 6, 6}, 32, "Warps per CTA."},
    {"ctas", "CTA", {8, 16, 160, 1600}, 1 << 16, "CTAs of the grid."},
    {"rounds", "round", {4, 8, 8, 8}, 1 << 16, "Rounds over the words."},
}};
constexpr std::array<std::string_view, 5> kAffine{"4", "0", "2", "6", "8"};
constexpr std::array<std::string_view, 8> kPrivate{"16", "4", "8", "9", "10", "12", "32", "64"};
constexpr std::array<WordParameter, 2> kWords{
    {{"affine", kAffine, "Affine words among each eight private words; the others differ by lane."},
     {"words", kPrivate, "Private words per thread."}}};

class AvcPremise : public SizedWorkload<kParameters, kWords> {
  public:
    LOOKAHEAD_SIZED_WORKLOAD(AvcPremise, avc_premise)

    void run(Device& device) override {
        const DeviceAddress out = device.allocate(threads_ * sizeof(std::uint32_t));
        device.launch(fmt::format("private_words_{}", words_), {{ctas_}, {block_}},
                      pack_parameters(out, affine_, rounds_));
        out_ = device.download<std::uint32_t>(out, threads_);
    }

    CheckReport check() const override {
        std::vector<std::uint32_t> expected(threads_), held(static_cast<std::size_t>(words_));
        for (std::uint32_t thread = 0; thread < threads_; ++thread) {
            std::uint32_t sum = 0;
            for (std::uint32_t w = 0; w < held.size(); ++w) { held[w] = 4 * (thread + w); }
            for (std::int32_t i = 0; i < rounds_; ++i) {
                for (std::int32_t w = 0; w < words_; ++w) {
                    std::uint32_t& value = held[static_cast<std::size_t>(w)];
                    sum += value;
                    value = (w & 7) < affine_ ? value + 4 * u32(i) : (value ^ sum) * 1664525U + 1013904223U;
                }
            }
            expected[thread] = sum;
        }
        return compare_exact("out", out_, expected);
    }

  private:
    const std::uint32_t block_ = u32(32 * value(0));
    const std::uint32_t ctas_ = u32(value(1)), threads_ = block_ * ctas_;
    const std::int32_t words_ = std::stoi(word(1)), affine_ = std::stoi(word(0)), rounds_ = s32(value(2));
    std::vector<std::uint32_t> out_;
};

LOOKAHEAD_REGISTER_WORKLOAD(AvcPremise, avc_premise)

}  // namespace lookahead::workloads::avc_premise
