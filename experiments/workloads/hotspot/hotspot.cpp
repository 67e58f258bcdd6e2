#include <algorithm>
#include <vector>

#include "core/error/error.h"
#include "experiments/workloads/compare.h"
#include "experiments/workloads/hotspot/ptx.h"
#include "experiments/workloads/workload.h"
#include "experiments/workloads/xorshift.h"

namespace lookahead {

struct HotspotParameters {
    std::int64_t n = 0;
    std::string input = "seeded";
};

template <>
struct ParametersOf<HotspotParameters> {
    inline static const auto list = parameter_list<HotspotParameters>(
        integer("n", &HotspotParameters::n,
                {.unit = "cell",
                 .min = 0,
                 .max = 16384,
                 .help = "Cells along a side of the grid, a multiple of 16; 0: as --size says."}),
        input_parameter(&HotspotParameters::input));
};

namespace {

constexpr std::int64_t kBlock = 16;
constexpr double kTolerance = 1e-5;
constexpr float kRx = 0.1f, kRy = 0.12f, kRz = 0.01f, kStep = 0.3f, kAmbient = 80.0f;

class Hotspot : public Workload {
  public:
    using Parameters = HotspotParameters;

    Hotspot(const Parameters& parameters, const WorkloadContext& context)
        : n_(parameters.n ? parameters.n : by_size<std::int64_t>(context.size, 64, 256, 512, 2048)),
          seed_(input_seed("hotspot", parameters.input, context)) {
        if (n_ % kBlock != 0) {
            throw ConfigurationError("hotspot.n is " + std::to_string(n_) + ": give a multiple of " +
                                     std::to_string(kBlock) + ", the block's width");
        }
    }

    std::string_view ptx() const override { return kHotspotPtx; }
    std::string ptx_file() const override { return "experiments/workloads/hotspot/kernel.ptx"; }

    void run(Device& device) override {
        XorShift32 random(seed_);
        temperature_.resize(n_ * n_);
        power_.resize(n_ * n_);
        for (float& value : temperature_) value = 300.0f + 50.0f * random.next_float();
        for (float& value : power_) value = random.next_float();

        const DeviceAddress temperature = device.upload(temperature_);
        const DeviceAddress power = device.upload(power_);
        const DeviceAddress out = device.allocate(n_ * n_ * sizeof(float));
        const auto blocks = static_cast<std::uint32_t>(n_ / kBlock);
        device.launch(
            "hotspot", {{blocks, blocks}, {kBlock, kBlock}},
            pack_parameters(temperature, power, out, static_cast<std::int32_t>(n_), kRx, kRy, kRz, kStep, kAmbient));
        out_ = device.download<float>(out, n_ * n_);
    }

    CheckReport check() const override {
        std::vector<double> expected(n_ * n_);
        for (std::int64_t y = 0; y < n_; ++y) {
            for (std::int64_t x = 0; x < n_; ++x) {
                expected[y * n_ + x] = next_temperature(x, y);
            }
        }
        return compare_close("temperature", out_, expected, kTolerance);
    }

  private:
    /// Temperature after a step; the border is its own neighbour.
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

}  // namespace

LOOKAHEAD_REGISTER_VARIANT(
    Workload, Hotspot, "hotspot",
    "A step of a 2-D five-point thermal stencil with a halo in shared memory; diverges at borders.",
    "Rodinia, hotspot (one step a launch)")

}  // namespace lookahead
