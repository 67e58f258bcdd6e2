#include "experiments/workloads/forms.h"
#include "experiments/workloads/spsum/files.h"

namespace lookahead::workloads::spsum {

constexpr std::uint32_t kThreads = 256;
/// Least and most entries per row, and their greatest distance from the row's number, as in a mesh's neighbour lists.
constexpr std::uint32_t kShortest = 8, kLongest = 40;
constexpr std::int64_t kBand = 1024;
/// A chain of up to 40 positive terms in single precision.
constexpr double kTolerance = 3e-6;

constexpr std::array<SizedParameter, 2> kParameters{{
    {"rows", "row", {1500, 46000, 184000, 1048576}, 1 << 22, "Rows of the matrix."},
    {"rounds", "round", {1, 3, 15, 15}, 1 << 14, "Launches with the same matrix."},
}};

class Spsum : public SizedWorkload<kParameters, kLoopedAndVectorForm> {
  public:
    LOOKAHEAD_WORKLOAD_OF_VECTOR_FORMS(Spsum, spsum)

    void run(Device& device) override {
        XorShift32 random(seed());
        row_begin_.assign(1, 0);
        places_.clear();
        for (std::int64_t row = 0; row < rows_; ++row) {
            const std::uint32_t length = kShortest + random.next() % (kLongest - kShortest + 1);
            const std::int64_t first = std::max<std::int64_t>(row - kBand, 0), last = std::min(row + kBand, rows_ - 1);
            for (std::uint32_t i = 0; i < length; ++i) {
                places_.push_back(s32(first + random.next() % (last - first + 1)));
            }
            std::sort(places_.end() - length, places_.end());
            row_begin_.push_back(s32(places_.size()));
        }
        entries_ = random.floats(rows_);

        const DeviceAddress entries = device.upload(entries_), places = device.upload(places_);
        const DeviceAddress row_begin = device.upload(row_begin_), sums = device.allocate(rows_ * sizeof(float));
        for (std::int64_t round = 0; round < rounds_; ++round) {
            device.launch(kernel_, {{blocks_for(rows_, kThreads)}, {kThreads}},
                          pack_parameters(sums, entries, places, row_begin, s32(rows_)));
        }
        sums_ = device.download<float>(sums, rows_);
    }

    CheckReport check() const override {
        std::vector<double> expected(rows_, 0.0);
        for (std::int64_t row = 0; row < rows_; ++row) {
            for (std::int32_t i = row_begin_[row]; i < row_begin_[row + 1]; ++i) {
                expected[row] += entries_[places_[i]];
            }
        }
        return compare_close("sum", sums_, expected, kTolerance);
    }

  private:
    const std::int64_t rows_ = value(0), rounds_ = value(1);
    const std::string kernel_ = kernel_of_form("sparse_row_sums", word(0), word(1), word(2));
    std::vector<std::int32_t> row_begin_, places_;
    std::vector<float> entries_, sums_;
};

LOOKAHEAD_REGISTER_WORKLOAD(Spsum, spsum)

}  // namespace lookahead::workloads::spsum
