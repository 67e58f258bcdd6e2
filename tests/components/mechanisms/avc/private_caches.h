#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "components/cache/l1_data.h"
#include "components/isa/address_space.h"
#include "components/mechanisms/avc/avc.h"
#include "core/param/configuration.h"
#include "core/state/state_archive.h"

namespace lookahead::gpu::test {

using Row = std::array<std::uint32_t, kLineWords>;

inline std::uint64_t line_of_row(std::uint64_t row) {
    return isa::kLocalMemoryBase + row * isa::kLocalRowBytes;
}

struct WrongWord : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// An affine vector cache and an L1 before a memory that performs requests in order, without a clock: the test decides
/// when a request leaves and when a reply comes. It does the load/store unit's part (l1_accesses.cpp) access by access,
/// and compares every loaded word with flat memory at the time of the load.
class PrivateCaches {
  public:
    explicit PrivateCaches(const std::vector<std::string>& overrides) {
        for (const std::string& each : overrides) { configuration_.override_value(each); }
        const auto parameters = configuration_.read<L1Parameters>("l1d");
        l1 = std::make_unique<L1Data>(
            parameters, make_chosen<ReplacementPolicy>(
                            configuration_, ReplacementArguments{static_cast<unsigned>(parameters.sets),
                                                                 static_cast<unsigned>(parameters.tags_per_set())}));
        avc = std::make_unique<AffineVectorCache>(configuration_.read<AvcParameters>("avc"),
                                                  L1CompanionArguments{configuration_, *l1});
        l1->join(*avc);
    }

    /// Returns false if the same words must be stored again.
    bool store(std::uint64_t row, const ByteMask& mask, const Row& values, bool as_vector = true) {
        const L1Access access{.line = line_of_row(row), .as_vector = as_vector};
        alignas(64) std::byte bytes[kLineBytes] = {};
        alignas(64) std::byte own[kLineBytes] = {};
        copy_bytes(bytes, reinterpret_cast<const std::byte*>(values.data()), mask);
        const auto result = avc->store(access, mask, bytes, own);
        if (result.answer == L1Companion::StoreAnswer::stalled) { return false; }
        if (result.answer == L1Companion::StoreAnswer::passed) {
            const ByteMask for_l1 = without(mask, bytes_of_words(result.absorbed));
            copy_bytes(own, bytes, for_l1);
            if (l1->store_local(access, for_l1 | bytes_of_words(result.with_it), own, 0).answer == L1Answer::stall) {
                return false;
            }
            avc->passed(access.line, words_of(for_l1) | result.with_it);
        }
        copy_bytes(reinterpret_cast<std::byte*>(flat[row].data()), bytes, mask);
        return true;
    }

    /// Returns the words still to be loaded; none if the load is done.
    WordMask load(std::uint64_t row, WordMask words, bool as_vector = true) {
        const L1Access access{.line = line_of_row(row), .as_vector = as_vector};
        alignas(64) std::byte bytes[kLineBytes];
        if (const WordMask served = avc->load(access, words, bytes); served != 0) {
            compare(row, served, flat[row], bytes);
            return words & ~served;
        }
        const ByteMask asked = bytes_of_words(words);
        L1Access of_l1 = access;
        of_l1.bytes = &asked;
        const std::uint32_t number = free_load();
        const std::uint32_t token = number | (as_vector ? 0 : kNoVector);
        const L1LoadResult result = l1->load(of_l1, {token, words});
        if (result.answer == L1Answer::stall) { return words; }
        if (result.answer == L1Answer::hit) {
            compare(row, words, flat[row], result.data);
        } else {
            loads[number] = {row, words, flat[row]};
        }
        avc->missed(access, words);
        return 0;
    }

    /// Adds 1 to a word in memory.
    bool add(std::uint64_t row, unsigned word) {
        const L1Access access{.line = line_of_row(row)};
        if (l1->miss_queue().full() || !avc->give_up(access.line) || l1->miss_queue().full() ||
            l1->clean_for_atomic(access).answer == L1Answer::stall) {
            return false;
        }
        const AtomicRequest request{.line = access.line,
                                    .tag = word,
                                    .op = isa::AtomicOp::add,
                                    .type = isa::Type::u32,
                                    .returns_value = 0,
                                    .lanes = 0};
        std::memcpy(l1->atomic(access, sizeof request), &request, sizeof request);
        ++flat[row][word];
        return true;
    }

