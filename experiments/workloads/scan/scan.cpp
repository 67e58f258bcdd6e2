#include "experiments/workloads/scan/files.h"
#include "experiments/workloads/sized_workload.h"

namespace lookahead::workloads::scan {

constexpr std::int64_t kThreads = 256, kPiece = 4 * kThreads;

constexpr std::array<SizedParameter, 2> kParameters{{
    {"short_arrays", "array", {2, 1024, 16384, 65536}, 1 << 20, "Arrays of 1024 words, scanned by one kernel."},
    {"long_arrays", "array", {1, 16, 240, 1024}, 1 << 12, "Arrays of 65536 words, scanned by three kernels."},
}};

constexpr std::int64_t kLongPieces = 64;

class Scan : public SizedWorkload<kParameters> {
  public:
    LOOKAHEAD_SIZED_WORKLOAD(Scan, scan)

    void run(Device& device) override {
        XorShift32 random(seed());
        short_ = random.words(short_arrays_ * kPiece);
        long_ = random.words(long_arrays_ * kLongPieces * kPiece);

        const LaunchConfiguration short_shape{{u32(short_arrays_)}, {kThreads}};
        const DeviceAddress short_from = device.upload(short_), short_to = device.allocate(bytes(short_.size()));
        device.launch("scan_pieces", short_shape, pack_parameters(short_to, short_from, u32(kPiece)));
        short_sums_ = device.download<std::uint32_t>(short_to, short_.size());

        const std::int64_t pieces = long_arrays_ * kLongPieces;
        const LaunchConfiguration long_shape{{u32(pieces)}, {kThreads}};
        const DeviceAddress from = device.upload(long_), to = device.allocate(bytes(long_.size()));
        const DeviceAddress sums = device.allocate(bytes(pieces));
        device.launch("scan_pieces", long_shape, pack_parameters(to, from, u32(kPiece)));
        device.launch("scan_sums", {{blocks_for(pieces, kThreads)}, {kThreads}},
                      pack_parameters(sums, to, from, u32(pieces), u32(kLongPieces)));
        device.launch("scan_add", long_shape, pack_parameters(to, sums));
        long_sums_ = device.download<std::uint32_t>(to, long_.size());
    }

    CheckReport check() const override {
        return all_of(
            {compare_exact("sum of the short arrays", short_sums_, exclusive_sums(short_, kPiece)),
             compare_exact("sum of the long arrays", long_sums_, exclusive_sums(long_, kLongPieces * kPiece))});
    }

  private:
    static std::uint64_t bytes(std::size_t words) { return words * sizeof(std::uint32_t); }

    static std::vector<std::uint32_t> exclusive_sums(const std::vector<std::uint32_t>& values, std::size_t length) {
        std::vector<std::uint32_t> sums(values.size());
        std::uint32_t sum = 0;
        for (std::size_t i = 0; i < values.size(); ++i) {
            if (i % length == 0) { sum = 0; }
            sums[i] = sum;
            sum += values[i];
        }
        return sums;
    }

    const std::int64_t short_arrays_ = value(0), long_arrays_ = value(1);
    std::vector<std::uint32_t> short_, long_, short_sums_, long_sums_;
};

LOOKAHEAD_REGISTER_WORKLOAD(Scan, scan)

}  // namespace lookahead::workloads::scan
