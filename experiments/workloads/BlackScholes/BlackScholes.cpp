#include "experiments/workloads/BlackScholes/files.h"
#include "experiments/workloads/sized_workload.h"

namespace lookahead::workloads::BlackScholes {

constexpr std::uint32_t kBlocks = 480, kThreads = 128;
constexpr float kRate = 0.02f, kVolatility = 0.30f;
/// Relative to the largest strike. The polynomial's error is 7.5e-8; the hardware logarithm's, some 2e-7, is divided by
/// a deviation of at least 0.15 and contributes to the distribution's with a factor of 0.4.
constexpr double kTolerance = 1e-6, kScale = 100.0;

constexpr std::array<SizedParameter, 2> kParameters{{
    {"options", "option", {62000, 300000, 4000000, 4000000}, 1 << 26, "Options; 4000000 in the suite."},
    {"rounds", "round", {1, 2, 3, 16}, 1 << 14, "Launches with the same options; 512 in the suite."},
}};

class BlackScholes : public SizedWorkload<kParameters> {
  public:
    LOOKAHEAD_SIZED_WORKLOAD(BlackScholes, BlackScholes)

    void run(Device& device) override {
        XorShift32 random(seed());
        prices_ = random.floats(options_, 5.0f, 30.0f);
        strikes_ = random.floats(options_, 1.0f, 100.0f);
        years_ = random.floats(options_, 0.25f, 10.0f);

        const DeviceAddress prices = device.upload(prices_), strikes = device.upload(strikes_);
        const DeviceAddress years = device.upload(years_);
        const DeviceAddress calls = device.allocate(options_ * sizeof(float));
        const DeviceAddress puts = device.allocate(options_ * sizeof(float));
        for (std::int64_t round = 0; round < rounds_; ++round) {
            device.launch("black_scholes", {{kBlocks}, {kThreads}},
                          pack_parameters(calls, puts, prices, strikes, years, kRate, kVolatility, s32(options_)));
        }
        calls_ = device.download<float>(calls, options_);
        puts_ = device.download<float>(puts, options_);
    }

    CheckReport check() const override {
        std::vector<double> calls(options_), puts(options_);
        const auto below = [](double d) { return 0.5 * std::erfc(-d / std::sqrt(2.0)); };
        for (std::int64_t i = 0; i < options_; ++i) {
            const double price = prices_[i], strike = strikes_[i], time = years_[i];
            const double deviation = double{kVolatility} * std::sqrt(time);
            const double d1 = (std::log(price / strike) + kRate * time) / deviation + 0.5 * deviation;
            const double discounted = strike * std::exp(-double{kRate} * time);
            calls[i] = price * below(d1) - discounted * below(d1 - deviation);
            puts[i] = discounted * below(deviation - d1) - price * below(-d1);
        }
        return all_of({compare_close("call", calls_, calls, kTolerance, kScale),
                       compare_close("put", puts_, puts, kTolerance, kScale)});
    }

  private:
    const std::int64_t options_ = value(0), rounds_ = value(1);
    std::vector<float> prices_, strikes_, years_, calls_, puts_;
};

LOOKAHEAD_REGISTER_WORKLOAD(BlackScholes, BlackScholes)

}  // namespace lookahead::workloads::BlackScholes
