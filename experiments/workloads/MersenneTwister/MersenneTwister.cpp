#include <numbers>

#include "experiments/workloads/MersenneTwister/files.h"
#include "experiments/workloads/sized_workload.h"

namespace lookahead::workloads::MersenneTwister {

constexpr std::int64_t kSuiteGenerators = 4096, kBlock = 128;
constexpr int kWords = 19, kMiddle = 9;
/// The hardware logarithm has an absolute error of some 1e-7, which matters for uniform numbers near 1.
constexpr double kTolerance = 1e-3;

constexpr std::array<SizedParameter, 2> kParameters{{
    {"count", "number", {2, 360, 782, 5860}, 1 << 16, "Numbers per generator; 5860 in the suite.", 2},
    {"generators",
     "generator",
     {4096, 4096, 30720, 30720},
     1 << 20,
     "Generators, one thread each; 4096 in the suite.",
     kBlock},
}};

class MersenneTwister : public SizedWorkload<kParameters> {
  public:
    LOOKAHEAD_SIZED_WORKLOAD(MersenneTwister, MersenneTwister)

    /// The suite's kernels contain the number of their generators.
    ProgramCode code() const override {
        return generators_ == kSuiteGenerators ? LOOKAHEAD_CODE(MersenneTwister, Kernel)
                                               : LOOKAHEAD_CODE(MersenneTwister, Any);
    }

    void run(Device& device) override {
        parameters_ = XorShift32(seed()).words(4 * generators_);
        const DeviceAddress parameters = device.upload(parameters_);
        const DeviceAddress numbers = device.allocate(count_ * generators_ * sizeof(float));
        const LaunchConfiguration shape{{blocks_for(generators_, kBlock)}, {kBlock}};
        const auto count = s32(count_);
        device.launch("twister_numbers", shape, pack_parameters(numbers, parameters, count));
        uniform_ = device.download<float>(numbers, count_ * generators_);
        device.launch("twister_normal", shape, pack_parameters(numbers, count));
        normal_ = device.download<float>(numbers, count_ * generators_);
    }

    CheckReport check() const override {
        std::vector<float> uniform(count_ * generators_);
        std::vector<double> normal(uniform.size());
        for (std::int64_t generator = 0; generator < generators_; ++generator) {
            generate(generator, uniform);
            for (std::int64_t i = 0; i < count_; i += 2) {
                const std::size_t first = generator + i * generators_, second = first + generators_;
                const double radius = std::sqrt(-2.0 * std::log(double{uniform[first]}));
                const double angle = 2 * std::numbers::pi * uniform[second];
                normal[first] = radius * std::cos(angle);
                normal[second] = radius * std::sin(angle);
            }
        }
        return all_of({compare_exact("uniform number", uniform_, uniform),
                       compare_close("normal number", normal_, normal, kTolerance)});
    }

  private:
    void generate(std::int64_t generator, std::vector<float>& numbers) const {
        const std::uint32_t* parameters = &parameters_[4 * generator];
        std::vector<std::uint32_t> state(kWords + count_);
        state[0] = parameters[3];
        for (int i = 1; i < kWords; ++i) { state[i] = 1812433253u * (state[i - 1] ^ (state[i - 1] >> 30)) + u32(i); }
        for (std::int64_t i = 0; i < count_; ++i) {
            std::uint32_t x = (state[i] & ~1u) | (state[i + 1] & 1u);
            x = state[i + kMiddle] ^ (x >> 1) ^ ((x & 1u) != 0 ? parameters[0] : 0u);
            state[i + kWords] = x;
            x ^= x >> 12;
            x ^= (x << 7) & parameters[1];
            x ^= (x << 15) & parameters[2];
            x ^= x >> 18;
            numbers[generator + i * generators_] = (static_cast<float>(x) + 1.0f) / 4294967296.0f;
        }
    }

    const std::int64_t count_ = value(0), generators_ = value(1);
    std::vector<std::uint32_t> parameters_;
    std::vector<float> uniform_, normal_;
};

LOOKAHEAD_REGISTER_WORKLOAD(MersenneTwister, MersenneTwister)

}  // namespace lookahead::workloads::MersenneTwister
