#include <vector>

#include "experiments/workloads/compare.h"
#include "experiments/workloads/histogram/ptx.h"
#include "experiments/workloads/workload.h"
#include "experiments/workloads/xorshift.h"

namespace lookahead {

struct HistogramParameters {
    std::int64_t n = 0;
    std::int64_t blocks = 0;
    std::string input = "seeded";
};

template <>
struct ParametersOf<HistogramParameters> {
    inline static const auto list = parameter_list<HistogramParameters>(
        integer("n", &HistogramParameters::n,
                {.unit = "element", .min = 0, .max = 1 << 28, .help = "Values to count; 0: as --size says."}),
        integer("blocks", &HistogramParameters::blocks,
                {.unit = "CTA", .min = 0, .max = 65535, .help = "Thread blocks in the grid; 0: as --size says."}),
        input_parameter(&HistogramParameters::input));
};

namespace {

constexpr std::uint32_t kBins = 256;

class HistogramWorkload : public Workload {
  public:
    using Parameters = HistogramParameters;

    HistogramWorkload(const Parameters& parameters, const WorkloadContext& context)
        : n_(parameters.n ? parameters.n : by_size<std::int64_t>(context.size, 5000, 1 << 17, 1 << 19, 1 << 24)),
          blocks_(parameters.blocks ? parameters.blocks : by_size<std::int64_t>(context.size, 8, 60, 240, 960)),
          seed_(input_seed("histogram", parameters.input, context)) {}

    std::string_view ptx() const override { return kHistogramPtx; }
    std::string ptx_file() const override { return "experiments/workloads/histogram/kernel.ptx"; }

    void run(Device& device) override {
        XorShift32 random(seed_);
        in_.resize(n_);
        for (std::uint32_t& value : in_) value = random.next();

        const DeviceAddress in = device.upload(in_);
        const DeviceAddress bins = device.allocate(kBins * sizeof(std::uint32_t));
        device.fill(bins, std::byte{0}, kBins * sizeof(std::uint32_t));
        device.launch("histogram", {{static_cast<std::uint32_t>(blocks_)}, {kBins}},
                      pack_parameters(in, bins, static_cast<std::int32_t>(n_)));
        bins_ = device.download<std::uint32_t>(bins, kBins);
    }

    CheckReport check() const override {
        std::vector<std::uint32_t> expected(kBins, 0);
        for (const std::uint32_t value : in_) {
            ++expected[value % kBins];
        }
        return compare_exact("bins", bins_, expected);
    }

  private:
    std::int64_t n_, blocks_;
    std::uint32_t seed_;
    std::vector<std::uint32_t> in_, bins_;
};

}  // namespace

LOOKAHEAD_REGISTER_VARIANT(Workload, HistogramWorkload, "histogram",
                           "Counts values in 256 bins by shared-memory atomics, then global atomics.",
                           "CUDA samples, histogram (one private histogram a block)")

}  // namespace lookahead
