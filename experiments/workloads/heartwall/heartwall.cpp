#include "core/error/error.h"
#include "experiments/workloads/heartwall/files.h"
#include "experiments/workloads/sized_workload.h"

namespace lookahead::workloads::heartwall {

constexpr std::uint32_t kThreads = 256;
constexpr std::int64_t kMostPoints = 256, kMostTemplateRadius = 25, kMostWindowRadius = 40, kMove = 10;
constexpr float kKeep = 0.88f;
/// For a correlation or pixel, both at most 1: sums of squares minus squared sums lose two or three digits, and
/// observed errors are below 1e-4.
constexpr double kTolerance = 3e-4;

constexpr std::array<SizedParameter, 5> kParameters{{
    {"points", "point", {3, 20, 120, 51}, kMostPoints, "Points of the wall, one block each; 51 in the suite."},
    {"frames", "frame", {4, 2, 2, 2}, 1 << 12, "Frames; the first gives the templates. Up to 104 in the suite."},
    {"template_radius", "pixel", {4, 6, 8, 25}, kMostTemplateRadius, "Radius of the templates; 25 in the suite."},
    {"window_radius", "pixel", {9, 12, 15, 40}, kMostWindowRadius, "Radius of the searched window; 40 in the suite."},
    {"update_every", "frame", {2, 10, 10, 10}, 1 << 12, "Frames between updates of the templates; 10 in the suite."},
}};

/// The kernel's structure.
struct Common {
    std::int32_t frame_rows, frames;
    std::int32_t template_radius, window_radius;
    std::int32_t template_rows, window_rows, correlation_rows, padded_rows;
    std::int32_t update_every;
    float keep;
};
struct Frame {
    DeviceAddress pixels;
    std::int32_t number;
};
struct Point {
    DeviceAddress row, column, track_rows, track_columns;
    DeviceAddress pattern, pattern_squares, window, window_squares, convolution;
    DeviceAddress padded, padded_ends, strips, strip_ends, sums, square_sums, mask, masked;
};

class Heartwall : public SizedWorkload<kParameters> {
  public:
    LOOKAHEAD_SIZED_WORKLOAD(Heartwall, heartwall)

    void run(Device& device) override {
        if (template_radius_ >= window_radius_) {
            throw ConfigurationError("heartwall: template_radius = {} is not less than window_radius = {}.",
                                     template_radius_, window_radius_);
        }
        XorShift32 random(seed());
        place_points(random);
        make_texture(random);
        const Common common{
            s32(frame_rows_),  s32(frames_), s32(template_radius_), s32(window_radius_), s32(template_rows_),
            s32(window_rows_), s32(rows_),   s32(padded_rows_),     s32(update_every_),  kKeep};
        device.copy_values(device.variable("heartwall_common"), std::span(&common, 1));
        const DeviceAddress row = device.upload(rows_at_), column = device.upload(columns_at_);
        const std::uint64_t track_bytes = points_ * frames_ * sizeof(std::int32_t);
        const DeviceAddress track_rows = device.allocate(track_bytes), track_columns = device.allocate(track_bytes);
        const std::vector<Point> points = make_points(device, row, column, track_rows, track_columns);
        device.copy_values(device.variable("heartwall_points"), points);

        const DeviceAddress pixels = device.allocate(frame_rows_ * frame_rows_ * sizeof(float));
        film_.clear();
        for (std::int64_t i = 0; i < frames_; ++i) {
            film_.push_back(make_frame(i, random));
            device.copy_values(pixels, film_.back());
            const Frame frame{pixels, s32(i)};
            device.copy_values(device.variable("heartwall_frame"), std::span(&frame, 1));
            device.launch("heartwall_track", {{u32(points_)}, {kThreads}}, {});
        }
        track_rows_ = device.download<std::int32_t>(track_rows, points_ * frames_);
        track_columns_ = device.download<std::int32_t>(track_columns, points_ * frames_);
        patterns_.clear();
        masked_.clear();
        for (const Point& point : points) {
            const auto pattern = device.download<float>(point.pattern, template_rows_ * template_rows_);
            patterns_.insert(patterns_.end(), pattern.begin(), pattern.end());
            if (frames_ == 1) { continue; }
            const auto masked = device.download<float>(point.masked, rows_ * rows_);
            masked_.insert(masked_.end(), masked.begin(), masked.end());
        }
    }

