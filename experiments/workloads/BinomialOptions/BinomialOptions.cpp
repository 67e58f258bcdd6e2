#include "experiments/workloads/BinomialOptions/files.h"
#include "experiments/workloads/sized_workload.h"

namespace lookahead::workloads::BinomialOptions {

constexpr std::uint32_t kThreads = 256;
constexpr std::int64_t kLevels = 32, kPadding = 16;
constexpr double kRate = 0.06, kVolatility = 0.10;
/// Relative to the largest strike: each level rounds by half a unit in the last place, with nearly independent signs.
constexpr double kTolerance = 2e-6, kScale = 100.0;

/// e^x for |x| < 1, the same on every host.
double exponential(double x) {
    double term = 1, sum = 1;
    for (int i = 1; i < 20; ++i) {
        term *= x / i;
        sum += term;
    }
    return sum;
}

constexpr std::array<SizedParameter, 2> kParameters{{
    {"options", "option", {3, 60, 192, 512}, 1024, "Options, one thread block each; 512 in the suite."},
    {"steps", "step", {288, 448, 896, 2048}, 1 << 14, "Steps of the tree; 2048 in the suite.", kLevels},
}};

class BinomialOptions : public SizedWorkload<kParameters> {
  public:
    LOOKAHEAD_SIZED_WORKLOAD(BinomialOptions, BinomialOptions)

    void run(Device& device) override {
        XorShift32 random(seed());
        options_.clear();
        for (std::int64_t i = 0; i < option_count_; ++i) {
            const float price = 5.0f + 25.0f * random.next_float(), strike = 1.0f + 99.0f * random.next_float();
            const float years = 0.25f + 9.75f * random.next_float();
            const double time = double{years} / static_cast<double>(steps_), step = kVolatility * std::sqrt(time);
            const double discount = exponential(-kRate * time);
            const double up =
                (exponential(kRate * time) - exponential(-step)) / (exponential(step) - exponential(-step));
            options_.push_back({price, strike, static_cast<float>(step), static_cast<float>(up * discount),
                                static_cast<float>((1 - up) * discount)});
        }
        device.copy_values(device.variable("binomial_options"), options_);
        const auto pitch = s32(steps_ + kPadding);
        const DeviceAddress values = device.allocate(option_count_ * sizeof(float));
        const DeviceAddress level_values = device.allocate(option_count_ * pitch * sizeof(float));
        device.launch("binomial_options_price", {{u32(option_count_)}, {kThreads}},
                      pack_parameters(values, level_values, s32(steps_), pitch));
        values_ = device.download<float>(values, option_count_);
    }

    CheckReport check() const override {
        std::vector<double> expected;
        for (const Option& option : options_) {
            std::vector<double> level(steps_ + 1);
            for (std::int64_t i = 0; i <= steps_; ++i) {
                const auto moves = static_cast<double>(2 * i - steps_);
                level[i] = std::max(option.price * std::exp(option.step * moves) - option.strike, 0.0);
            }
            for (std::int64_t last = steps_ - 1; last >= 0; --last) {
                for (std::int64_t i = 0; i <= last; ++i) {
                    level[i] = option.up * level[i + 1] + option.down * level[i];
                }
            }
            expected.push_back(level[0]);
        }
        return compare_close("value", values_, expected, kTolerance, kScale);
    }

  private:
    struct Option {
        float price, strike, step, up, down;
    };

    const std::int64_t option_count_ = value(0), steps_ = value(1);
    std::vector<Option> options_;
    std::vector<float> values_;
};

LOOKAHEAD_REGISTER_WORKLOAD(BinomialOptions, BinomialOptions)

}  // namespace lookahead::workloads::BinomialOptions
