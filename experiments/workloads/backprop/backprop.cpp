#include "experiments/workloads/backprop/files.h"
#include "experiments/workloads/forms.h"

namespace lookahead::workloads::backprop {

constexpr float kRate = 0.3f, kMomentum = 0.3f;
constexpr double kTolerance = 1e-5;

constexpr std::array<SizedParameter, 1> kParameters{{
    {"units", "unit", {512, 49152, 655360, 65535 * 16}, 65535 * 16, "Input units.", 16, 32},
}};

class Backprop : public SizedWorkload<kParameters, kWideForm> {
  public:
    LOOKAHEAD_WORKLOAD_OF_WIDE_FORM(Backprop, backprop)

    std::uint32_t most_threads(std::string_view) const override { return is_original() ? 0 : u32(hidden_ * hidden_); }

    void run(Device& device) override {
        XorShift32 random(seed());
        input_ = random.floats(units_ + 1);
        weights_before_ = random.floats((units_ + 1) * columns_);
        change_before_ = random.floats((units_ + 1) * columns_, -0.1f, 0.1f);
        delta_ = random.floats(columns_, -1.0f, 1.0f);

        const DeviceAddress input = device.upload(input_), weights = device.upload(weights_before_);
        const DeviceAddress delta = device.upload(delta_), change = device.upload(change_before_);
        const std::uint32_t blocks = blocks_for(units_, hidden_);
        const DeviceAddress partial = device.allocate(blocks * hidden_ * sizeof(float));
        const auto hidden = s32(hidden_);
        const auto width = u32(hidden_);
        const LaunchConfiguration shape{{1, blocks}, {width, width}};
        device.launch("backprop_forward", shape, pack_parameters(input, weights, partial, hidden));
        partial_ = device.download<float>(partial, blocks * hidden_);
        // The suite copies the weights to the device again before the second kernel, because the first one overwrites
        // them.
        device.copy_values(weights, weights_before_);
        device.launch("backprop_adjust", shape, pack_parameters(delta, hidden, input, weights, change));
        weights_ = device.download<float>(weights, weights_before_.size());
        change_ = device.download<float>(change, change_before_.size());
    }

    CheckReport check() const override {
        std::vector<double> partial(partial_.size(), 0.0);
        std::vector<double> weights(weights_before_.begin(), weights_before_.end());
        std::vector<double> change(change_before_.begin(), change_before_.end());
        for (std::int64_t unit = 0; unit <= units_; ++unit) {
            for (std::int64_t column = 1; column < columns_; ++column) {
                const std::int64_t index = unit * columns_ + column;
                const double input = unit == 0 ? 1.0 : input_[unit];  // the bias
                if (unit > 0) {
                    partial[(unit - 1) / hidden_ * hidden_ + column - 1] += input * weights_before_[index];
                }
                change[index] = kRate * input * delta_[column] + kMomentum * change[index];
                weights[index] += change[index];
            }
        }
        return all_of({compare_close("partial sum", partial_, partial, kTolerance),
                       compare_close("weight", weights_, weights, kTolerance),
                       compare_close("change", change_, change, kTolerance)});
    }

  private:
    const std::int64_t hidden_ = is_original() ? 16 : 32, columns_ = hidden_ + 1;
    const std::int64_t units_ = value(0);
    std::vector<float> input_, weights_before_, change_before_, delta_, partial_, weights_, change_;
};

LOOKAHEAD_REGISTER_WORKLOAD(Backprop, backprop)

}  // namespace lookahead::workloads::backprop