    /// Follows the device's tracks, because positions may differ if they are equal to the last digit: each must be the
    /// best that the mask allows, or as good. Compares the last frame's correlations and the templates too.
    CheckReport check() const override {
        std::vector<double> patterns, masked;
        for (std::int64_t point = 0; point < points_; ++point) {
            std::int32_t row = rows_at_[point], column = columns_at_[point];
            const std::int32_t* track_rows = &track_rows_[point * frames_];
            const std::int32_t* track_columns = &track_columns_[point * frames_];
            std::vector<double> pattern = pixels_around(0, row, column, template_radius_), correlation;
            if (track_rows[0] != row || track_columns[0] != column) {
                return wrong(point, 0, "does not begin at its point");
            }
            for (std::int64_t frame = 1; frame < frames_; ++frame) {
                correlation.assign(rows_ * rows_, 0.0);
                const double best = correlate(pattern, frame, row, column, track_rows[frame - 1],
                                              track_columns[frame - 1], correlation);
                const std::int64_t r = track_rows[frame] - row + reach_, c = track_columns[frame] - column + reach_;
                if (r < 0 || r >= rows_ || c < 0 || c >= rows_ ||
                    !(std::abs(correlation[c * rows_ + r]) >= best - 2 * kTolerance)) {
                    return wrong(point, frame, "is not where the correlation is largest");
                }
                if (frame % update_every_ != 0) { continue; }
                row = track_rows[frame];
                column = track_columns[frame];
                const std::vector<double> now = pixels_around(frame, row, column, template_radius_);
                for (std::size_t i = 0; i < now.size(); ++i) {
                    pattern[i] = kKeep * pattern[i] + (1.0 - kKeep) * now[i];
                }
            }
            patterns.insert(patterns.end(), pattern.begin(), pattern.end());
            masked.insert(masked.end(), correlation.begin(), correlation.end());
        }
        return all_of({compare_close("template", patterns_, patterns, kTolerance),
                       compare_close("correlation", masked_, masked, kTolerance)});
    }

  private:
    static CheckReport wrong(std::int64_t point, std::int64_t frame, const std::string& what) {
        return {Outputs::mismatch, fmt::format("point {} in frame {} {}", point, frame, what)};
    }

    /// Pixels of the frame, column by column.
    std::vector<double> pixels_around(std::int64_t frame, std::int64_t row, std::int64_t column,
                                      std::int64_t radius) const {
        std::vector<double> pixels;
        for (std::int64_t c = column - radius; c <= column + radius; ++c) {
            for (std::int64_t r = row - radius; r <= row + radius; ++r) {
                pixels.push_back(film_[frame][c * frame_rows_ + r]);
            }
        }
        return pixels;
    }

    /// By definition, at positions that the mask allows: covariance over deviations, with zeros outside the window.
    double correlate(const std::vector<double>& pattern, std::int64_t frame, std::int64_t row, std::int64_t column,
                     std::int64_t row_before, std::int64_t column_before, std::vector<double>& correlation) const {
        const std::vector<double> window = pixels_around(frame, row, column, window_radius_);
        const auto n = static_cast<double>(pattern.size());
        double sum = 0, squares = 0, best = 0;
        for (const double pixel : pattern) { sum += pixel, squares += pixel * pixel; }
        const double norm = std::sqrt(n - 1) * std::sqrt(squares / n - sum / n * (sum / n));
        const std::int64_t r0 = row_before - row + reach_, c0 = column_before - column + reach_;
        for (std::int64_t c = std::max<std::int64_t>(c0 - kMove / 2, 0); c < std::min(c0 + kMove / 2, rows_); ++c) {
            for (std::int64_t r = std::max<std::int64_t>(r0 - kMove / 2, 0); r < std::min(r0 + kMove / 2, rows_); ++r) {
                double products = 0, there = 0, there_squares = 0;
                for (std::int64_t x = 0; x < template_rows_; ++x) {
                    for (std::int64_t y = 0; y < template_rows_; ++y) {
                        const std::int64_t wx = c - template_rows_ + 1 + x, wy = r - template_rows_ + 1 + y;
                        if (wx < 0 || wx >= window_rows_ || wy < 0 || wy >= window_rows_) { continue; }
                        const double pixel = window[wx * window_rows_ + wy];
                        products += pattern[x * template_rows_ + y] * pixel;
                        there += pixel;
                        there_squares += pixel * pixel;
                    }
                }
                const double value =
                    (products - there * sum / n) / (std::sqrt(there_squares - there * there / n) * norm);
                correlation[c * rows_ + r] = value;
                best = std::max(best, std::abs(value));
            }
        }
        return best;
    }

