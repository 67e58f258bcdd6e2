#pragma once

#include <random>
#include <span>

#include "core/lp/audit.h"
#include "tests/components/sm/lsu/unit_bench.h"

namespace lookahead::gpu::test {

inline constexpr std::uint32_t kLocalBytes = 24;

inline void place_in_warp(MemoryInstruction& instruction, std::uint16_t warp, std::uint32_t bytes = kLocalBytes) {
    instruction.local_bytes = bytes;
    instruction.local_base = isa::kLocalMemoryBase + warp * isa::local_memory_per_warp(bytes);
}

/// A load/store unit whose memory answers after 100 cycles. Word w of all threads of its one warp is line w.
struct LocalWords : Bench {
    explicit LocalWords(const Overrides& overrides = {}) : Bench(overrides) {
        memory.set_delay([](unsigned, std::uint64_t, bool) { return 100; });
    }
    /// The instruction at the lanes' addresses in private memory; lane i's operand is value(i).
    template <class Address, class Value>
    MemoryInstruction of(const isa::Instruction& what, Address address, isa::LaneMask active, Value value,
                         unsigned row = 8) {
        MemoryInstruction result = instruction(what, address, active, row);
        for (unsigned lane = 0; lane < isa::kWarpSize; ++lane) { result.data[0][lane] = value(lane); }
        place_in_warp(result, 0, 256);
        return result;
    }
    static auto all(std::uint32_t value) {
        return [=](unsigned) { return value; };
    }
    static std::uint64_t address(unsigned word, unsigned lane) {
        return isa::kLocalMemoryBase + isa::local_memory_offset(4 * word, lane);
    }
    std::uint32_t in_memory(unsigned word, unsigned lane) { return memory.word(address(word, lane)); }
    unsigned reads() const { return memory.count(GpuMessage::read_request); }
    unsigned writes() const { return memory.count(GpuMessage::write_request); }
    const L1Counters& l1() const { return unit->l1().counters(); }
};

/// The audit's first fault in L1; empty: none.
inline std::string audit_of(const Bench& bench) {
    Audit audit;
    bench.unit->l1().audit(audit, "l1");
    const auto faults = audit.faults();
    return faults.empty() ? "" : faults.front();
}

/// Warps whose threads load, store, add and occasionally fence at random in bytes of their own, with incomplete masks
/// and all widths; plain arrays hold the expected bytes. The bytes are private memory, or `global_bytes` of each thread
/// in global memory, where the words of several warps share each line.
template <class UsedBench>
class RandomAccesses {
  public:
    RandomAccesses(std::uint64_t seed, UsedBench& bench, std::uint32_t global_bytes = 0)
        : random_(seed),
          bench_(bench),
          is_global_(global_bytes != 0),
          thread_bytes_(is_global_ ? global_bytes : kLocalBytes),
          bytes_(kWarps * isa::kWarpSize * thread_bytes_) {
        const Space own = is_global_ ? Space::global : Space::local;
        constexpr Type kTypes[] = {Type::u32, Type::u16, Type::u8, Type::u32};
        for (unsigned load = 0; load < kLoads; ++load) {
            code_.push_back(make_memory(Operation::load, kTypes[load % 4], load % 3 == 0 ? Space::generic : own));
        }
        code_[5].order = Order::relaxed;
        code_.push_back(make_atomic(isa::AtomicOp::add, Operation::atomic, Space::generic));
        for (isa::Instruction& each : code_) { each.destination_rows = 1; }
        code_.push_back(make_atomic(isa::AtomicOp::add, Operation::reduce, Space::generic));
        for (const Type type : kTypes) {
            for (const Space space : {own, own, Space::generic}) {
                code_.push_back(make_memory(Operation::store, type, space));
            }
        }
        code_.push_back(make_fence());
        bench.memory.set_delay([random = std::mt19937_64(seed + 1)](unsigned, std::uint64_t, bool) mutable {
            return 1 + static_cast<Cycle>(random() % 60);
        });
    }

