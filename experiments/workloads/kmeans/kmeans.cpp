#include "experiments/workloads/forms.h"
#include "experiments/workloads/kmeans/files.h"

namespace lookahead::workloads::kmeans {

constexpr std::uint32_t kBlock = 256;

constexpr std::array<SizedParameter, 4> kParameters{{
    {"points", "point", {200, 15360, 131072, 494020}, 1 << 24, "Points."},
    {"features", "feature", {34, 34, 34, 34}, 34, "Features of a point; 34 in the suite's KDD Cup data."},
    {"clusters", "cluster", {5, 5, 5, 5}, 32, "Clusters; 5 by default in the suite."},
    {"rounds", "round", {2, 3, 4, 20}, 1 << 10, "Rounds, unless no point changes its cluster in one."},
}};

class Kmeans : public SizedWorkload<kParameters, kLoopedAndVectorForm> {
  public:
    LOOKAHEAD_WORKLOAD_OF_VECTOR_FORMS(Kmeans, kmeans)

    void run(Device& device) override {
        features_ = XorShift32(seed()).floats(points_ * feature_count_);
        const DeviceAddress by_point = device.upload(features_);
        const DeviceAddress by_feature = device.allocate(features_.size() * sizeof(float));
        const auto points = s32(points_), count = s32(feature_count_);
        const std::uint32_t blocks = blocks_for(points_, kBlock);
        device.launch("kmeans_transpose", {{blocks}, {kBlock}}, pack_parameters(by_point, by_feature, points, count));

        // A square of blocks, as in the suite.
        const auto side = u32(std::ceil(std::sqrt(static_cast<double>(blocks))));
        const DeviceAddress membership = device.allocate(points_ * sizeof(std::int32_t));
        membership_ = cluster([&](const std::vector<float>& centres) {
            device.copy_values(device.variable("kmeans_centres"), centres);
            device.launch(search_kernel_, {{side, side}, {kBlock}},
                          pack_parameters(by_feature, count, points, s32(clusters_), membership));
            return device.download<std::int32_t>(membership, points_);
        });
    }

    CheckReport check() const override {
        return compare_exact("cluster", membership_, cluster([this](const std::vector<float>& centres) {
                                 std::vector<std::int32_t> nearest(points_);
                                 for (std::int64_t point = 0; point < points_; ++point) {
                                     nearest[point] = search(centres, point);
                                 }
                                 return nearest;
                             }));
    }

  private:
    /// Rounds of a search with given centres and of moving the centres. Returns the last search's result.
    template <class Search>
    std::vector<std::int32_t> cluster(Search find) const {
        std::vector<float> centres(features_.begin(), features_.begin() + clusters_ * feature_count_);
        std::vector<std::int32_t> membership(points_, -1);
        for (std::int64_t round = 0; round < rounds_; ++round) {
            std::vector<std::int32_t> found = find(centres);
            if (found == membership) { break; }
            membership = std::move(found);
            move(centres, membership);
        }
        return membership;
    }

    void move(std::vector<float>& centres, const std::vector<std::int32_t>& membership) const {
        std::vector<float> sums(centres.size(), 0.0f);
        std::vector<std::int32_t> sizes(clusters_, 0);
        for (std::int64_t point = 0; point < points_; ++point) {
            // A wrong result of the device must give a mismatch, not a wrong access.
            const std::int32_t cluster = membership[point];
            if (cluster < 0 || cluster >= clusters_) { continue; }
            ++sizes[cluster];
            for (std::int64_t i = 0; i < feature_count_; ++i) {
                sums[cluster * feature_count_ + i] += features_[point * feature_count_ + i];
            }
        }
        for (std::size_t i = 0; i < centres.size(); ++i) {
            const std::int32_t size = sizes[i / feature_count_];
            if (size > 0) { centres[i] = sums[i] / static_cast<float>(size); }
        }
    }

    /// With the kernel's arithmetic: the sum of squares is a chain of fused multiply-adds.
    std::int32_t search(const std::vector<float>& centres, std::int64_t point) const {
        std::int32_t nearest = -1;
        float least = 3.402823466e+38f;
        for (std::int64_t cluster = 0; cluster < clusters_; ++cluster) {
            float distance = 0.0f;
            for (std::int64_t i = 0; i < feature_count_; ++i) {
                const float difference = features_[point * feature_count_ + i] - centres[cluster * feature_count_ + i];
                distance = std::fma(difference, difference, distance);
            }
            if (distance < least) {
                least = distance;
                nearest = s32(cluster);
            }
        }
        return nearest;
    }

    const std::int64_t points_ = value(0), feature_count_ = value(1), clusters_ = value(2), rounds_ = value(3);
    const std::string search_kernel_ = kernel_of_form("kmeans_search", word(0), word(1), word(2));
    std::vector<float> features_;
    std::vector<std::int32_t> membership_;
};

LOOKAHEAD_REGISTER_WORKLOAD(Kmeans, kmeans)

}  // namespace lookahead::workloads::kmeans