    bool can_send() const { return !l1->miss_queue().empty(); }
    /// Lets memory perform the oldest request.
    void send() {
        const QueuedRequest& request = l1->miss_queue().front();
        Row& row = memory[(request.line - isa::kLocalMemoryBase) / isa::kLocalRowBytes];
        switch (request.type) {
            case GpuMessage::read_request: {
                ReadRequest read{};
                std::memcpy(&read, request.payload, sizeof read);
                replies.push_back({read.line, read.tag, read.sectors, row});
                break;
            }
            case GpuMessage::write_request: {
                WriteRequest write{};
                std::memcpy(&write, request.payload, sizeof write);
                Row words{};
                const std::byte* next = request.payload + sizeof write;
                for (WordMask left = words_of(write.mask); left != 0; left &= left - 1) {
                    std::memcpy(&words[static_cast<unsigned>(std::countr_zero(left))], next, 4);
                    next += 4;
                }
                copy_bytes(reinterpret_cast<std::byte*>(row.data()), reinterpret_cast<const std::byte*>(words.data()),
                           write.mask);
                ++writes;
                break;
            }
            default: {
                AtomicRequest atomic{};
                std::memcpy(&atomic, request.payload, sizeof atomic);
                ++row[atomic.tag];
            }
        }
        l1->miss_queue().pop();
    }

    bool can_receive() const { return !replies.empty(); }
    void receive() {
        const Reply reply = replies.front();
        replies.pop_front();
        const ReadReply message{
            .line = reply.line, .tag = reply.tag, .client = Client::demand, .sectors = reply.sectors};
        std::vector<std::byte> packed;
        for (unsigned sector = 0; sector < kSectors; ++sector) {
            if ((reply.sectors >> sector & 1) != 0) {
                const auto* first = reinterpret_cast<const std::byte*>(reply.row.data()) + sector * kSectorBytes;
                packed.insert(packed.end(), first, first + kSectorBytes);
            }
        }
        WordMask asked = 0;
        l1->fill(
            message, packed.data(),
            [&](const Waiter& waiter, const std::byte* bytes) {
                Load& load = loads[waiter.token & (kNoVector - 1)];
                compare(load.row, waiter.lanes, load.expected, bytes);
                asked |= (waiter.token & kNoVector) != 0 ? 0 : waiter.lanes;
                load.words &= ~waiter.lanes;
                if (load.words == 0) { load = {}; }
            },
            [&](const std::byte* bytes) {
                return avc->fill({.line = reply.line, .sectors = reply.sectors}, asked, bytes);
            });
    }

    /// Runs until no message is under way.
    void drain() {
        while (can_send() || can_receive()) { can_send() ? send() : receive(); }
    }

    /// Ends a kernel and begins another one, with the memory as it is.
    void begin_kernel() {
        drain();
        avc->flush();
        l1->begin_kernel();
        avc->begin_kernel();
        flat = memory;
    }

    void fields(StateArchive& archive) {
        l1->fields(archive);
        avc->fields(archive);
        archive& flat& memory& replies& loads& writes;
    }

    struct Reply {
        std::uint64_t line = 0;
        std::uint32_t tag = 0;
        SectorMask sectors = 0;
        Row row{};
        void fields(StateArchive& archive) { archive& line& tag& sectors& row; }
    };
    struct Load {
        std::uint64_t row = 0;
        WordMask words = 0;  ///< words that have not come; 0: the place is free
        Row expected{};
        void fields(StateArchive& archive) { archive& row& words& expected; }
    };

    std::unique_ptr<L1Data> l1;
    std::unique_ptr<AffineVectorCache> avc;
    std::map<std::uint64_t, Row> flat;
    std::map<std::uint64_t, Row> memory;
    std::deque<Reply> replies;
    std::vector<Load> loads;
    std::uint64_t writes = 0;
    std::uint64_t compared = 0;

  private:
    static constexpr std::uint32_t kNoVector = 1u << 20;

    std::uint32_t free_load() {
        for (std::uint32_t number = 0; number < loads.size(); ++number) {
            if (loads[number].words == 0) { return number; }
        }
        loads.emplace_back();
        return static_cast<std::uint32_t>(loads.size() - 1);
    }
    void compare(std::uint64_t row, WordMask words, const Row& expected, const std::byte* bytes) {
        for (WordMask left = words; left != 0; left &= left - 1) {
            const auto word = static_cast<unsigned>(std::countr_zero(left));
            std::uint32_t found = 0;
            std::memcpy(&found, bytes + 4 * word, 4);
            if (found != expected[word]) {
                throw WrongWord("row " + std::to_string(row) + " word " + std::to_string(word) + ": " +
                                std::to_string(found) + " instead of " + std::to_string(expected[word]));
            }
            ++compared;
        }
    }

    Configuration configuration_;
};

}  // namespace lookahead::gpu::test
