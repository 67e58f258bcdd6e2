#include "experiments/workloads/forms.h"
#include "experiments/workloads/nw/files.h"

namespace lookahead::workloads::nw {

constexpr std::int64_t kBlock = 16;
constexpr std::int32_t kPenalty = 10;

constexpr std::array<SizedParameter, 1> kParameters{{
    {"n", "symbol", {64, 864, 4096, 8192}, 1 << 14, "Length of both sequences.", kBlock},
}};

class Nw : public SizedWorkload<kParameters, kLoopedAndVectorForm> {
  public:
    LOOKAHEAD_WORKLOAD_OF_VECTOR_FORMS(Nw, nw)

    void run(Device& device) override {
        make_inputs();
        const DeviceAddress similarity = device.upload(similarity_), score = device.upload(initial());
        const auto columns = s32(n_ + 1), width = s32(n_ / kBlock);
        for (std::int32_t diagonal = 1; diagonal <= width; ++diagonal) {
            device.launch(first_half_, {{u32(diagonal)}, {kBlock}},
                          pack_parameters(similarity, score, columns, kPenalty, diagonal));
        }
        for (std::int32_t diagonal = width - 1; diagonal >= 1; --diagonal) {
            device.launch(second_half_, {{u32(diagonal)}, {kBlock}},
                          pack_parameters(similarity, score, columns, kPenalty, diagonal, width));
        }
        score_ = device.download<std::int32_t>(score, similarity_.size());
    }

    CheckReport check() const override {
        std::vector<std::int32_t> expected = initial();
        const std::int64_t columns = n_ + 1;
        for (std::int64_t y = 1; y <= n_; ++y) {
            for (std::int64_t x = 1; x <= n_; ++x) {
                const std::int64_t i = y * columns + x;
                expected[i] = std::max({expected[i - columns - 1] + similarity_[i], expected[i - 1] - kPenalty,
                                        expected[i - columns] - kPenalty});
            }
        }
        return compare_exact("score", score_, expected);
    }

  private:
    /// Random sequences of 24 symbols, and a random symmetric table of similarities from -4 to 11.
    void make_inputs() {
        constexpr std::uint32_t kSymbols = 24;
        XorShift32 random(seed());
        std::int32_t table[kSymbols][kSymbols];
        for (std::uint32_t a = 0; a < kSymbols; ++a) {
            for (std::uint32_t b = 0; b <= a; ++b) {
                table[a][b] = table[b][a] = s32(random.next() % (a == b ? 8 : 9)) + (a == b ? 4 : -4);
            }
        }
        std::vector<std::uint32_t> first(n_ + 1), second(n_ + 1);
        for (std::int64_t i = 0; i <= n_; ++i) {
            first[i] = random.next() % kSymbols, second[i] = random.next() % kSymbols;
        }
        similarity_.assign((n_ + 1) * (n_ + 1), 0);
        for (std::int64_t y = 1; y <= n_; ++y) {
            for (std::int64_t x = 1; x <= n_; ++x) { similarity_[y * (n_ + 1) + x] = table[first[y]][second[x]]; }
        }
    }

    /// The first row and column: gaps only.
    std::vector<std::int32_t> initial() const {
        std::vector<std::int32_t> score((n_ + 1) * (n_ + 1), 0);
        for (std::int64_t i = 1; i <= n_; ++i) { score[i] = score[i * (n_ + 1)] = s32(-kPenalty * i); }
        return score;
    }

    const std::int64_t n_ = value(0);
    const std::string first_half_ = kernel_of_form("nw_first_half", word(0), word(1), word(2));
    const std::string second_half_ = kernel_of_form("nw_second_half", word(0), word(1), word(2));
    std::vector<std::int32_t> similarity_, score_;
};

LOOKAHEAD_REGISTER_WORKLOAD(Nw, nw)

}  // namespace lookahead::workloads::nw