    std::span<const isa::Instruction> code() const { return code_; }
    bool waits() const {
        return std::ranges::count(fenced_, true) != 0 ||
               std::ranges::any_of(expected_, [](const Expected& each) { return each.busy; });
    }
    /// The lanes of loads and atomics that were compared, and those that were wrong.
    unsigned compared() const { return compared_; }
    unsigned wrong() const { return wrong_; }

    /// Everything stored is dead.
    void forget() {
        for_each_word([&](std::byte* word, std::uint32_t in_memory) { std::memcpy(word, &in_memory, 4); });
    }
    /// The words that memory has otherwise than they were stored.
    unsigned wrong_words() {
        unsigned wrong = 0;
        for_each_word(
            [&](std::byte* word, std::uint32_t in_memory) { wrong += std::memcmp(word, &in_memory, 4) != 0; });
        return wrong;
    }

    /// Issues at most one instruction; returns whether it did.
    bool act() {
        const auto warp = static_cast<std::uint16_t>(random_() % kWarps);
        const auto draw = static_cast<unsigned>(random_() % 128);
        if (fenced_[warp] || draw > 123) { return false; }
        if (draw == 0) {
            bench_.unit->accept_fence(warp, code_.back(), bench_.now);
            return fenced_[warp] = true;
        }
        if (!bench_.unit->can_accept()) { return false; }
        const std::size_t stores = code_.size() - kReturning - 2;
        return access(warp, draw < 3    ? kLoads
                            : draw < 5  ? kReturning
                            : draw < 66 ? random_() % kLoads
                                        : kReturning + 1 + random_() % stores);
    }
    /// Compares what has completed since the last call.
    void look() {
        for (; seen_ < bench_.completions.size(); ++seen_) {
            const auto which = static_cast<std::size_t>(bench_.completions[seen_].instruction - code_.data());
            if (which == code_.size() - 1) { fenced_[bench_.completions[seen_].context] = false; }
            if (which >= kReturning) { continue; }
            Expected& expected = expected_[which];
            wrong_ += !expected.busy;
            expected.busy = false;
            for (unsigned lane = 0; lane < isa::kWarpSize; ++lane) {
                if ((expected.lanes >> lane & 1) == 0) { continue; }
                wrong_ += bench_.registers.row(static_cast<unsigned>(which))[lane] != expected.values[lane];
                ++compared_;
            }
        }
    }
    /// Acts for so many cycles and runs to the end; returns whether every load read what was stored last.
    bool run(Cycle cycles) {
        for (const Cycle end = bench_.now + cycles; bench_.now < end && wrong_ == 0; look()) {
            act();
            bench_.step();
        }
        const bool ended = bench_.drain(20'000);
        look();
        return ended && wrong_ == 0;
    }

  private:
    static constexpr unsigned kWarps = 4;
    static constexpr unsigned kLoads = 12;              ///< of which each may be under way once
    static constexpr unsigned kReturning = kLoads + 1;  ///< with an atomic

    struct Expected {
        bool busy = false;
        isa::LaneMask lanes = 0;
        std::array<std::uint32_t, isa::kWarpSize> values{};
    };

    std::byte* bytes_of(unsigned warp, unsigned lane, unsigned byte) {
        return &bytes_[(warp * isa::kWarpSize + lane) * thread_bytes_ + byte];
    }
    std::uint64_t global_address(unsigned warp, unsigned lane, unsigned byte) const {
        return kBase + 4 * ((std::uint64_t{byte / 4} * isa::kWarpSize + lane) * kWarps + warp) + byte % 4;
    }
    template <class Function>
    void for_each_word(const Function& function) {
        for (unsigned warp = 0; warp < kWarps; ++warp) {
            for (unsigned lane = 0; lane < isa::kWarpSize; ++lane) {
                for (unsigned byte = 0; byte < thread_bytes_; byte += 4) {
                    const std::uint64_t address = is_global_ ? global_address(warp, lane, byte)
                                                             : isa::kLocalMemoryBase +
                                                                   warp * isa::local_memory_per_warp(thread_bytes_) +
                                                                   isa::local_memory_offset(byte, lane);
                    function(bytes_of(warp, lane, byte), bench_.memory.word(address));
                }
            }
        }
    }

    /// Often all lanes access the same word, so that whole lines are stored.
    bool access(std::uint16_t warp, std::size_t which) {
        const isa::Instruction& what = code_[which];
        Expected stored;
        Expected& expected = which < kReturning ? expected_[which] : stored;
        if (expected.busy) { return false; }
        const unsigned width = isa::lane_bytes(what);
        const bool together = random_() % 3 != 0;
        const auto word = static_cast<unsigned>(random_() % (thread_bytes_ / 4));
        std::array<unsigned, isa::kWarpSize> offsets;
        for (unsigned& offset : offsets) {
            offset = 4 * (together ? word : static_cast<unsigned>(random_() % (thread_bytes_ / 4))) +
                     static_cast<unsigned>(random_() % (4 / width)) * width;
        }
        const auto some = static_cast<isa::LaneMask>(random_() | std::uint64_t{1} << random_() % 32);
        const auto address = [&](unsigned lane) {
            const std::uint64_t window = what.space == Space::generic ? isa::kLocalWindowBase : 0;
            return is_global_ ? global_address(warp, lane, offsets[lane]) : window + offsets[lane];
        };
        MemoryInstruction access = bench_.instruction(
            what, address, together && random_() % 4 != 0 ? isa::kFullMask : some, static_cast<unsigned>(which), warp);
        access.pc = static_cast<std::uint32_t>(which);
        if (!is_global_) { place_in_warp(access, warp); }
        expected = {.busy = true, .lanes = access.active};
        const auto common = static_cast<std::uint32_t>(random_());
        for (unsigned lane = 0; lane < isa::kWarpSize; ++lane) {
            std::uint32_t value = together ? common : static_cast<std::uint32_t>(random_());
            access.data[0][lane] = value;
            if ((access.active >> lane & 1) == 0) { continue; }
            std::byte* place = bytes_of(warp, lane, offsets[lane]);
            std::memcpy(&expected.values[lane], place, width);
            if (what.operation == Operation::load) { continue; }
            value += is_atomic(what) ? expected.values[lane] : 0;
            std::memcpy(place, &value, width);
        }
        bench_.unit->accept(access, bench_.now);
        return true;
    }

    std::mt19937_64 random_;
    UsedBench& bench_;
    bool is_global_;
    std::uint32_t thread_bytes_;
    std::vector<std::byte> bytes_;        ///< by warp and lane
    std::vector<isa::Instruction> code_;  ///< loads, an atomic, a reduction, stores, a fence
    std::array<Expected, kReturning> expected_;
    std::size_t seen_ = 0;
    std::array<bool, kWarps> fenced_{};
    unsigned compared_ = 0;
    unsigned wrong_ = 0;
};

inline Bench::Overrides tight(unsigned seed, const std::string& policy) {
    constexpr const char* kReplacement[] = {"lru", "fifo", "tree_plru"};
    return {"l1d.local_write_policy=" + policy,
            "l1d.set_index=linear",
            "l1d.sets=" + std::to_string(1 + seed % 3),
            "l1d.ways=" + std::to_string(1 + seed % 4),
            "l1d.pinned_ways=0",
            "l1d.mshrs=4",
            "l1d.merges=" + std::to_string(1 + seed % 3),
            "l1d.miss_queue=" + std::to_string(1 + seed % 5),
            "l1d.miss_latency=" + std::to_string(seed % 2 * 7),
            "l1d.merged_stores=3",
            std::string("l1d.replacement=") + kReplacement[seed % 3],
            seed % 2 == 0 ? "l1d.sector_bytes=128" : "l1d.sector_bytes=32"};
}

}  // namespace lookahead::gpu::test
