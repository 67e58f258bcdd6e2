#include "experiments/workloads/MonteCarlo/files.h"
#include "experiments/workloads/sized_workload.h"

namespace lookahead::workloads::MonteCarlo {

constexpr std::uint32_t kThreads = 256;
/// The hardware exponential has a relative error of some 1e-6; results are sums of thousands of positive terms.
constexpr double kTolerance = 1e-4;

constexpr std::array<SizedParameter, 2> kParameters{{
    {"options", "option", {6, 120, 256, 1024}, 1024, "Options, one thread block each."},
    {"paths", "path", {1000, 32768, 262144, 262144}, 1 << 24, "Paths; 262144 in the suite."},
}};

class MonteCarlo : public SizedWorkload<kParameters> {
  public:
    LOOKAHEAD_SIZED_WORKLOAD(MonteCarlo, MonteCarlo)

    void run(Device& device) override {
        XorShift32 random(seed());
        constexpr float kRate = 0.06f, kDeviation = 0.10f;
        options_.clear();
        for (std::int64_t i = 0; i < option_count_; ++i) {
            const float price = 5.0f + 45.0f * random.next_float(), strike = 10.0f + 15.0f * random.next_float();
            const float years = 1.0f + 4.0f * random.next_float();
            options_.insert(options_.end(), {price, strike, (kRate - 0.5f * kDeviation * kDeviation) * years,
                                             kDeviation * std::sqrt(years)});
        }
        // Nearly normal and exact: sums of twelve uniform numbers.
        samples_.resize(paths_);
        for (float& sample : samples_) {
            sample = -6.0f;
            for (int i = 0; i < 12; ++i) { sample += random.next_float(); }
        }

        device.copy_values(device.variable("monte_carlo_options"), options_);
        const DeviceAddress samples = device.upload(samples_);
        const DeviceAddress values = device.allocate(2 * option_count_ * sizeof(float));
        device.launch("monte_carlo", {{u32(option_count_)}, {kThreads}}, pack_parameters(samples, values, s32(paths_)));
        values_ = device.download<float>(values, 2 * option_count_);
    }

    CheckReport check() const override {
        std::vector<double> expected;
        for (std::int64_t i = 0; i < option_count_; ++i) {
            const float* option = &options_[4 * i];
            double sum = 0, square = 0;
            for (const float sample : samples_) {
                const double end = option[0] * std::exp(option[2] + double{option[3]} * sample) - option[1];
                if (end <= 0) { continue; }
                sum += end;
                square += end * end;
            }
            expected.insert(expected.end(), {sum, square});
        }
        return compare_close("sum and sum of squares", values_, expected, kTolerance);
    }

  private:
    const std::int64_t option_count_ = value(0), paths_ = value(1);
    std::vector<float> options_, samples_, values_;
};

LOOKAHEAD_REGISTER_WORKLOAD(MonteCarlo, MonteCarlo)

}  // namespace lookahead::workloads::MonteCarlo
