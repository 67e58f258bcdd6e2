#include <numbers>

#include "core/error/error.h"
#include "experiments/workloads/leukocyte/files.h"
#include "experiments/workloads/sized_workload.h"

namespace lookahead::workloads::leukocyte {

constexpr std::int64_t kCircles = 7, kMostPoints = 150, kFirstRadius = 8, kRadiusStep = 2, kBorder = 22;
constexpr std::int64_t kDilateThreads = 176, kMostReach = 12;
constexpr std::int64_t kCellRows = 41, kCellColumns = 81, kCellPixels = kCellRows * kCellColumns, kCellThreads = 320;
/// A field is done at this mean change.
constexpr float kLeastChange = 1e-3f;
constexpr double kTolerance = 1e-3;

constexpr std::array<SizedParameter, 6> kParameters{{
    {"width", "pixel", {52, 104, 204, 640}, 4096, "Width of the image; 640 in the suite."},
    {"height", "pixel", {76, 220, 220, 220}, 512, "Height: threads of a block plus twice 22; 219 in the suite."},
    {"points", "point", {10, 15, 150, 150}, kMostPoints, "Points of a circle; 150 in the suite."},
    {"reach", "pixel", {2, 5, 12, 12}, kMostReach, "Radius of the disc for the dilation; 12 in the suite."},
    {"cells", "cell", {1, 15, 60, 36}, 4096, "Maximum number of cells to outline; 36 in the suite."},
    {"iterations", "iteration", {2, 3, 6, 500}, 1 << 16, "Maximum number of iterations per outline; 500 in the suite."},
}};

/// Computed by its series, so that inputs do not depend on the host's library. For angles between -pi and pi.
double sine(double angle) {
    double term = angle, sum = angle;
    for (int i = 2; i < 40; i += 2) {
        term *= -angle * angle / (i * (i + 1));
        sum += term;
    }
    return sum;
}

struct Direction {
    double cosine, sine;
};

Direction direction(std::int64_t point, std::int64_t points) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(point) / static_cast<double>(points);
    const auto reduced = [](double a) { return a > std::numbers::pi ? a - 2 * std::numbers::pi : a; };
    return {sine(reduced(reduced(angle + std::numbers::pi / 2))), sine(reduced(angle))};
}

class Leukocyte : public SizedWorkload<kParameters> {
  public:
    LOOKAHEAD_SIZED_WORKLOAD(Leukocyte, leukocyte)

    void run(Device& device) override {
        check_shape();
        make_image();
        set_constants(device);
        const std::int64_t pixels = width_ * height_;
        const std::uint64_t bytes = pixels * sizeof(float);
        const DeviceAddress gicov = device.allocate(bytes), dilated = device.allocate(bytes);
        device.fill(gicov, std::byte{0}, bytes);
        const DeviceAddress across = device.upload(across_), along = device.upload(along_);
        const auto width = s32(width_), height = s32(height_);
        device.launch("leukocyte_gicov", {{u32(width_ - 2 * kBorder)}, {u32(height_ - 2 * kBorder)}},
                      pack_parameters(gicov, across, along, height, s32(points_)));
        device.launch("leukocyte_dilate", {{blocks_for(pixels, kDilateThreads)}, {kDilateThreads}},
                      pack_parameters(dilated, gicov, width, height, s32(reach_)));
        gicov_ = device.download<float>(gicov, pixels);
        dilated_ = device.download<float>(dilated, pixels);

        find_cells();
        const std::size_t words = cells_.size() * kCellPixels;
        const DeviceAddress fields = device.allocate(words * sizeof(float)), edges = device.upload(edges_);
        const DeviceAddress iterations = device.allocate(cells_.size() * sizeof(std::int32_t));
        device.launch("leukocyte_imgvf", {{u32(cells_.size())}, {kCellThreads}},
                      pack_parameters(fields, edges, s32(most_iterations_), kLeastChange, iterations));
        fields_ = device.download<float>(fields, words);
        iterations_ = device.download<std::int32_t>(iterations, cells_.size());
    }

    CheckReport check() const override {
        std::vector<double> fields;
        for (std::size_t cell = 0; cell < cells_.size(); ++cell) {
            const CheckReport report = outline(cell, fields);
            if (report.outputs != Outputs::match) { return report; }
        }
        return all_of({compare_close("GICOV", gicov_, reference_gicov(), kTolerance),
                       compare_exact("dilated GICOV", dilated_, reference_dilated()),
                       compare_close("field", fields_, fields, kTolerance)});
    }

