#include <numbers>

#include "experiments/workloads/forms.h"
#include "experiments/workloads/mri-q/files.h"

namespace lookahead::workloads::mri_q {

constexpr std::int64_t kMagnitudeBlock = 512, kBlock = 256, kChunk = 1024;
constexpr std::int64_t kWords = 4;  // per sample on the device: k and the magnitude
/// Relative to the sum of all magnitudes: the hardware sine has an absolute error of some 1e-6.
constexpr double kTolerance = 1e-5;

constexpr std::array<SizedParameter, 2> kParameters{{
    {"points", "point", {512, 16384, 49152, 262144}, 1 << 24, "Points x at which Q is computed.", kBlock},
    {"samples", "sample", {40, 256, 1536, 2048}, 1 << 20, "Samples in k space.", 2},
}};

class MriQ : public SizedWorkload<kParameters, kLoopedAndVectorForm> {
  public:
    LOOKAHEAD_WORKLOAD_OF_VECTOR_FORMS(MriQ, mri_q)

    void run(Device& device) override {
        XorShift32 random(seed());
        for (auto& axis : k_) { axis = random.floats(samples_, -0.5f, 0.5f); }
        for (auto& axis : x_) { axis = random.floats(points_, -1.0f, 1.0f); }
        phi_real_ = random.floats(samples_, -1.0f, 1.0f);
        phi_imaginary_ = random.floats(samples_, -1.0f, 1.0f);

        const DeviceAddress phi_real = device.upload(phi_real_), phi_imaginary = device.upload(phi_imaginary_);
        const DeviceAddress magnitude = device.allocate(samples_ * sizeof(float));
        device.launch("mri_q_magnitude", {{blocks_for(samples_, kMagnitudeBlock)}, {kMagnitudeBlock}},
                      pack_parameters(phi_real, phi_imaginary, magnitude, s32(samples_)));
        magnitude_ = device.download<float>(magnitude, samples_);

        const DeviceAddress x = device.upload(x_[0]), y = device.upload(x_[1]), z = device.upload(x_[2]);
        const std::uint64_t bytes = points_ * sizeof(float);
        const DeviceAddress real = device.allocate(bytes), imaginary = device.allocate(bytes);
        device.fill(real, std::byte{0}, bytes);
        device.fill(imaginary, std::byte{0}, bytes);
        const DeviceAddress in_memory = is_original() ? 0 : device.allocate(kChunk * kWords * sizeof(float));
        for (std::int64_t first = 0; first < samples_; first += kChunk) {
            std::vector<float> chunk;
            for (std::int64_t k = first; k < std::min(first + kChunk, samples_); ++k) {
                chunk.insert(chunk.end(), {k_[0][k], k_[1][k], k_[2][k], magnitude_[k]});
            }
            const DeviceAddress samples = is_original() ? device.variable("mri_q_samples") : in_memory;
            device.copy_values(samples, chunk);
            const LaunchConfiguration shape{{blocks_for(points_, kBlock)}, {kBlock}};
            if (is_original()) {
                device.launch("mri_q", shape, pack_parameters(s32(samples_), s32(first), x, y, z, real, imaginary));
            } else {
                device.launch(kernel_, shape,
                              pack_parameters(samples, s32(chunk.size() / kWords), x, y, z, real, imaginary));
            }
        }
        real_ = device.download<float>(real, points_);
        imaginary_ = device.download<float>(imaginary, points_);
    }

    CheckReport check() const override {
        std::vector<double> magnitude(samples_), real(points_, 0.0), imaginary(points_, 0.0);
        double scale = 0;
        for (std::int64_t k = 0; k < samples_; ++k) {
            magnitude[k] = double{phi_real_[k]} * phi_real_[k] + double{phi_imaginary_[k]} * phi_imaginary_[k];
            scale += magnitude[k];
        }
        for (std::int64_t i = 0; i < points_; ++i) {
            for (std::int64_t k = 0; k < samples_; ++k) {
                double dot = 0;
                for (int axis = 0; axis < 3; ++axis) { dot += double{k_[axis][k]} * x_[axis][i]; }
                real[i] += magnitude[k] * std::cos(2 * std::numbers::pi * dot);
                imaginary[i] += magnitude[k] * std::sin(2 * std::numbers::pi * dot);
            }
        }
        return all_of({compare_close("magnitude", magnitude_, magnitude, kTolerance),
                       compare_close("real part of Q", real_, real, kTolerance, scale),
                       compare_close("imaginary part of Q", imaginary_, imaginary, kTolerance, scale)});
    }

  private:
    const std::int64_t points_ = value(0), samples_ = value(1);
    const std::string kernel_ = kernel_of_form("mri_q", word(0), word(1), word(2));
    std::array<std::vector<float>, 3> k_, x_;
    std::vector<float> phi_real_, phi_imaginary_, magnitude_, real_, imaginary_;
};

LOOKAHEAD_REGISTER_WORKLOAD(MriQ, mri_q)

}  // namespace lookahead::workloads::mri_q
