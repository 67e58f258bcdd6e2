#include <numbers>

#include "experiments/workloads/dct8x8/files.h"
#include "experiments/workloads/sized_workload.h"

namespace lookahead::workloads::dct8x8 {

constexpr std::int64_t kSide = 8, kWidth = 32, kHeight = 16;
/// Pixels are 0 to 255, coefficients up to 2040.
constexpr double kTolerance = 1e-5, kScale = 255.0;

constexpr std::array<SizedParameter, 3> kParameters{{
    {"width", "pixel", {64, 1536, 6144, 8192}, 1 << 14, "Width of the image.", kWidth},
    {"height", "pixel", {32, 1536, 6144, 8192}, 1 << 14, "Height of the image.", kHeight},
    {"rounds", "round", {1, 1, 1, 1}, 1 << 10, "Transforms of the same image."},
}};

class Dct8x8 : public SizedWorkload<kParameters> {
  public:
    LOOKAHEAD_SIZED_WORKLOAD(Dct8x8, dct8x8)

    void run(Device& device) override {
        XorShift32 random(seed());
        image_.resize(width_ * height_);
        for (float& pixel : image_) { pixel = static_cast<float>(random.next() % 256) - 128.0f; }
        const DeviceAddress image = device.upload(image_), out = device.allocate(image_.size() * sizeof(float));
        for (std::int64_t round = 0; round < rounds_; ++round) {
            device.launch("dct8x8", {{blocks_for(width_, kWidth), blocks_for(height_, kHeight)}, {kSide, 4, 2}},
                          pack_parameters(out, image, s32(width_)));
        }
        out_ = device.download<float>(out, image_.size());
    }

    CheckReport check() const override {
        double cosine[kSide][kSide];  // by frequency and position, orthonormal
        for (std::int64_t k = 0; k < kSide; ++k) {
            for (std::int64_t i = 0; i < kSide; ++i) {
                cosine[k][i] = (k == 0 ? std::sqrt(0.125) : 0.5) *
                               std::cos(std::numbers::pi * static_cast<double>((2 * i + 1) * k) / 16);
            }
        }
        std::vector<double> expected(image_.size());
        for (std::int64_t y0 = 0; y0 < height_; y0 += kSide) {
            for (std::int64_t x0 = 0; x0 < width_; x0 += kSide) {
                double rows[kSide][kSide] = {};
                for (std::int64_t y = 0; y < kSide; ++y) {
                    for (std::int64_t k = 0; k < kSide; ++k) {
                        for (std::int64_t i = 0; i < kSide; ++i) {
                            rows[y][k] += cosine[k][i] * image_[(y0 + y) * width_ + x0 + i];
                        }
                    }
                }
                for (std::int64_t k = 0; k < kSide; ++k) {
                    for (std::int64_t x = 0; x < kSide; ++x) {
                        double sum = 0;
                        for (std::int64_t i = 0; i < kSide; ++i) { sum += cosine[k][i] * rows[i][x]; }
                        expected[(y0 + k) * width_ + x0 + x] = sum;
                    }
                }
            }
        }
        return compare_close("coefficient", out_, expected, kTolerance, kScale);
    }

  private:
    const std::int64_t width_ = value(0), height_ = value(1), rounds_ = value(2);
    std::vector<float> image_, out_;
};

LOOKAHEAD_REGISTER_WORKLOAD(Dct8x8, dct8x8)

}  // namespace lookahead::workloads::dct8x8
