#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <random>
#include <string>

#include "core/lp/audit.h"
#include "tests/components/sm/lsu/unit_bench.h"

namespace lookahead::gpu::test {

inline constexpr std::uint32_t kLocalBytes = 24;
inline constexpr unsigned kSlots = 12;  ///< most loads under way

inline void place_in_warp(MemoryInstruction& instruction, std::uint16_t warp, std::uint32_t bytes = kLocalBytes) {
    instruction.local_bytes = bytes;
    instruction.local_base = isa::kLocalMemoryBase + warp * isa::local_memory_per_warp(bytes);
}

/// The audit's first fault in L1; empty: none.
inline std::string audit_of(const Bench& bench) {
    Audit audit;
    bench.unit->l1().audit(audit, "l1");
    const auto faults = audit.faults();
    return faults.empty() ? "" : faults.front();
}

/// Warps that load, store and occasionally fence at random; plain arrays hold the expected bytes.
class RandomAccesses {
  public:
    RandomAccesses(unsigned seed, Bench& bench) : random_(seed), bench_(bench) {
        constexpr isa::Type kTypes[] = {isa::Type::u32, isa::Type::u16, isa::Type::u8, isa::Type::u32};
        for (unsigned slot = 0; slot < kSlots; ++slot) {
            const isa::Space space = slot % 3 == 0 ? isa::Space::generic : isa::Space::local;
            loads_[slot] = make_memory(isa::Operation::load, kTypes[slot % 4], space);
            loads_[slot].order = slot == 5 ? isa::Order::relaxed : isa::Order::weak;
        }
        for (unsigned i = 0; i < 4; ++i) {
            stores_[i] =
                make_memory(isa::Operation::store, kTypes[i], i == 3 ? isa::Space::generic : isa::Space::local);
        }
        add_ = make_atomic(isa::AtomicOp::add, isa::Operation::reduce, isa::Space::generic);
        bench.memory.set_delay([random = std::mt19937(seed + 1)](unsigned, std::uint64_t, bool) mutable {
            return 1 + static_cast<Cycle>(random() % 60);
        });
    }

    /// Returns false as soon as a load has read a wrong byte.
    bool run(unsigned steps) {
        for (unsigned i = 0; i < steps && good_; ++i) {
            step();
            check_completed();
        }
        for (unsigned left = 20'000; left > 0 && !bench_.unit->drained(); --left) { bench_.step(); }
        check_completed();
        return good_ && bench_.unit->drained();
    }

  private:
    struct Expected {
        bool busy = false;
        isa::LaneMask lanes = 0;
        std::array<std::uint32_t, isa::kWarpSize> values{};
    };

    void step() {
        const unsigned draw = random_() % 64;
        const auto warp = static_cast<std::uint16_t>(random_() % 3);
        if (draw == 0 && !fenced()) {
            bench_.issue_fence(fence_, warp);
            ++fences_;
        } else if (fenced()) {
            bench_.step();
        } else if (draw < 30) {
            load(warp);
        } else if (draw < 32) {
            access(warp, add_);
        } else if (draw < 58) {
            access(warp, stores_[random_() % 4]);
        } else {
            bench_.step();
        }
    }
    bool fenced() const {
        const auto ended = std::ranges::count(bench_.completions, &fence_, &Bench::Completion::instruction);
        return ended != fences_;
    }

    void load(std::uint16_t warp) {
        const unsigned slot = random_() % kSlots;
        Expected& expected = expected_[slot];
        if (expected.busy) { return bench_.step(); }
        MemoryInstruction what = make(warp, loads_[slot], slot);
        expected.busy = true;
        expected.lanes = what.active;
        for (unsigned lane = 0; lane < isa::kWarpSize; ++lane) {
            expected.values[lane] = 0;
            std::memcpy(&expected.values[lane], &bytes_[warp][lane][offsets_[lane]], isa::lane_bytes(loads_[slot]));
        }
        place_in_warp(what, warp);
        bench_.issue(what);
    }

    void access(std::uint16_t warp, const isa::Instruction& instruction) {
        MemoryInstruction what = make(warp, instruction, 0);
        for (unsigned lane = 0; lane < isa::kWarpSize; ++lane) {
            std::uint32_t value = random_();
            what.data[0][lane] = value;
            if ((what.active >> lane & 1) == 0) { continue; }
            std::byte* place = &bytes_[warp][lane][offsets_[lane]];
            if (is_atomic(instruction)) {
                std::uint32_t old = 0;
                std::memcpy(&old, place, 4);
                value += old;
            }
            std::memcpy(place, &value, isa::lane_bytes(instruction));
        }
        place_in_warp(what, warp);
        bench_.issue(what);
    }

    /// Half of the time all lanes access the same word, so that whole lines are stored; otherwise few lanes access
    /// memory.
    MemoryInstruction make(std::uint16_t warp, const isa::Instruction& instruction, unsigned slot) {
        const unsigned width = isa::lane_bytes(instruction);
        const bool together = random_() % 2 == 0;
        const unsigned word = random_() % (kLocalBytes / 4);
        for (unsigned& offset : offsets_) {
            offset = (together ? word : random_() % (kLocalBytes / 4)) * 4 +
                     (width < 4 ? random_() % (4 / width) : 0) * width;
        }
        const isa::LaneMask active = together && random_() % 4 != 0 ? isa::kFullMask : random_() | 1u << random_() % 32;
        const std::uint64_t window = instruction.space == isa::Space::generic ? isa::kLocalWindowBase : 0;
        return bench_.instruction(
            instruction, [&](unsigned lane) { return window + offsets_[lane]; }, active, slot, warp);
    }

    void check_completed() {
        for (; seen_ < bench_.completions.size(); ++seen_) {
            const isa::Instruction* what = bench_.completions[seen_].instruction;
            if (what < loads_.data() || what >= loads_.data() + kSlots) { continue; }
            const auto slot = static_cast<unsigned>(what - loads_.data());
            Expected& expected = expected_[slot];
            for (unsigned lane = 0; lane < isa::kWarpSize; ++lane) {
                if ((expected.lanes >> lane & 1) != 0) {
                    good_ &= bench_.registers.row(slot)[lane] == expected.values[lane];
                }
            }
            expected.busy = false;
        }
    }

    std::mt19937 random_;
    Bench& bench_;
    std::array<isa::Instruction, kSlots> loads_;
    std::array<isa::Instruction, 4> stores_;
    isa::Instruction add_;
    isa::Instruction fence_ = make_fence();
    std::array<std::array<std::array<std::byte, kLocalBytes>, isa::kWarpSize>, 3> bytes_{};
    std::array<Expected, kSlots> expected_;
    std::array<unsigned, isa::kWarpSize> offsets_{};
    std::size_t seen_ = 0;
    long fences_ = 0;
    bool good_ = true;
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
