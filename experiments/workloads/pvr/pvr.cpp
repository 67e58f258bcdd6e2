#include <numeric>

#include "experiments/workloads/pvr/files.h"
#include "experiments/workloads/sized_workload.h"

namespace lookahead::workloads::pvr {

constexpr std::int64_t kBlock = 256;

constexpr std::array<SizedParameter, 1> kParameters{{
    {"log2_records", "", {9, 14, 17, 20}, 22, "Logarithm of the number of records to base 2, at least 8."},
}};

class Pvr : public SizedWorkload<kParameters> {
  public:
    LOOKAHEAD_SIZED_WORKLOAD(Pvr, pvr)

    void run(Device& device) override {
        make_log();
        const auto records = s32(records_);
        const LaunchConfiguration shape{{blocks_for(records_, kBlock)}, {kBlock}};
        const std::uint64_t words = records_ * sizeof(std::int32_t);
        const DeviceAddress log = device.upload(std::vector<char>(log_.begin(), log_.end()));
        const DeviceAddress record_at = device.upload(record_at_);

        const DeviceAddress value_bytes = device.allocate(words), value_at = device.allocate(words);
        device.launch("pvr_map_count", shape, pack_parameters(log, record_at, value_bytes, records));
        scan(device, value_bytes, value_at, records_);
        const DeviceAddress keys = device.allocate(words), values = device.allocate(log_.size());
        const DeviceAddress index = device.allocate(4 * words);
        device.launch("pvr_map", shape, pack_parameters(log, record_at, value_at, keys, values, index, records));

        sort(device, keys, index);

        const DeviceAddress ends = device.allocate(words), group = device.allocate(words);
        device.launch("pvr_group", shape, pack_parameters(keys, index, ends, records));
        scan(device, ends, group, records_);
        const DeviceAddress ranks = device.allocate(words), hashes = device.allocate(words);
        device.launch("pvr_reduce", shape, pack_parameters(index, group, values, ranks, hashes, records));
        ranks_ = device.download<std::int32_t>(ranks, records_);
        hashes_ = device.download<std::uint32_t>(hashes, records_);
    }

    CheckReport check() const override {
        std::vector<std::int32_t> order(records_), ranks(records_);
        std::iota(order.begin(), order.end(), 0);
        std::ranges::stable_sort(order, std::ranges::greater{}, [this](std::int32_t i) { return views_[i]; });
        std::vector<std::uint32_t> hashes;
        std::int32_t rank = 0;
        for (std::int64_t i = 0; i < records_; ++i) {
            if (i > 0 && views_[order[i]] != views_[order[i - 1]]) { ++rank; }
            ranks[order[i]] = rank;
            std::uint32_t hash = 2166136261u;
            for (const char c : urls_[order[i]]) { hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u; }
            hashes.push_back(hash);
        }
        return all_of(
            {compare_exact("rank", ranks_, ranks), compare_exact("hash of the URLs by rank", hashes_, hashes)});
    }

  private:
    /// Records with URLs of 11 to 42 characters and with views shared by many records.
    void make_log() {
        XorShift32 random(seed());
        log_.clear();
        record_at_.clear();
        urls_.clear();
        views_.clear();
        for (std::int64_t i = 0; i < records_; ++i) {
            std::string url = "http://";
            const std::uint32_t length = 4 + random.next() % 32;
            for (std::uint32_t j = 0; j < length; ++j) { url += static_cast<char>('a' + random.next() % 26); }
            const auto views = s32(random.next() % 10000 * (random.next() % 100) / 100);
            record_at_.push_back(s32(log_.size()));
            log_ += url + '\t' + std::to_string(views) + '\n';
            urls_.push_back(url);
            views_.push_back(views);
        }
    }

    /// Exclusive prefix sums of n words, by blocks and then over the blocks' sums.
    static void scan(Device& device, DeviceAddress from, DeviceAddress to, std::int64_t n) {
        const std::uint32_t blocks = blocks_for(n, kBlock);
        const DeviceAddress sums = device.allocate(blocks * sizeof(std::int32_t));
        const LaunchConfiguration shape{{blocks}, {kBlock}};
        device.launch("pvr_scan_block", shape, pack_parameters(from, to, sums, s32(n)));
        if (blocks > 1) {
            scan(device, sums, sums, blocks);
            device.launch("pvr_scan_add", shape, pack_parameters(to, sums, s32(n)));
        }
    }

    void sort(Device& device, DeviceAddress keys, DeviceAddress index) const {
        const LaunchConfiguration all{{blocks_for(records_, kBlock)}, {kBlock}};
        const LaunchConfiguration pairs{{blocks_for(records_ / 2, kBlock)}, {kBlock}};
        device.launch("pvr_sort_blocks", all, pack_parameters(keys, index));
        for (std::int64_t size = 2 * kBlock; size <= records_; size *= 2) {
            for (std::int64_t distance = size / 2; distance >= kBlock; distance /= 2) {
                device.launch("pvr_sort_step", pairs, pack_parameters(keys, index, s32(size), s32(distance)));
            }
            device.launch("pvr_sort_merge", all, pack_parameters(keys, index, s32(size)));
        }
    }

    const std::int64_t records_ = std::int64_t{1} << std::max<std::int64_t>(8, value(0));
    std::string log_;
    std::vector<std::int32_t> record_at_, views_, ranks_;
    std::vector<std::string> urls_;
    std::vector<std::uint32_t> hashes_;
};

LOOKAHEAD_REGISTER_WORKLOAD(Pvr, pvr)

}  // namespace lookahead::workloads::pvr
