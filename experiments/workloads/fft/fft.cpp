#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

#include "experiments/workloads/fft/files.h"
#include "experiments/workloads/sized_workload.h"

namespace lookahead::workloads::fft {

namespace {

constexpr std::size_t kPoints = 512;
/// Sums of 512 terms below 1 in size: relative to 16, near the root of their number.
constexpr double kTolerance = 1e-5, kScale = 16.0;

constexpr std::array<SizedParameter, 1> kParameters{{
    {"batches", "FFT", {12, 2048, 32768, 65536}, 1 << 20, "Transforms, one a thread block."},
}};

class Fft : public SizedWorkload<kParameters> {
  public:
    LOOKAHEAD_SIZED_WORKLOAD(Fft, fft)

    void run(Device& device) override {
        XorShift32 random(seed());
        before_ = random.floats(2 * kPoints * batches_, -1.0f, 1.0f);
        const DeviceAddress data = device.upload(before_);
        device.launch("fft512", {{static_cast<std::uint32_t>(batches_)}, {kPoints / 8}}, pack_parameters(data));
        after_ = device.download<float>(data, before_.size());
    }

    CheckReport check() const override {
        Points turns(kPoints / 2);
        for (std::size_t k = 0; k < turns.size(); ++k) {
            turns[k] = std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(k) / kPoints);
        }
        std::vector<double> expected;
        for (std::int64_t batch = 0; batch < batches_; ++batch) {
            Points points(kPoints);
            for (std::size_t i = 0; i < kPoints; ++i) {
                const float* point = &before_[2 * (batch * kPoints + i)];
                points[i] = {point[0], point[1]};
            }
            for (const std::complex<double>& value : transform(points, turns)) {
                expected.push_back(value.real());
                expected.push_back(value.imag());
            }
        }
        return compare_close("spectrum", after_, expected, kTolerance, kScale);
    }

  private:
    using Points = std::vector<std::complex<double>>;

    /// Recursive, by halves of even and odd index. `turns`: the first half of the roots of unity of kPoints.
    static Points transform(const Points& x, const Points& turns) {
        const std::size_t n = x.size();
        if (n == 1) return x;
        Points even(n / 2), odd(n / 2), result(n);
        for (std::size_t i = 0; i < n; ++i) (i % 2 == 0 ? even : odd)[i / 2] = x[i];
        even = transform(even, turns);
        odd = transform(odd, turns);
        for (std::size_t k = 0; k < n / 2; ++k) {
            const std::complex<double> turned = turns[k * (kPoints / n)] * odd[k];
            result[k] = even[k] + turned;
            result[k + n / 2] = even[k] - turned;
        }
        return result;
    }

    const std::int64_t batches_ = value(0);
    std::vector<float> before_, after_;
};

}  // namespace

LOOKAHEAD_REGISTER_WORKLOAD(Fft, fft)

}  // namespace lookahead::workloads::fft
