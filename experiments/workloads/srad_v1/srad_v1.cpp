#include "experiments/workloads/sized_workload.h"
#include "experiments/workloads/srad_v1/files.h"

namespace lookahead::workloads::srad_v1 {

constexpr std::int64_t kThreads = 512;
constexpr float kLambda = 0.5f;
/// Relative to 255: differences of close values are divided, and the statistics are single-precision sums of all
/// pixels.
constexpr double kTolerance = 1e-3, kScale = 255.0;

constexpr std::array<SizedParameter, 3> kParameters{{
    {"rows", "pixel", {40, 256, 512, 2048}, 1 << 13, "Height of the image; 502 in the suite."},
    {"columns", "pixel", {30, 229, 458, 2048}, 1 << 13, "Width of the image; 458 in the suite."},
    {"steps", "step", {2, 3, 12, 100}, 1 << 14, "Steps of the diffusion."},
}};

class SradV1 : public SizedWorkload<kParameters> {
  public:
    LOOKAHEAD_SIZED_WORKLOAD(SradV1, srad_v1)

    void run(Device& device) override {
        before_ = XorShift32(seed()).floats(pixels_, 0.0f, 255.0f);
        std::vector<std::int32_t> north_of, south_of, west_of, east_of;
        neighbours(rows_, north_of, south_of);
        neighbours(columns_, west_of, east_of);

        const std::uint64_t bytes = pixels_ * sizeof(float);
        const DeviceAddress image = device.upload(before_);
        const DeviceAddress n_of = device.upload(north_of), s_of = device.upload(south_of);
        const DeviceAddress w_of = device.upload(west_of), e_of = device.upload(east_of);
        const DeviceAddress n = device.allocate(bytes), s = device.allocate(bytes), w = device.allocate(bytes),
                            e = device.allocate(bytes), c = device.allocate(bytes), sums = device.allocate(bytes),
                            squares = device.allocate(bytes);
        const auto rows = s32(rows_), pixels = s32(pixels_);
        const LaunchConfiguration shape{{blocks_for(pixels_, kThreads)}, {kThreads}};
        device.launch("srad1_extract", shape, pack_parameters(pixels, image));
        for (std::int64_t step = 0; step < steps_; ++step) {
            device.launch("srad1_prepare", shape, pack_parameters(pixels, image, sums, squares));
            std::int32_t stride = 1;
            for (std::int64_t left = pixels_; left > 1; left = blocks_for(left, kThreads), stride *= kThreads) {
                device.launch("srad1_reduce", {{blocks_for(left, kThreads)}, {kThreads}},
                              pack_parameters(s32(left), stride, sums, squares));
            }
            const float sum = device.download<float>(sums, 1)[0], square = device.download<float>(squares, 1)[0];
            const float mean = sum / static_cast<float>(pixels_);
            const float q0_squared = (square / static_cast<float>(pixels_) - mean * mean) / (mean * mean);
            device.launch("srad1_coefficients", shape,
                          pack_parameters(rows, pixels, n_of, s_of, e_of, w_of, n, s, e, w, q0_squared, c, image));
            device.launch("srad1_update", shape,
                          pack_parameters(kLambda, rows, pixels, s_of, e_of, n, s, e, w, c, image));
        }
        device.launch("srad1_compress", shape, pack_parameters(pixels, image));
        after_ = device.download<float>(image, pixels_);
    }

    CheckReport check() const override {
        std::vector<double> now, c(pixels_);
        for (const float pixel : before_) { now.push_back(std::exp(double{pixel} / 255.0)); }
        std::vector<std::array<double, 4>> d(pixels_);
        const auto at = [this](std::int64_t row, std::int64_t column) {
            return std::clamp<std::int64_t>(row, 0, rows_ - 1) +
                   rows_ * std::clamp<std::int64_t>(column, 0, columns_ - 1);
        };
        for (std::int64_t step = 0; step < steps_; ++step) {
            double sum = 0, square = 0;
            for (const double pixel : now) { sum += pixel, square += pixel * pixel; }
            const double mean = sum / static_cast<double>(pixels_);
            const double q0 = (square / static_cast<double>(pixels_) - mean * mean) / (mean * mean);
            for (std::int64_t i = 0; i < pixels_; ++i) {
                const std::int64_t row = i % rows_, column = i / rows_;
                const double v = now[i];
                d[i] = {now[at(row - 1, column)] - v, now[at(row + 1, column)] - v, now[at(row, column - 1)] - v,
                        now[at(row, column + 1)] - v};
                double gradient = 0, laplacian = 0;
                for (const double difference : d[i]) {
                    gradient += difference * difference / (v * v);
                    laplacian += difference / v;
                }
                const double denominator = 1 + 0.25 * laplacian;
                const double q = (0.5 * gradient - laplacian * laplacian / 16) / (denominator * denominator);
                c[i] = std::clamp(1 / (1 + (q - q0) / (q0 * (1 + q0))), 0.0, 1.0);
            }
            for (std::int64_t i = 0; i < pixels_; ++i) {
                const std::int64_t row = i % rows_, column = i / rows_;
                now[i] += 0.25 * kLambda *
                          (c[i] * d[i][0] + c[at(row + 1, column)] * d[i][1] + c[i] * d[i][2] +
                           c[at(row, column + 1)] * d[i][3]);
            }
        }
        for (double& pixel : now) { pixel = std::log(pixel) * 255.0; }
        return compare_close("pixel", after_, now, kTolerance, kScale);
    }

  private:
    /// The previous and next of n rows or columns; a border one is its own neighbour.
    static void neighbours(std::int64_t n, std::vector<std::int32_t>& before, std::vector<std::int32_t>& behind) {
        for (std::int32_t i = 0; i < n; ++i) {
            before.push_back(std::max(i - 1, 0));
            behind.push_back(std::min(i + 1, s32(n) - 1));
        }
    }

    const std::int64_t rows_ = value(0), columns_ = value(1), steps_ = value(2), pixels_ = rows_ * columns_;
    std::vector<float> before_, after_;
};

LOOKAHEAD_REGISTER_WORKLOAD(SradV1, srad_v1)

}  // namespace lookahead::workloads::srad_v1
