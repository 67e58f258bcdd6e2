#include "experiments/workloads/scalarProd/files.h"
#include "experiments/workloads/sized_workload.h"

namespace lookahead::workloads::scalarProd {

constexpr std::uint32_t kThreads = 256;
/// Sums of positive terms in single precision, by 1024 chains and a tree.
constexpr double kTolerance = 2e-6;

constexpr std::array<SizedParameter, 4> kParameters{{
    {"pairs", "pair", {22, 512, 4096, 16384}, 1 << 16, "Pairs of vectors; 256 in the suite."},
    {"elements", "element", {2100, 4096, 4096, 4096}, 1 << 14, "Elements of a vector; 4096 in the suite."},
    {"blocks", "block", {9, 128, 256, 1024}, 65535, "Thread blocks; 128 in the suite."},
    {"rounds", "round", {1, 1, 3, 8}, 1 << 14, "Launches with the same vectors."},
}};

class ScalarProd : public SizedWorkload<kParameters> {
  public:
    LOOKAHEAD_SIZED_WORKLOAD(ScalarProd, scalarProd)

    void run(Device& device) override {
        XorShift32 random(seed());
        a_ = random.floats(pairs_ * elements_);
        b_ = random.floats(pairs_ * elements_);
        const DeviceAddress a = device.upload(a_), b = device.upload(b_);
        const DeviceAddress products = device.allocate(pairs_ * sizeof(float));
        for (std::int64_t round = 0; round < rounds_; ++round) {
            device.launch("scalar_products", {{u32(value(2))}, {kThreads}},
                          pack_parameters(products, a, b, s32(pairs_), s32(elements_)));
        }
        products_ = device.download<float>(products, pairs_);
    }

    CheckReport check() const override {
        std::vector<double> expected(pairs_, 0.0);
        for (std::int64_t i = 0; i < pairs_ * elements_; ++i) { expected[i / elements_] += double{a_[i]} * b_[i]; }
        return compare_close("product", products_, expected, kTolerance);
    }

  private:
    const std::int64_t pairs_ = value(0), elements_ = value(1), rounds_ = value(3);
    std::vector<float> a_, b_, products_;
};

LOOKAHEAD_REGISTER_WORKLOAD(ScalarProd, scalarProd)

}  // namespace lookahead::workloads::scalarProd
