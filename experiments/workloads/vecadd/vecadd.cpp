#include <vector>

#include "experiments/workloads/compare.h"
#include "experiments/workloads/vecadd/files.h"
#include "experiments/workloads/workload.h"
#include "experiments/workloads/xorshift.h"

namespace lookahead {

struct VecaddParameters {
    std::int64_t n = 0;
    std::string input = "seeded";
};

template <>
struct ParametersOf<VecaddParameters> {
    inline static const auto list = parameter_list<VecaddParameters>(
        integer("n", &VecaddParameters::n,
                {.unit = "element", .min = 0, .max = 1 << 28, .help = "Length of the vectors; 0: as --size says."}),
        input_parameter(&VecaddParameters::input));
};

namespace {

class Vecadd : public Workload {
  public:
    using Parameters = VecaddParameters;

    Vecadd(const Parameters& parameters, const WorkloadContext& context)
        : n_(parameters.n ? parameters.n : by_size<std::int64_t>(context.size, 1000, 1 << 18, 1 << 20, 1 << 24)),
          seed_(input_seed("vecadd", parameters.input, context)) {}

    std::string_view ptx() const override { return vecadd_files::kKernelPtx; }
    std::string ptx_file() const override { return std::string(vecadd_files::kKernelPtxFile); }

    void run(Device& device) override {
        XorShift32 random(seed_);
        a_.resize(n_);
        b_.resize(n_);
        random.fill(a_);
        random.fill(b_);

        const DeviceAddress a = device.upload(a_);
        const DeviceAddress b = device.upload(b_);
        const DeviceAddress c = device.allocate(n_ * sizeof(float));
        constexpr std::uint32_t kBlock = 256;
        const auto blocks = static_cast<std::uint32_t>((n_ + kBlock - 1) / kBlock);
        device.launch("vecadd", {{blocks}, {kBlock}}, pack_parameters(a, b, c, static_cast<std::int32_t>(n_)));
        c_ = device.download<float>(c, n_);
    }

    CheckReport check() const override {
        std::vector<float> expected(n_);
        for (std::int64_t i = 0; i < n_; ++i) {
            expected[i] = a_[i] + b_[i];
        }
        return compare_exact("C", c_, expected);
    }

  private:
    std::int64_t n_;
    std::uint32_t seed_;
    std::vector<float> a_, b_, c_;
};

}  // namespace

LOOKAHEAD_REGISTER_VARIANT(Workload, Vecadd, vecadd_files::kName, vecadd_files::kDescription, vecadd_files::kSuite)

}  // namespace lookahead
