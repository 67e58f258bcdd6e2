#include "experiments/workloads/forms.h"
#include "experiments/workloads/hotspot/files.h"
#include "experiments/workloads/hotspot/peer.h"
#include "experiments/workloads/peer.h"

namespace lookahead::workloads::hotspot {

/// Steps per launch, as in the suite's scripts: a block of 16 x 16 threads then computes 12 x 12 cells.
constexpr std::int64_t kPyramid = 2;
constexpr double kTolerance = 1e-5;

/// The chip in the suite's description: 16 x 16 mm of silicon, 0.5 mm thick.
constexpr float kMaxPowerDensity = 3.0e6f, kPrecision = 0.001f, kSpecificHeat = 1.75e6f, kConductivity = 100.0f,
                kCapacityFactor = 0.5f, kThickness = 0.0005f, kWidth = 0.016f, kAmbient = 80.0f;

constexpr std::array<SizedParameter, 2> kParameters{{
    // Above about 1400 cells the explicit step, whose length depends only on the power density, diverges.
    {"n", "cell", {40, 512, 1024, 1024}, 1400, "Width and height of the grid."},
    {"steps", "step", {3, 2, 6, 60}, 1 << 14, "Steps of the simulation."},
}};

class Hotspot : public SizedWorkload<kParameters, kWideForm> {
  public:
    LOOKAHEAD_WORKLOAD_OF_WIDE_FORM(Hotspot, hotspot)

    std::uint32_t most_threads(std::string_view) const override { return is_original() ? 0 : block_ * block_; }

    void run(Device& device) override {
        XorShift32 random(seed());
        temperature_ = random.floats(n_ * n_, 320.0f, 345.0f);
        power_ = random.floats(n_ * n_, 0.0f, 0.001f);

        const DeviceAddress power = device.upload(power_);
        DeviceAddress from = device.upload(temperature_);
        DeviceAddress to = device.allocate(n_ * n_ * sizeof(float));
        const auto n = s32(n_);
        for (std::int64_t done = 0; done < steps_; done += kPyramid) {
            const auto steps = s32(std::min(kPyramid, steps_ - done));
            const std::uint32_t blocks = blocks_for(n_, block_ - 2 * steps);
            device.launch("hotspot", {{blocks, blocks}, {block_, block_}},
                          pack_parameters(steps, power, from, to, n, n, steps, chip_.capacity, chip_.rx, chip_.ry,
                                          chip_.rz, chip_.step, kAmbient));
            std::swap(from, to);
        }
        out_ = device.download<float>(from, n_ * n_);
    }

    CheckReport check() const override {
        const auto expected = after_steps(temperature_, steps_, [this](const auto& now, auto& next) {
            for (std::int64_t i = 0; i < n_ * n_; ++i) { next[i] = next_temperature(now, i % n_, i / n_); }
        });
        return compare_close("temperature", out_, expected, kTolerance);
    }

  private:
    struct Chip {
        float capacity, rx, ry, rz, step;

        explicit Chip(std::int64_t n) {
            const float cell = kWidth / static_cast<float>(n);
            capacity = kCapacityFactor * kSpecificHeat * kThickness * cell * cell;
            rx = ry = 1.0f / (2.0f * kConductivity * kThickness);
            rz = kThickness / (kConductivity * cell * cell);
            step = kPrecision / (kMaxPowerDensity / (kCapacityFactor * kThickness * kSpecificHeat));
        }
    };

    /// A border cell is its own neighbour.
    double next_temperature(const std::vector<double>& now, std::int64_t x, std::int64_t y) const {
        const auto at = [&](std::int64_t column, std::int64_t row) {
            return now[std::clamp<std::int64_t>(row, 0, n_ - 1) * n_ + std::clamp<std::int64_t>(column, 0, n_ - 1)];
        };
        const double here = at(x, y);
        return here + chip_.step / chip_.capacity *
                          (power_[y * n_ + x] + (at(x, y + 1) + at(x, y - 1) - 2.0 * here) / chip_.ry +
                           (at(x + 1, y) + at(x - 1, y) - 2.0 * here) / chip_.rx + (kAmbient - here) / chip_.rz);
    }

    const std::uint32_t block_ = is_original() ? 16 : 32;
    const std::int64_t n_ = value(0), steps_ = value(1);
    const Chip chip_{n_};
    std::vector<float> temperature_, power_, out_;
};

using HotspotOrPeer = WithPeer<Hotspot, HotspotPeer>;

LOOKAHEAD_REGISTER_WORKLOAD(HotspotOrPeer, hotspot)

}  // namespace lookahead::workloads::hotspot
