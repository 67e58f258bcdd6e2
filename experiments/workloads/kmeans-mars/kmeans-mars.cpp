#include "experiments/workloads/kmeans-mars/files.h"
#include "experiments/workloads/sized_workload.h"

namespace lookahead::workloads::kmeans_mars {

constexpr std::uint32_t kBlock = 256;
/// A feature is a whole number below this: the square of a distance fits into 32 bits for 64 features.
constexpr std::uint32_t kFeatureRange = 8192;
constexpr std::int32_t kWordBytes = sizeof(std::int32_t);

constexpr std::array<SizedParameter, 4> kParameters{{
    {"points",
     "point",
     {200, 15360, 122880, 491520},
     1 << 22,
     "Points, records of the map phase; at least as many as clusters."},
    {"features", "feature", {16, 16, 16, 16}, 64, "Features of a point, whole numbers."},
    {"clusters", "cluster", {5, 8, 8, 8}, 64, "Clusters."},
    {"rounds", "round", {2, 3, 6, 20}, 1 << 10, "Rounds, unless no point changes its cluster in one."},
}};

/// The byte offsets of a record's key and value in the library; the kernel's Record.
struct Record {
    std::int32_t key_at, key_bytes, value_at, value_bytes;
};

class KmeansMars : public SizedWorkload<kParameters> {
  public:
    LOOKAHEAD_SIZED_WORKLOAD(KmeansMars, kmeans_mars)

    void run(Device& device) override {
        XorShift32 random(seed());
        points_.resize(static_cast<std::size_t>(points_count_ * features_));
        for (std::int32_t& feature : points_) { feature = s32(random.next() % kFeatureRange); }

        const std::uint64_t words = points_count_ * kWordBytes;
        const DeviceAddress directory = device.upload(directory_of(points_count_));
        const DeviceAddress keys = device.upload(std::vector<std::int32_t>(points_count_, -1));
        const DeviceAddress values = device.upload(points_);
        const DeviceAddress centroid_directory = device.upload(directory_of(clusters_));
        const DeviceAddress centroids = device.allocate(clusters_ * features_ * kWordBytes);
        const DeviceAddress key_bytes = device.allocate(words), value_bytes = device.allocate(words);
        const DeviceAddress out_keys = device.allocate(words), out_values = device.allocate(words);
        const DeviceAddress changed = device.allocate(kWordBytes);
        const auto records = s32(points_count_);
        const LaunchConfiguration shape{{blocks_for(points_count_, kBlock)}, {kBlock}};

        result_ = cluster([&](const std::vector<std::int32_t>& centres) {
            device.copy_values(centroids, centres);
            device.copy_values(changed, std::vector<std::int32_t>{0});
            device.launch("mars_kmeans_map_count", shape, pack_parameters(directory, key_bytes, value_bytes, records));
            const DeviceAddress key_at = device.upload(places(device.download<std::int32_t>(key_bytes, points_count_)));
            const DeviceAddress value_at =
                device.upload(places(device.download<std::int32_t>(value_bytes, points_count_)));
            device.launch("mars_kmeans_map", shape,
                          pack_parameters(directory, keys, values, centroid_directory, centroids, s32(clusters_),
                                          key_at, value_at, out_keys, out_values, changed, records));
            return Emitted{device.download<std::int32_t>(out_keys, points_count_),
                           device.download<std::int32_t>(out_values, points_count_),
                           device.download<std::int32_t>(changed, 1)[0] != 0};
        });
    }

    CheckReport check() const override {
        std::vector<std::int32_t> membership(points_count_, -1);
        const Result expected = cluster([&](const std::vector<std::int32_t>& centres) {
            Emitted emitted;
            for (std::int64_t point = 0; point < points_count_; ++point) {
                const std::int32_t nearest = search(centres, point);
                emitted.changed = emitted.changed || nearest != membership[point];
                membership[point] = nearest;
                emitted.keys.push_back(nearest);
                emitted.values.push_back(s32(point * features_) * kWordBytes);
            }
            return emitted;
        });
        return all_of({compare_exact("key", result_.last.keys, expected.last.keys),
                       compare_exact("value", result_.last.values, expected.last.values),
                       compare_exact("centroid", result_.centres, expected.centres),
                       compare_exact("rounds", std::vector{result_.rounds}, std::vector{expected.rounds})});
    }

  private:
    /// The map phase's output: each record's cluster and the byte offset of its point.
    struct Emitted {
        std::vector<std::int32_t> keys, values;
        bool changed = false;
    };
    struct Result {
        Emitted last;
        std::vector<std::int32_t> centres;
        std::int32_t rounds = 0;
    };

    /// Records in the order in which the library appends them.
    std::vector<Record> directory_of(std::int64_t records) const {
        const auto value_bytes = s32(features_) * kWordBytes;
        std::vector<Record> directory;
        for (std::int32_t i = 0; i < records; ++i) {
            directory.push_back({i * kWordBytes, kWordBytes, i * value_bytes, value_bytes});
        }
        return directory;
    }

    static std::vector<std::int32_t> places(std::vector<std::int32_t> bytes) {
        std::int32_t sum = 0;
        for (std::int32_t& count : bytes) {
            const std::int32_t own = count;
            count = sum;
            sum += own;
        }
        return bytes;
    }

    /// Rounds of a map phase with given centroids and of the reduction; the first points are the first centroids.
    template <class Map>
    Result cluster(Map map) const {
        Result result;
        result.centres.assign(points_.begin(), points_.begin() + clusters_ * features_);
        do {
            result.last = map(result.centres);
            reduce(result);
        } while (++result.rounds < rounds_ && result.last.changed);
        return result;
    }

    /// Each centroid becomes the mean of its points, rounded down.
    void reduce(Result& result) const {
        std::vector<std::int64_t> sums(result.centres.size(), 0), sizes(clusters_, 0);
        for (std::size_t i = 0; i < result.last.keys.size(); ++i) {
            // A wrong result of the device must give a mismatch, not a wrong access.
            const std::int64_t cluster = result.last.keys[i], point = result.last.values[i] / (features_ * kWordBytes);
            if (cluster < 0 || cluster >= clusters_ || point < 0 || point >= points_count_) { continue; }
            ++sizes[cluster];
            for (std::int64_t k = 0; k < features_; ++k) {
                sums[cluster * features_ + k] += points_[point * features_ + k];
            }
        }
        for (std::size_t i = 0; i < result.centres.size(); ++i) {
            const std::int64_t size = sizes[i / features_];
            if (size > 0) { result.centres[i] = s32(sums[i] / size); }
        }
    }

    std::int32_t search(const std::vector<std::int32_t>& centres, std::int64_t point) const {
        std::int32_t nearest = -1;
        std::int64_t least = INT64_MAX;
        for (std::int64_t cluster = 0; cluster < clusters_; ++cluster) {
            std::int64_t distance = 0;
            for (std::int64_t k = 0; k < features_; ++k) {
                const std::int64_t difference = points_[point * features_ + k] - centres[cluster * features_ + k];
                distance += difference * difference;
            }
            if (distance < least) {
                least = distance;
                nearest = s32(cluster);
            }
        }
        return nearest;
    }

    const std::int64_t features_ = value(1), clusters_ = value(2), rounds_ = value(3);
    const std::int64_t points_count_ = std::max(value(0), clusters_);
    std::vector<std::int32_t> points_;
    Result result_;
};

LOOKAHEAD_REGISTER_WORKLOAD(KmeansMars, kmeans_mars)

}  // namespace lookahead::workloads::kmeans_mars
