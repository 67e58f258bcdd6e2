#pragma once

#include <array>
#include <cstring>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "components/cache/l1_data.h"
#include "core/component/slot.h"
#include "core/param/configuration.h"
#include "core/state/archives.h"
#include "tests/support/with.h"

namespace lookahead::gpu::test {

using lookahead::test::with;

using LineBytes = std::array<std::byte, kLineBytes>;

constexpr std::uint64_t line(unsigned number) {
    return std::uint64_t{number} * kLineBytes;
}

/// A line in which every byte depends on the seed.
inline LineBytes pattern(unsigned seed) {
    LineBytes bytes;
    for (unsigned i = 0; i < kLineBytes; ++i) { bytes[i] = static_cast<std::byte>(seed * 37 + i); }
    return bytes;
}

inline LineBytes overlaid(LineBytes bytes, const LineBytes& over, const ByteMask& mask) {
    for (unsigned i = 0; i < kLineBytes; ++i) { bytes[i] = mask.test(i) ? over[i] : bytes[i]; }
    return bytes;
}

inline ByteMask mask_of(unsigned first, unsigned count) {
    ByteMask mask;
    mask.set(first, count);
    return mask;
}

inline std::unique_ptr<ReplacementPolicy> make_policy(const std::string& name, unsigned sets, unsigned ways) {
    return make_variant<ReplacementPolicy>(name, Configuration(), ReplacementArguments{sets, ways});
}

/// The data that a fill gave to one waiter.
struct Served {
    std::uint32_t token;
    LineBytes bytes;
};

class L1Bench {
  public:
    explicit L1Bench(const L1Parameters& parameters, const std::string& replacement = "lru")
        : l1(parameters, make_policy(replacement, static_cast<unsigned>(parameters.sets),
                                     static_cast<unsigned>(parameters.tags_per_set()))) {}

    /// Small, with linear set indexing.
    static L1Parameters parameters(unsigned sets, unsigned ways, const std::string& policy = "write_evict") {
        L1Parameters result{.sets = sets,
                            .ways = ways,
                            .set_index = "linear",
                            .write_policy = policy,
                            .pinned_ways = ways > 1 ? ways - 1 : 0};
        return result;
    }

    L1LoadResult load(std::uint64_t line, std::uint32_t token = 0, Client client = Client::demand) {
        return l1.load({.line = line, .pc = 7, .warp = 3, .client = client}, {.token = token, .lanes = 1});
    }
    L1LoadResult load_ordered(std::uint64_t line, std::uint32_t token = 0) {
        return l1.load_ordered({.line = line}, {.token = token, .lanes = 1});
    }
    L1LoadResult load_sectors(std::uint64_t line, SectorMask sectors, std::uint32_t token = 0) {
        return l1.load({.line = line, .sectors = sectors}, {.token = token, .lanes = 1});
    }
    void store(std::uint64_t line, const LineBytes& bytes, const ByteMask& mask) {
        l1.store({.line = line}, mask, bytes.data(), 5);
    }
    void atomic(std::uint64_t line) {
        AtomicRequest request{};
        request.line = line;
        std::memcpy(l1.atomic({.line = line}, sizeof request), &request, sizeof request);
    }

    /// Removes all requests from the miss queue and records the tags of reads in `reads`.
    std::vector<GpuMessage> send_all() {
        std::vector<GpuMessage> sent;
        while (!l1.miss_queue().empty()) {
            const QueuedRequest& request = l1.miss_queue().front();
            sent.push_back(request.type);
            if (request.type == GpuMessage::read_request) {
                ReadRequest read;
                std::memcpy(&read, request.payload, sizeof read);
                reads.push_back(read);
            }
            l1.miss_queue().pop();
        }
        return sent;
    }

    std::vector<Served> fill(const ReadRequest& request, const LineBytes& bytes) {
        const ReadReply reply{
            .line = request.line, .tag = request.tag, .client = request.client, .sectors = request.sectors};
        std::vector<std::byte> packed;
        for (unsigned i = 0; i < kLineBytes; ++i) {
            if ((request.sectors >> i / kSectorBytes & 1) != 0) { packed.push_back(bytes[i]); }
        }
        std::vector<Served> served;
        l1.fill(reply, packed.data(), [&](const Waiter& waiter, const std::byte* line) {
            served.push_back({waiter.token, {}});
            std::memcpy(served.back().bytes.data(), line, kLineBytes);
        });
        return served;
    }
    /// Answers the oldest read that was sent and not yet answered.
    std::vector<Served> fill_oldest(const LineBytes& bytes) {
        send_all();
        const ReadRequest request = reads.front();
        reads.pop_front();
        return fill(request, bytes);
    }
    /// Answers the newest one.
    std::vector<Served> fill_newest(const LineBytes& bytes) {
        send_all();
        const ReadRequest request = reads.back();
        reads.pop_back();
        return fill(request, bytes);
    }
    void fill_all(const LineBytes& bytes) {
        for (send_all(); !reads.empty();) { fill_oldest(bytes); }
    }
    void bring_sectors(std::uint64_t line, SectorMask sectors, const LineBytes& bytes) {
        load_sectors(line, sectors);
        fill_newest(bytes);
    }
    void bring(std::uint64_t line, const LineBytes& bytes) {
        load(line);
        fill_newest(bytes);
    }
    /// Brings the lines with these numbers, each with its pattern.
    void bring_lines(std::initializer_list<unsigned> numbers) {
        for (const unsigned number : numbers) { bring(line(number), pattern(number)); }
    }

    /// Copies the state of a bench with the same parameters, as a checkpoint does.
    void take_state_of(const L1Bench& other) {
        load_state(l1, saved_state(other.l1));
        reads = other.reads;
    }

    std::string state_of(std::uint64_t line) const {
        const std::uint32_t way = l1.tags().find(line);
        return way == kNoWay ? "absent" : l1.tags().info(way).pending() ? "pending" : "valid";
    }
    std::string state_of(std::uint64_t line, unsigned sector) const {
        const std::uint32_t way = l1.tags().find(line);
        if (way == kNoWay) { return "absent"; }
        const LineInfo& info = l1.tags().info(way);
        return (info.valid >> sector & 1) != 0 ? "valid" : (info.awaited >> sector & 1) != 0 ? "pending" : "absent";
    }
    unsigned detached() const {
        unsigned count = 0;
        for (std::uint32_t entry = 0; entry < l1.mshrs().size(); ++entry) {
            count += l1.mshrs()[entry].line != kNoLine && l1.mshrs()[entry].detached();
        }
        return count;
    }
    std::uint64_t hash() const { return hash_of_state(l1); }

    L1Data l1;
    std::deque<ReadRequest> reads;
};

inline bool equal(const std::byte* data, const LineBytes& bytes) {
    return std::memcmp(data, bytes.data(), kLineBytes) == 0;
}

}  // namespace lookahead::gpu::test
