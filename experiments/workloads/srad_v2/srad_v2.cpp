#include "experiments/workloads/forms.h"
#include "experiments/workloads/srad_v2/files.h"

namespace lookahead::workloads::srad_v2 {

/// The side of the square region without features.
constexpr std::int64_t kRegion = 16;
constexpr float kLambda = 0.5f;
/// Differences of close values are divided by each other.
constexpr double kTolerance = 1e-3;

constexpr std::array<SizedParameter, 3> kParameters{{
    {"columns", "pixel", {48, 384, 1024, 2048}, 1 << 14, "Width of the image.", 16, 32},
    {"rows", "pixel", {32, 384, 1024, 2048}, 1 << 14, "Height of the image.", 16, 32},
    {"steps", "step", {2, 2, 4, 100}, 1 << 14, "Steps of the diffusion."},
}};

class SradV2 : public SizedWorkload<kParameters, kWideForm> {
  public:
    LOOKAHEAD_WORKLOAD_OF_WIDE_FORM(SradV2, srad_v2)

    std::uint32_t most_threads(std::string_view) const override { return is_original() ? 0 : block_ * block_; }

    void run(Device& device) override {
        // The suite takes the exponential of random numbers in [0, 1); here they are uniform from 1 to 2.7.
        before_ = XorShift32(seed()).floats(columns_ * rows_, 1.0f, 2.7f);
        const std::uint64_t bytes = before_.size() * sizeof(float);
        const DeviceAddress image = device.upload(before_), coefficient = device.allocate(bytes);
        const DeviceAddress east = device.allocate(bytes), west = device.allocate(bytes);
        const DeviceAddress north = device.allocate(bytes), south = device.allocate(bytes);
        const LaunchConfiguration shape{{blocks_for(columns_, block_), blocks_for(rows_, block_)}, {block_, block_}};
        const auto columns = s32(columns_), rows = s32(rows_);
        for (std::int64_t step = 0; step < steps_; ++step) {
            // The host computes statistics of a region without features: here the image's first 16 x 16 pixels.
            const std::vector<float> now = device.download<float>(image, before_.size());
            const float q0_squared = speckle(now);
            device.launch("srad_coefficients", shape,
                          pack_parameters(east, west, north, south, image, coefficient, columns, rows, q0_squared));
            device.launch("srad_update", shape,
                          pack_parameters(east, west, north, south, image, coefficient, columns, rows, kLambda));
        }
        after_ = device.download<float>(image, before_.size());
    }

    CheckReport check() const override {
        std::vector<double> now(before_.begin(), before_.end()), c(now.size());
        std::vector<std::array<double, 4>> d(now.size());
        const auto at = [this](std::int64_t x, std::int64_t y) {
            return std::clamp<std::int64_t>(y, 0, rows_ - 1) * columns_ + std::clamp<std::int64_t>(x, 0, columns_ - 1);
        };
        for (std::int64_t step = 0; step < steps_; ++step) {
            const double q0 = speckle(now);
            for_each_point({}, {columns_, rows_, 1}, [&](auto x, auto y, auto) {
                const std::int64_t i = at(x, y);
                const double v = now[i];
                d[i] = {now[at(x, y - 1)] - v, now[at(x, y + 1)] - v, now[at(x - 1, y)] - v, now[at(x + 1, y)] - v};
                double gradient = 0, laplacian = 0;
                for (const double difference : d[i]) {
                    gradient += difference * difference / (v * v);
                    laplacian += difference / v;
                }
                const double denominator = 1 + 0.25 * laplacian;
                const double q = (0.5 * gradient - laplacian * laplacian / 16) / (denominator * denominator);
                c[i] = std::clamp(1 / (1 + (q - q0) / (q0 * (1 + q0))), 0.0, 1.0);
            });
            for_each_point({}, {columns_, rows_, 1}, [&](auto x, auto y, auto) {
                const std::int64_t i = at(x, y);
                now[i] += 0.25 * kLambda *
                          (c[i] * d[i][0] + c[at(x, y + 1)] * d[i][1] + c[i] * d[i][2] + c[at(x + 1, y)] * d[i][3]);
            });
        }
        return compare_close("pixel", after_, now, kTolerance);
    }

  private:
    template <class T>
    T speckle(const std::vector<T>& image) const {
        T sum = 0, squares = 0;
        for (std::int64_t y = 0; y < kRegion; ++y) {
            for (std::int64_t x = 0; x < kRegion; ++x) {
                const T pixel = image[y * columns_ + x];
                sum += pixel;
                squares += pixel * pixel;
            }
        }
        const T mean = sum / (kRegion * kRegion);
        return (squares / (kRegion * kRegion) - mean * mean) / (mean * mean);
    }

    const std::uint32_t block_ = is_original() ? 16 : 32;
    const std::int64_t columns_ = value(0), rows_ = value(1), steps_ = value(2);
    std::vector<float> before_, after_;
};

LOOKAHEAD_REGISTER_WORKLOAD(SradV2, srad_v2)

}  // namespace lookahead::workloads::srad_v2
