#include <vector>

#include "core/error/error.h"
#include "experiments/workloads/compare.h"
#include "experiments/workloads/sgemm/ptx.h"
#include "experiments/workloads/workload.h"
#include "experiments/workloads/xorshift.h"

namespace lookahead {

struct SgemmParameters {
    std::int64_t n = 0;
    std::string input = "seeded";
};

template <>
struct ParametersOf<SgemmParameters> {
    inline static const auto list = parameter_list<SgemmParameters>(
        integer("n", &SgemmParameters::n,
                {.unit = "row",
                 .min = 0,
                 .max = 8192,
                 .help = "Rows and columns of the matrices, a multiple of 16; 0: as --size says."}),
        input_parameter(&SgemmParameters::input));
};

namespace {

constexpr std::int64_t kTile = 16;
/// A dot product of n terms in [0, 1) in single precision, relative to its double-precision value.
constexpr double kTolerance = 1e-5;

class Sgemm : public Workload {
  public:
    using Parameters = SgemmParameters;

    Sgemm(const Parameters& parameters, const WorkloadContext& context)
        : n_(parameters.n ? parameters.n : by_size<std::int64_t>(context.size, 48, 128, 256, 1024)),
          seed_(input_seed("sgemm", parameters.input, context)) {
        if (n_ % kTile != 0) {
            throw ConfigurationError("sgemm.n is " + std::to_string(n_) + ": give a multiple of " +
                                     std::to_string(kTile) + ", the tile's width");
        }
    }

    std::string_view ptx() const override { return kSgemmPtx; }
    std::string ptx_file() const override { return "experiments/workloads/sgemm/kernel.ptx"; }

    void run(Device& device) override {
        XorShift32 random(seed_);
        a_.resize(n_ * n_);
        b_.resize(n_ * n_);
        for (float& value : a_) value = random.next_float();
        for (float& value : b_) value = random.next_float();

        const DeviceAddress a = device.upload(a_);
        const DeviceAddress b = device.upload(b_);
        const DeviceAddress c = device.allocate(n_ * n_ * sizeof(float));
        const auto tiles = static_cast<std::uint32_t>(n_ / kTile);
        device.launch("sgemm", {{tiles, tiles}, {kTile, kTile}},
                      pack_parameters(a, b, c, static_cast<std::int32_t>(n_)));
        c_ = device.download<float>(c, n_ * n_);
    }

    CheckReport check() const override {
        std::vector<double> expected(n_ * n_, 0.0);
        for (std::int64_t i = 0; i < n_; ++i) {
            for (std::int64_t k = 0; k < n_; ++k) {
                const double a = a_[i * n_ + k];
                for (std::int64_t j = 0; j < n_; ++j) {
                    expected[i * n_ + j] += a * b_[k * n_ + j];
                }
            }
        }
        return compare_close("C", c_, expected, kTolerance);
    }

  private:
    std::int64_t n_;
    std::uint32_t seed_;
    std::vector<float> a_, b_, c_;
};

}  // namespace

LOOKAHEAD_REGISTER_VARIANT(Workload, Sgemm, "sgemm",
                           "C = A B for square matrices of floats, tiled through shared memory with barriers.",
                           "CUDA samples, matrixMul; Parboil, sgemm (untiled in registers)")

}  // namespace lookahead
