#include <complex>
#include <numbers>

#include "experiments/workloads/fft/files.h"
#include "experiments/workloads/sized_workload.h"

namespace lookahead::workloads::fft {

constexpr std::size_t kPoints = 512;
/// Sums of 512 terms below 1 in size. The scale of 16 is near the root of their number.
constexpr double kTolerance = 1e-5, kScale = 16.0;

constexpr std::array<SizedParameter, 1> kParameters{{
    {"batches", "FFT", {12, 2048, 32768, 65536}, 1 << 20, "Transforms, one per thread block."},
}};

class Fft : public SizedWorkload<kParameters> {
  public:
    LOOKAHEAD_SIZED_WORKLOAD(Fft, fft)

    void run(Device& device) override {
        before_ = XorShift32(seed()).floats(2 * kPoints * batches_, -1.0f, 1.0f);
        const DeviceAddress data = device.upload(before_);
        device.launch("fft512", {{u32(batches_)}, {kPoints / 8}}, pack_parameters(data));
        after_ = device.download<float>(data, before_.size());
    }

    CheckReport check() const override {
        Points turns(kPoints / 2);
        for (std::size_t k = 0; k < turns.size(); ++k) {
            turns[k] = std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(k) / kPoints);
        }
        std::vector<double> expected;
        expected.reserve(before_.size());
        Points points(kPoints), spectrum(kPoints);
        for (std::int64_t batch = 0; batch < batches_; ++batch) {
            for (std::size_t i = 0; i < kPoints; ++i) {
                const float* point = &before_[2 * (batch * kPoints + i)];
                points[i] = {point[0], point[1]};
            }
            transform(points.data(), 1, spectrum, turns);
            for (const std::complex<double>& value : spectrum) {
                expected.push_back(value.real());
                expected.push_back(value.imag());
            }
        }
        return compare_close("spectrum", after_, expected, kTolerance, kScale);
    }

  private:
    using Points = std::vector<std::complex<double>>;

    /// Transforms every `stride`th point, recursively by even and odd indices. `turns`: the first half of the roots of
    /// unity of kPoints.
    static void transform(const std::complex<double>* points, std::size_t stride,
                          std::span<std::complex<double>> spectrum, const Points& turns) {
        const std::size_t half = spectrum.size() / 2;
        if (half == 1) {
            spectrum[0] = points[0] + points[stride];
            spectrum[1] = points[0] - points[stride];
            return;
        }
        const auto even = spectrum.first(half), odd = spectrum.last(half);
        transform(points, 2 * stride, even, turns);
        transform(points + stride, 2 * stride, odd, turns);
        for (std::size_t k = 0; k < half; ++k) {
            const std::complex<double> turn = turns[k * stride], point = odd[k];
            // The product written out: operator* would check for NaNs.
            const std::complex<double> turned(turn.real() * point.real() - turn.imag() * point.imag(),
                                              turn.real() * point.imag() + turn.imag() * point.real());
            odd[k] = even[k] - turned;
            even[k] += turned;
        }
    }

    const std::int64_t batches_ = value(0);
    std::vector<float> before_, after_;
};

LOOKAHEAD_REGISTER_WORKLOAD(Fft, fft)

}  // namespace lookahead::workloads::fft