    std::vector<Point> make_points(Device& device, DeviceAddress row, DeviceAddress column, DeviceAddress track_rows,
                                   DeviceAddress track_columns) const {
        const auto words = [&device](std::int64_t count) { return device.allocate(count * sizeof(float)); };
        std::vector<Point> points;
        for (std::int64_t i = 0; i < points_; ++i) {
            const std::uint64_t at = i * sizeof(std::int32_t), track = at * frames_;
            const std::int64_t pattern = template_rows_ * template_rows_, window = window_rows_ * window_rows_;
            const std::int64_t strips = rows_ * padded_rows_, square = rows_ * rows_;
            points.push_back({row + at, column + at, track_rows + track, track_columns + track, words(pattern),
                              words(pattern), words(window), words(window), words(square),
                              words(padded_rows_ * padded_rows_), words(strips), words(strips), words(square),
                              words(square), words(square), words(square), words(square)});
        }
        return points;
    }

    /// Points lie in a ring around the middle of the frame.
    void place_points(XorShift32& random) {
        rows_at_.clear();
        columns_at_.clear();
        while (static_cast<std::int64_t>(rows_at_.size()) < points_) {
            const std::int64_t y = static_cast<std::int64_t>(random.next() % (2 * ring_ + 1)) - ring_;
            const std::int64_t x = static_cast<std::int64_t>(random.next() % (2 * ring_ + 1)) - ring_;
            const std::int64_t square = x * x + y * y;
            if (square > ring_ * ring_ || 4 * square < ring_ * ring_) { continue; }
            rows_at_.push_back(s32(frame_rows_ / 2 + y));
            columns_at_.push_back(s32(frame_rows_ / 2 + x));
        }
    }

    /// Random brightness at every kGrain-th pixel. The film scales it as the heart beats.
    void make_texture(XorShift32& random) {
        texture_.resize(texture_rows_ * texture_rows_);
        for (std::uint32_t& grain : texture_) { grain = random.next() >> 24; }
    }

    /// Uses multiples of 1/256 for positions and weights, so that every host makes the same frame.
    std::vector<float> make_frame(std::int64_t number, XorShift32& random) const {
        const std::int64_t phase = number % 8, percent = 100 + std::min(phase, 8 - phase);
        std::vector<float> frame(frame_rows_ * frame_rows_);
        const auto scaled = [&](std::int64_t i) {
            return (i - frame_rows_ / 2) * 256 * percent / (100 * kGrain) + texture_rows_ / 2 * 256;
        };
        for (std::int64_t column = 0; column < frame_rows_; ++column) {
            for (std::int64_t row = 0; row < frame_rows_; ++row) {
                const std::int64_t x = scaled(column), y = scaled(row), at = (x >> 8) * texture_rows_ + (y >> 8);
                const std::int64_t fx = x & 255, fy = y & 255;
                const std::int64_t brightness =
                    (256 - fx) * ((256 - fy) * texture_[at] + fy * texture_[at + 1]) +
                    fx * ((256 - fy) * texture_[at + texture_rows_] + fy * texture_[at + texture_rows_ + 1]);
                // From 0.2 to 1, plus noise.
                frame[column * frame_rows_ + row] =
                    static_cast<float>(16384 + (brightness >> 8) + (random.next() & 1023)) / 81920.0f;
            }
        }
        return frame;
    }

    static constexpr std::int64_t kGrain = 3;

    const std::int64_t points_ = value(0), frames_ = value(1), template_radius_ = value(2), window_radius_ = value(3);
    const std::int64_t update_every_ = value(4);
    const std::int64_t template_rows_ = 2 * template_radius_ + 1, window_rows_ = 2 * window_radius_ + 1;
    const std::int64_t rows_ = template_rows_ + window_rows_ - 1, padded_rows_ = window_rows_ + 2 * template_rows_;
    const std::int64_t reach_ = template_radius_ + window_radius_;
    /// Windows stay inside the frame: a beat moves a point by at most a 25th of the ring.
    const std::int64_t ring_ = 4 * window_radius_, frame_rows_ = 2 * (ring_ + 2 * window_radius_);
    const std::int64_t texture_rows_ = frame_rows_ * 104 / 100 / kGrain + 8;
    std::vector<std::int32_t> rows_at_, columns_at_, track_rows_, track_columns_;
    std::vector<std::uint32_t> texture_;
    std::vector<std::vector<float>> film_;
    std::vector<float> patterns_, masked_;
};

LOOKAHEAD_REGISTER_WORKLOAD(Heartwall, heartwall)

}  // namespace lookahead::workloads::heartwall
