#include "experiments/workloads/sized_workload.h"
#include "experiments/workloads/streamcluster/files.h"

namespace lookahead::workloads::streamcluster {

constexpr std::int64_t kThreads = 512, kFirstCentres = 10;
constexpr std::int64_t kRowMultiple = 8;  // in words: rows of sums begin at multiples of 32 bytes, as in the suite

constexpr std::array<SizedParameter, 3> kParameters{{
    {"points", "point", {700, 24608, 65056, 65056}, 1 << 20, "Points of the chunk; 65536 in the suite."},
    {"dimensions", "dimension", {12, 64, 256, 256}, 1 << 12, "Dimensions; 256 in the suite."},
    {"candidates", "point", {12, 5, 6, 64}, 1 << 16, "Points that are tried as centres, one launch each."},
}};

/// The kernel's structure.
struct Point {
    float weight = 1.0f;
    std::uint64_t coordinates = 0;
    std::int64_t assigned = 0;
    float cost = 0.0f;
};
static_assert(sizeof(Point) == 32);

/// A candidate's effect: the points that would move to it, and a row of sums for each point.
struct Gain {
    std::vector<std::uint8_t> moves;
    std::vector<float> lower;
};

class StreamCluster : public SizedWorkload<kParameters> {
  public:
    LOOKAHEAD_SIZED_WORKLOAD(StreamCluster, streamcluster)

    void run(Device& device) override {
        make_points();
        const DeviceAddress coordinates = device.upload(coordinates_);
        const DeviceAddress points = device.allocate(points_ * sizeof(Point));
        const DeviceAddress moves = device.allocate(points_), places = device.allocate(points_ * sizeof(std::int32_t));
        found_ = cluster([&](const Clusters& now, std::int32_t candidate) {
            const auto centres = s32(now.centres), stride = now.stride();
            const std::uint64_t words = points_ * stride;
            const DeviceAddress lower = device.allocate(words * sizeof(float));
            device.copy_values(points, now.points);
            device.copy_values(places, now.place_of_centre);
            device.fill(moves, std::byte{0}, points_);
            device.fill(lower, std::byte{0}, words * sizeof(float));
            device.launch("streamcluster_gain", {{blocks_for(points_, kThreads)}, {kThreads}},
                          pack_parameters(s32(points_), s32(dimensions_), candidate, points, centres, stride,
                                          coordinates, lower, places, moves));
            Gain gain{device.download<std::uint8_t>(moves, points_), device.download<float>(lower, words)};
            device.release(lower);
            return gain;
        });
    }

    CheckReport check() const override {
        const Found expected = cluster([this](const Clusters& now, std::int32_t candidate) {
            const std::int32_t stride = now.stride();
            const std::vector<double> costs = distances(candidate);
            Gain gain{std::vector<std::uint8_t>(points_, 0), std::vector<float>(points_ * stride, 0.0f)};
            for (std::int64_t i = 0; i < points_; ++i) {
                const double change = costs[i] - now.points[i].cost;
                if (change < 0) {
                    gain.moves[i] = 1;
                    gain.lower[i * stride + now.centres] = static_cast<float>(change);
                } else {
                    const std::int32_t place = now.place_of_centre[now.points[i].assigned];
                    gain.lower[i * stride + place] = static_cast<float>(-change);
                }
            }
            return gain;
        });
        return all_of({compare_exact("who moves", found_.moves, expected.moves),
                       compare_exact("sum", found_.sums, expected.sums),
                       compare_exact("centre", found_.assigned, expected.assigned),
                       compare_exact("cost", found_.costs, expected.costs)});
    }

  private:
    struct Clusters {
        std::vector<Point> points;
        std::vector<std::int32_t> place_of_centre;  ///< by point: its index among the centres, if it is one
        std::int64_t centres = 0;

        std::int32_t stride() const { return s32((centres + kRowMultiple) / kRowMultiple * kRowMultiple); }
    };
    struct Found {
        std::vector<std::uint8_t> moves;  ///< for each candidate and point
        std::vector<float> sums;          ///< over all points, for each candidate, centre and the moves
        std::vector<std::int32_t> assigned;
        std::vector<float> costs;
    };

