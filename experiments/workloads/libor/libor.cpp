#include "experiments/workloads/libor/files.h"
#include "experiments/workloads/sized_workload.h"

namespace lookahead::workloads::libor {

constexpr int kOptions = 15;
constexpr std::uint32_t kBlock = 64;
constexpr float kDelta = 0.25f, kRate0 = 0.05f, kLambda = 0.2f;
/// In steps of 40, like the suite's rates, which mature after its 40 steps.
constexpr int kMaturities[kOptions] = {4, 4, 4, 8, 8, 8, 20, 20, 20, 28, 28, 28, 40, 40, 40};
constexpr float kSwapRates[kOptions] = {.045f, .05f,  .055f, .045f, .05f,  .055f, .045f, .05f,
                                        .055f, .045f, .05f,  .055f, .045f, .05f,  .055f};
/// Chains of 3000 approximate operations; a path's values reach some hundreds.
constexpr double kTolerance = 5e-4, kScale = 10.0;

constexpr std::array<SizedParameter, 4> kParameters{{
    {"paths", "path", {64, 2048, 15360, 65536}, 1 << 20, "Paths."},
    {"rates", "rate", {12, 36, 80, 80}, 80, "Forward rates; 80 in the suite."},
    {"steps", "step", {6, 18, 40, 40}, 40, "Time steps, fewer than rates; 40 in the suite."},
    {"blocks",
     "CTA",
     {64, 64, 240, 240},
     65535,
     "Maximum number of blocks of 64 threads, which take paths in turn; 64 in the suite."},
}};

class Libor : public SizedWorkload<kParameters> {
  public:
    LOOKAHEAD_SIZED_WORKLOAD(Libor, libor)

    void run(Device& device) override {
        XorShift32 random(seed());
        samples_.resize(steps_ * paths_);
        for (float& sample : samples_) {
            sample = -6.0f;
            for (int i = 0; i < 12; ++i) { sample += random.next_float(); }
        }
        const std::vector<float> lambda(rates_, kLambda);
        const std::array<std::int32_t, 2> counts{s32(rates_), s32(steps_)};
        device.copy_values(device.variable("libor_rates"), std::span(&counts[0], 1));
        device.copy_values(device.variable("libor_steps"), std::span(&counts[1], 1));
        maturities_.clear();
        for (const int maturity : kMaturities) {
            maturities_.push_back(s32(std::max<std::int64_t>(1, maturity * (rates_ - steps_) / 40)));
        }
        device.copy_values(device.variable("libor_lambda"), lambda);
        device.copy_values(device.variable("libor_maturity"), maturities_);
        device.copy_values(device.variable("libor_swap_rate"), kSwapRates);
        device.copy_values(device.variable("libor_delta"), std::span(&kDelta, 1));

        const std::uint64_t bytes = paths_ * sizeof(float);
        const DeviceAddress samples = device.upload(samples_), values = device.allocate(bytes);
        const DeviceAddress sensitivities = device.allocate(bytes), plain = device.allocate(bytes);
        const LaunchConfiguration shape{{std::min(blocks_, blocks_for(paths_, kBlock))}, {kBlock}};
        const auto paths = s32(paths_);
        device.launch("libor_greeks", shape, pack_parameters(values, sensitivities, samples, kRate0, paths));
        device.launch("libor_values", shape, pack_parameters(plain, samples, kRate0, paths));
        values_ = device.download<float>(values, paths_);
        sensitivities_ = device.download<float>(sensitivities, paths_);
        plain_ = device.download<float>(plain, paths_);
    }

    CheckReport check() const override {
        std::vector<double> values, sensitivities;
        for (std::int64_t path = 0; path < paths_; ++path) {
            const double low = value_of(path, kRate0, kRate0 - 1e-6), high = value_of(path, kRate0, kRate0 + 1e-6);
            values.push_back(value_of(path, kRate0, kRate0));
            sensitivities.push_back((high - low) / 2e-6);
        }
        // Sensitivities are checked against differences, which are inexact for a swaption between profit and loss.
        return all_of({compare_close("value", values_, values, kTolerance, kScale),
                       compare_close("value without sensitivities", plain_, values, kTolerance, kScale),
                       compare_close("sensitivity", sensitivities_, sensitivities, 1e-2, kScale)});
    }

  private:
    /// All rates except the last one begin at rate0.
    double value_of(std::int64_t path, double rate0, double last) const {
        std::vector<double> rate(rates_, rate0);
        rate[rates_ - 1] = last;
        const double delta = kDelta, lambda = kLambda, con = delta * lambda;
        for (std::int64_t n = 0; n < steps_; ++n) {
            const double root = std::sqrt(delta) * samples_[n * paths_ + path];
            double drift = 0;
            for (std::int64_t i = n + 1; i < rates_; ++i) {
                drift += con * rate[i] / (1 + delta * rate[i]);
                rate[i] *= std::exp(con * drift + lambda * (root - 0.5 * con));
            }
        }
        std::vector<double> bond(rates_), annuity(rates_);
        double b = 1, s = 0;
        for (std::int64_t n = steps_; n < rates_; ++n) {
            b /= 1 + delta * rate[n];
            s += delta * b;
            bond[n] = b;
            annuity[n] = s;
        }
        double value = 0;
        for (int i = 0; i < kOptions; ++i) {
            const std::int64_t m = maturities_[i] + steps_ - 1;
            const double swap = bond[m] + double{kSwapRates[i]} * annuity[m] - 1;
            if (swap < 0) { value += -100 * swap; }
        }
        for (std::int64_t n = 0; n < steps_; ++n) { value /= 1 + delta * rate[n]; }
        return value;
    }

    const std::int64_t paths_ = value(0), rates_ = value(1), steps_ = value(2);
    const std::uint32_t blocks_ = u32(value(3));
    std::vector<std::int32_t> maturities_;
    std::vector<float> samples_, values_, sensitivities_, plain_;
};

LOOKAHEAD_REGISTER_WORKLOAD(Libor, libor)

}  // namespace lookahead::workloads::libor