  private:
    void check_shape() const {
        if (width_ <= 2 * kBorder || height_ <= 2 * kBorder || points_ < 2) {
            throw ConfigurationError(
                "leukocyte: the image is {} x {} with {} points per circle; more than 44 pixels each way and 2 points "
                "are needed",
                width_, height_, points_);
        }
    }

    /// Bright discs the size of cells on noisy ground, and their gradients.
    void make_image() {
        XorShift32 random(seed());
        std::vector<float> image = random.floats(width_ * height_, 0.3f, 0.5f);
        for (std::int64_t cell = 0; cell < std::max<std::int64_t>(width_ * height_ / 4000, 1); ++cell) {
            const auto x = static_cast<std::int64_t>(random.next() % width_);
            const auto y = static_cast<std::int64_t>(random.next() % height_);
            const auto radius = static_cast<std::int64_t>(kFirstRadius + random.next() % 12);
            for (std::int64_t i = 0; i < width_ * height_; ++i) {
                const std::int64_t dx = i / height_ - x, dy = i % height_ - y;
                if (dx * dx + dy * dy <= radius * radius) { image[i] += 0.3f; }
            }
        }
        across_.assign(image.size(), 0.0f);
        along_.assign(image.size(), 0.0f);
        for (std::int64_t x = 1; x < width_ - 1; ++x) {
            for (std::int64_t y = 1; y < height_ - 1; ++y) {
                const std::int64_t i = x * height_ + y;
                across_[i] = 0.5f * (image[i + height_] - image[i - height_]);
                along_[i] = 0.5f * (image[i + 1] - image[i - 1]);
            }
        }
    }

    void set_constants(Device& device) {
        std::vector<float> cosines(kMostPoints), sines(kMostPoints);
        offsets_.assign(kCircles * kMostPoints, 0);
        for (std::int64_t i = 0; i < points_; ++i) {
            const Direction d = direction(i, points_);
            cosines[i] = static_cast<float>(d.cosine);
            sines[i] = static_cast<float>(d.sine);
            for (std::int64_t circle = 0; circle < kCircles; ++circle) {
                const auto radius = static_cast<double>(kFirstRadius + kRadiusStep * circle);
                // The additional thousandth keeps points on the axes independent of the last bit.
                const auto x = static_cast<std::int64_t>(std::floor(radius * d.cosine + 0.501));
                const auto y = static_cast<std::int64_t>(std::floor(radius * d.sine + 0.501));
                offsets_[circle * kMostPoints + i] = s32(x * height_ + y);
            }
        }
        const std::int64_t side = 2 * reach_ + 1;
        disc_.clear();
        for (std::int64_t i = 0; i < side * side; ++i) {
            const std::int64_t x = i % side - reach_, y = i / side - reach_;
            disc_.push_back(x * x + y * y <= reach_ * reach_);
        }
        const auto set = [&](const char* name, const auto& values) {
            device.copy_values(device.variable(name), values);
        };
        set("leukocyte_cosines", cosines);
        set("leukocyte_sines", sines);
        set("leukocyte_offsets", offsets_);
        set("leukocyte_disc", disc_);
    }

    /// Finds local maxima of GICOV, best first, and the edges around them.
    void find_cells() {
        cells_.clear();
        for (std::int64_t i = 0; i < width_ * height_; ++i) {
            if (gicov_[i] > 0.0f && gicov_[i] == dilated_[i]) { cells_.push_back(i); }
        }
        std::ranges::stable_sort(cells_, std::greater<>(), [&](std::int64_t i) { return gicov_[i]; });
        if (static_cast<std::int64_t>(cells_.size()) > most_cells_) { cells_.resize(most_cells_); }
        if (cells_.empty()) { cells_.push_back(width_ / 2 * height_ + height_ / 2); }
        edges_.clear();
        for (const std::int64_t cell : cells_) {
            float most = 1e-6f;
            const std::size_t first = edges_.size();
            for (std::int64_t i = 0; i < kCellPixels; ++i) {
                const std::int64_t x = cell / height_ + i % kCellColumns - kCellColumns / 2;
                const std::int64_t y = cell % height_ + i / kCellColumns - kCellRows / 2;
                const std::int64_t place =
                    std::clamp<std::int64_t>(x, 0, width_ - 1) * height_ + std::clamp<std::int64_t>(y, 0, height_ - 1);
                edges_.push_back(std::sqrt(across_[place] * across_[place] + along_[place] * along_[place]));
                most = std::max(most, edges_.back());
            }
            for (std::size_t i = first; i < edges_.size(); ++i) { edges_[i] /= most; }
        }
    }

