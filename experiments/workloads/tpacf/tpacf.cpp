#include <numbers>

#include "experiments/workloads/sized_workload.h"
#include "experiments/workloads/tpacf/files.h"

namespace lookahead::workloads::tpacf {

constexpr std::int64_t kThreads = 256, kBins = 20, kBinsPerDecade = 5;

constexpr std::array<SizedParameter, 2> kParameters{{
    {"points", "point", {260, 160, 250, 1024}, 1 << 16, "Points of a set; 487 in the suite's small input."},
    {"sets", "set", {1, 11, 84, 100}, 1 << 12, "Random sets; 100 in the suite."},
}};

/// Computed by its series, so that inputs do not depend on the host's library. For angles up to pi.
double cosine(double angle) {
    double term = 1, sum = 1;
    for (int i = 1; i < 40; i += 2) {
        term *= -angle * angle / (i * (i + 1));
        sum += term;
    }
    return sum;
}

class Tpacf : public SizedWorkload<kParameters> {
  public:
    LOOKAHEAD_SIZED_WORKLOAD(Tpacf, tpacf)

    void run(Device& device) override {
        make_points();
        make_bounds();
        device.copy_values(device.variable("tpacf_bounds"), bounds_);
        const DeviceAddress x = device.upload(x_), y = device.upload(y_), z = device.upload(z_);
        const std::int64_t blocks = 2 * sets_ + 1;
        const DeviceAddress histograms = device.allocate(blocks * kBins * sizeof(std::uint64_t));
        device.launch("tpacf_histograms", {{u32(blocks)}, {kThreads}},
                      pack_parameters(histograms, x, y, z, s32(sets_), s32(points_)));
        const auto counts = device.download<std::uint64_t>(histograms, blocks * kBins);
        counts_.assign(counts.begin(), counts.end());
    }

    CheckReport check() const override {
        std::vector<std::uint32_t> expected((2 * sets_ + 1) * kBins, 0);
        for (std::int64_t block = 0; block < 2 * sets_ + 1; ++block) {
            const bool is_self = block <= sets_;
            const std::int64_t other = is_self ? block : block - sets_, own = is_self ? block : 0;
            for (std::int64_t i = 0; i < points_; ++i) {
                for (std::int64_t j = is_self ? i + 1 : 0; j < points_; ++j) {
                    const std::int64_t bin = bin_of(own * points_ + i, other * points_ + j);
                    if (bin >= 0) { ++expected[block * kBins + bin]; }
                }
            }
        }
        return compare_exact("pairs", counts_, expected);
    }

  private:
    /// Points uniform in a window of the sky; half of the observed ones are near the previous one.
    void make_points() {
        XorShift32 random(seed());
        for (auto* axis : {&x_, &y_, &z_}) { axis->resize(points_ * (sets_ + 1)); }
        float across = 0, along = 0;
        for (std::size_t i = 0; i < x_.size(); ++i) {
            const bool is_near = static_cast<std::int64_t>(i) < points_ && i > 0 && random.next() % 2 == 0;
            const float step_across = random.next_float() - 0.5f, step_along = random.next_float() - 0.5f;
            across = is_near ? across + step_across / 32 : 1.5f * step_across;
            along = is_near ? along + step_along / 32 : 1.5f * step_along;
            const double length = std::sqrt(1.0 + double{across} * across + double{along} * along);
            x_[i] = static_cast<float>(1.0 / length);
            y_[i] = static_cast<float>(across / length);
            z_[i] = static_cast<float>(along / length);
        }
    }

    /// Cosines of angles from one minute of arc on, five per decade.
    void make_bounds() {
        constexpr double kSteps[kBinsPerDecade] = {1, 1.5848931924611136, 2.5118864315095801, 3.9810717055349722,
                                                   6.3095734448019325};  // powers of 10 to k / 5
        bounds_.clear();
        double decade = 1;
        for (std::int64_t k = 0; k <= kBins; ++k) {
            const double minutes = decade * kSteps[k % kBinsPerDecade];
            bounds_.push_back(static_cast<float>(cosine(minutes / 60 * std::numbers::pi / 180)));
            if (k % kBinsPerDecade == kBinsPerDecade - 1) { decade *= 10; }
        }
    }

    /// The bin of a pair; -1 if its angle is outside all bins. The cosine is rounded as in the kernel.
    std::int64_t bin_of(std::int64_t a, std::int64_t b) const {
        const float cosine = std::fma(z_[a], z_[b], std::fma(y_[a], y_[b], x_[a] * x_[b]));
        for (std::int64_t bin = kBins - 1; bin >= 0; --bin) {
            if (cosine < bounds_[bin]) { return cosine >= bounds_[bin + 1] ? bin : -1; }
        }
        return -1;
    }

    const std::int64_t points_ = value(0), sets_ = value(1);
    std::vector<float> x_, y_, z_, bounds_;
    std::vector<std::uint32_t> counts_;
};

LOOKAHEAD_REGISTER_WORKLOAD(Tpacf, tpacf)

}  // namespace lookahead::workloads::tpacf