    /// Coordinates are uniform as in the suite, but multiples of 1/64: squares, sums and costs are exact in single
    /// precision, so decisions are the same everywhere.
    void make_points() {
        XorShift32 random(seed());
        coordinates_.resize(points_ * dimensions_);
        for (float& coordinate : coordinates_) { coordinate = static_cast<float>(random.next() >> 26) / 64.0f; }
        candidates_.clear();
        for (std::int64_t i = 0; i < tried_; ++i) { candidates_.push_back(s32(random.next() % points_)); }
    }

    std::vector<double> distances(std::int64_t from) const {
        std::vector<double> sums(points_, 0.0);
        for (std::int64_t d = 0; d < dimensions_; ++d) {
            const float* row = &coordinates_[d * points_];
            for (std::int64_t i = 0; i < points_; ++i) {
                const double difference = double{row[i]} - row[from];
                sums[i] += difference * difference;
            }
        }
        return sums;
    }

    /// Searches with a cost per open centre: opens a candidate, and closes centres for it, if that is cheaper.
    /// `gain_of` computes a candidate's effect.
    template <class GainOf>
    Found cluster(GainOf gain_of) const {
        Clusters now;
        now.points.resize(points_);
        now.place_of_centre.assign(points_, 0);
        const std::int64_t spacing = points_ / kFirstCentres;
        for (std::int64_t centre = 0; centre < kFirstCentres; ++centre) {
            const std::vector<double> costs = distances(centre * spacing);
            for (std::int64_t i = 0; i < points_; ++i) {
                const auto cost = static_cast<float>(costs[i]);
                if (centre == 0 || cost < now.points[i].cost) {
                    now.points[i].cost = cost;
                    now.points[i].assigned = centre * spacing;
                }
            }
        }
        number_centres(now);

        Found found;
        for (const std::int32_t candidate : candidates_) {
            const Gain gain = gain_of(now, candidate);
            std::vector<double> sums(now.centres + 1, 0.0);
            for (std::int64_t i = 0; i < points_; ++i) {
                for (std::int64_t j = 0; j <= now.centres; ++j) { sums[j] += gain.lower[i * now.stride() + j]; }
            }
            found.moves.insert(found.moves.end(), gain.moves.begin(), gain.moves.end());
            for (const double sum : sums) { found.sums.push_back(static_cast<float>(sum)); }
            apply(now, candidate, gain.moves, sums);
        }
        for (const Point& point : now.points) {
            found.assigned.push_back(s32(point.assigned));
            found.costs.push_back(point.cost);
        }
        return found;
    }

    void apply(Clusters& now, std::int32_t candidate, const std::vector<std::uint8_t>& moves,
               const std::vector<double>& sums) const {
        // Approximates what a random point saves as a centre: the deviation of distances grows with the root of the
        // dimensions, and a tenth of the points would move.
        std::int64_t root = 1;
        while ((root + 1) * (root + 1) <= dimensions_) { ++root; }
        const double centre_cost = static_cast<double>(points_ * root) / 128;

        double change = centre_cost + sums[now.centres];
        std::vector<bool> closes(now.centres);
        for (std::int64_t i = 0; i < now.centres; ++i) {
            closes[i] = centre_cost + sums[i] > 0;
            if (closes[i]) { change -= centre_cost + sums[i]; }
        }
        if (change >= 0) { return; }
        const std::vector<double> costs = distances(candidate);
        for (std::int64_t i = 0; i < points_; ++i) {
            Point& point = now.points[i];
            if (moves[i] != 0 || closes[now.place_of_centre[point.assigned]]) {
                point.cost = static_cast<float>(costs[i]);
                point.assigned = candidate;
            }
        }
        number_centres(now);
    }

    static void number_centres(Clusters& now) {
        std::vector<bool> is_centre(now.points.size(), false);
        for (const Point& point : now.points) { is_centre[point.assigned] = true; }
        now.centres = 0;
        for (std::size_t i = 0; i < now.points.size(); ++i) {
            if (is_centre[i]) { now.place_of_centre[i] = s32(now.centres++); }
        }
    }

    const std::int64_t points_ = value(0), dimensions_ = value(1), tried_ = value(2);
    std::vector<float> coordinates_;
    std::vector<std::int32_t> candidates_;
    Found found_;
};

LOOKAHEAD_REGISTER_WORKLOAD(StreamCluster, streamcluster)

}  // namespace lookahead::workloads::streamcluster