    std::vector<double> reference_gicov() const {
        std::vector<double> gicov(width_ * height_, 0.0), outward(points_);
        for (std::int64_t x = kBorder; x < width_ - kBorder; ++x) {
            for (std::int64_t y = kBorder; y < height_ - kBorder; ++y) {
                double& best = gicov[x * height_ + y];
                for (std::int64_t circle = 0; circle < kCircles; ++circle) {
                    double mean = 0, variance = 0;
                    for (std::int64_t i = 0; i < points_; ++i) {
                        const std::int64_t there = x * height_ + y + offsets_[circle * kMostPoints + i];
                        const Direction d = direction(i, points_);
                        outward[i] = across_[there] * d.cosine + along_[there] * d.sine;
                        mean += outward[i] / static_cast<double>(points_);
                    }
                    for (const double value : outward) {
                        variance += (value - mean) * (value - mean) / static_cast<double>(points_ - 1);
                    }
                    best = std::max(best, mean * mean / variance);
                }
            }
        }
        return gicov;
    }

    /// Computed from the device's own GICOV, so it must be equal.
    std::vector<float> reference_dilated() const {
        std::vector<float> dilated(width_ * height_, 0.0f);
        const std::int64_t side = 2 * reach_ + 1;
        for (std::int64_t i = 0; i < side * side; ++i) {
            if (disc_[i] == 0) { continue; }
            const std::int64_t dx = i % side - reach_, dy = i / side - reach_;
            for (std::int64_t x = std::max<std::int64_t>(0, -dx); x < std::min(width_, width_ - dx); ++x) {
                for (std::int64_t y = std::max<std::int64_t>(0, -dy); y < std::min(height_, height_ - dy); ++y) {
                    float& most = dilated[x * height_ + y];
                    most = std::max(most, gicov_[(x + dx) * height_ + y + dy]);
                }
            }
        }
        return dilated;
    }

    /// Appends a cell's field after the device's number of iterations, which must be the right number.
    CheckReport outline(std::size_t cell, std::vector<double>& fields) const {
        std::vector<double> edge(kCellPixels);
        for (std::int64_t i = 0; i < kCellPixels; ++i) { edge[i] = edges_[cell * kCellPixels + i]; }
        std::vector<double> field = edge, next(kCellPixels);
        const std::int32_t count = iterations_[cell];
        for (std::int32_t iteration = 1; iteration <= count; ++iteration) {
            double change = 0;
            for (std::int64_t i = 0; i < kCellPixels; ++i) {
                double in = 0;
                for (std::int64_t dy = -1; dy <= 1; ++dy) {
                    for (std::int64_t dx = -1; dx <= 1; ++dx) {
                        const std::int64_t row = std::clamp<std::int64_t>(i / kCellColumns + dy, 0, kCellRows - 1);
                        const std::int64_t column =
                            std::clamp<std::int64_t>(i % kCellColumns + dx, 0, kCellColumns - 1);
                        const double difference = field[row * kCellColumns + column] - field[i];
                        in += std::clamp(0.5 + difference * static_cast<double>(dx + dy) * 50, 0.0, 1.0) * difference;
                    }
                }
                const double moved = field[i] + 0.1 * in;
                next[i] = moved - 0.2 * edge[i] * (moved - edge[i]);
                change += std::abs(next[i] - field[i]) / kCellPixels;
            }
            field.swap(next);
            const bool is_last = iteration == count;
            const bool is_wrong = is_last ? count < most_iterations_ && change > kLeastChange * (1 + kTolerance)
                                          : change < kLeastChange * (1 - kTolerance);
            if (is_wrong || count > most_iterations_) {
                return {Outputs::mismatch,
                        fmt::format("iterations[{}] is {}; the CPU reference's change after {} is {}", cell, count,
                                    iteration, change)};
            }
        }
        fields.insert(fields.end(), field.begin(), field.end());
        return {};
    }

    const std::int64_t width_ = value(0), height_ = value(1), points_ = value(2), reach_ = value(3);
    const std::int64_t most_cells_ = value(4), most_iterations_ = value(5);
    std::vector<float> across_, along_, gicov_, dilated_, edges_, fields_;
    std::vector<std::int32_t> offsets_, disc_, iterations_;
    std::vector<std::int64_t> cells_;
};

LOOKAHEAD_REGISTER_WORKLOAD(Leukocyte, leukocyte)

}  // namespace lookahead::workloads::leukocyte
