#pragma once

#include "experiments/workloads/hotspot/files.h"
#include "experiments/workloads/sized_workload.h"

namespace lookahead::workloads::hotspot {

/// The kernel and the inputs of the published comparison with GPGPU-Sim.
class HotspotPeer : public Workload {
  public:
    explicit HotspotPeer(const WorkloadContext& context)
        : n_(context.size == Size::medium ? 512 : 256), seed_(input_seed("hotspot", "peer", context)) {}

    ProgramCode code() const override { return LOOKAHEAD_CODE(hotspot, Peer); }

    void run(Device& device) override {
        XorShift32 random(seed_);
        temperature_ = random.floats(n_ * n_, 300.0f, 350.0f);
        power_ = random.floats(n_ * n_);

        const DeviceAddress temperature = device.upload(temperature_);
        const DeviceAddress power = device.upload(power_);
        const DeviceAddress out = device.allocate(n_ * n_ * sizeof(float));
        const auto blocks = u32(n_ / kBlock);
        device.launch("hotspot", {{blocks, blocks}, {kBlock, kBlock}},
                      pack_parameters(temperature, power, out, s32(n_), kRx, kRy, kRz, kStep, kAmbient));
        out_ = device.download<float>(out, n_ * n_);
    }

    CheckReport check() const override {
        std::vector<double> expected(n_ * n_);
        for (std::int64_t i = 0; i < n_ * n_; ++i) { expected[i] = next_temperature(i % n_, i / n_); }
        return compare_close("temperature", out_, expected, kTolerance);
    }

  private:
    static constexpr std::int64_t kBlock = 16;
    static constexpr double kTolerance = 1e-5;
    static constexpr float kRx = 0.1f, kRy = 0.12f, kRz = 0.01f, kStep = 0.3f, kAmbient = 80.0f;

    /// Temperature after a step; a cell at the border is its own neighbour.
    double next_temperature(std::int64_t x, std::int64_t y) const {
        const auto at = [this](std::int64_t column, std::int64_t row) {
            column = std::clamp<std::int64_t>(column, 0, n_ - 1);
            row = std::clamp<std::int64_t>(row, 0, n_ - 1);
            return static_cast<double>(temperature_[row * n_ + column]);
        };
        const double centre = at(x, y);
        const double vertical = at(x, y + 1) + at(x, y - 1) - 2.0 * centre;
        const double horizontal = at(x + 1, y) + at(x - 1, y) - 2.0 * centre;
        return centre + kStep * (power_[y * n_ + x] + vertical * kRy + horizontal * kRx + (kAmbient - centre) * kRz);
    }

    std::int64_t n_;
    std::uint32_t seed_;
    std::vector<float> temperature_, power_, out_;
};

}  // namespace lookahead::workloads::hotspot
