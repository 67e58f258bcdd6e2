#pragma once

#include <initializer_list>
#include <iterator>

#include "tests/components/sm/lsu/unit_bench.h"

namespace lookahead::gpu::test {

using Lines = std::vector<std::uint64_t>;

/// A load/store unit with a prefetcher, in a launch of four CTA slots with two warps each.
class PrefetchBench : public Bench {
  public:
    struct Hint {
        std::uint16_t context;
        WarpHint hint;
        bool operator==(const Hint&) const = default;
    };

    explicit PrefetchBench(const std::string& prefetcher, Overrides more = {}, unsigned warps_per_cta = 2,
                           unsigned ctas = 4)
        : Bench(with(std::move(more), prefetcher)), warps_per_cta_(warps_per_cta) {
        unit->begin_kernel();
        begin_launch(ctas, warps_per_cta);
        for (unsigned slot = 0; slot < ctas; ++slot) { unit->cta_started(slot, slot); }
    }

    void warp_hint(std::uint16_t context, WarpHint hint) override { hints.push_back({context, hint}); }

    /// A load with lanes in these lines, in this order; it is performed at once.
    void load(std::uint16_t context, std::uint32_t pc, std::initializer_list<std::uint64_t> numbers) {
        const Lines list(numbers);
        MemoryInstruction what = instruction(
            kernels.front().code[pc],
            [&](unsigned lane) { return kBase + list[lane % list.size()] * kLineBytes + 4 * (lane / list.size()); },
            isa::kFullMask, 0, context);
        what.pc = pc;
        what.cta_slot = static_cast<std::uint16_t>(context / warps_per_cta_);
        issue(what);
        run_to(now + static_cast<Cycle>(list.size()));
    }
    /// Loads of one PC, each with its {context, line}.
    void load_each(std::uint32_t pc, std::initializer_list<std::pair<std::uint16_t, std::uint64_t>> each) {
        for (const auto& [context, line] : each) { load(context, pc, {line}); }
    }
    /// The strided load of four words: element k of all lanes is in line `first` + k * `apart`.
    MemoryInstruction vector_load(std::uint16_t context, std::uint64_t first, std::int32_t apart) {
        MemoryInstruction what = instruction(kernels.front().code.back(), words_from(kBase + first * kLineBytes),
                                             isa::kFullMask, 64 + 4u * context, context);
        what.pc = static_cast<std::uint32_t>(kernels.front().code.size() - 1);
        what.cta_slot = static_cast<std::uint16_t>(context / warps_per_cta_);
        what.elements = what.instruction->vector;
        for (unsigned lane = 0; lane < isa::kWarpSize; ++lane) {
            what.offsets[0][lane] = apart * static_cast<std::int32_t>(kLineBytes / 4);
        }
        return what;
    }
    /// The same; then runs until nothing is under way.
    void load_and_drain(std::uint16_t context, std::uint32_t pc, std::initializer_list<std::uint64_t> numbers) {
        load(context, pc, numbers);
        REQUIRE(drain());
    }
    void store(std::uint64_t line) {
        static const isa::Instruction what = make_memory(isa::Operation::store);
        perform(what, words_from(kBase + line * kLineBytes));
    }
    void settle() { run_to(now + 200); }
    const PrefetchCounters& prefetches() const { return unit->prefetches()->counters(); }
    /// Whether the line, by its number from kBase on, is in L1 or under way.
    bool has(std::uint64_t line) { return unit->l1().tags().find(kBase + line * kLineBytes) != kNoWay; }
    /// Those of the lines that are in L1 after all have come.
    Lines present(std::initializer_list<std::uint64_t> numbers) {
        settle();
        Lines here;
        std::copy_if(numbers.begin(), numbers.end(), std::back_inserter(here), [&](auto each) { return has(each); });
        return here;
    }
    bool drain_and_end() {
        const bool drained = drain();
        unit->end_launch();
        return drained;
    }

    std::vector<Hint> hints;

  private:
    static Overrides with(Overrides more, const std::string& prefetcher) {
        more.push_back("sm.prefetcher=" + prefetcher);
        return more;
    }
    unsigned warps_per_cta_;
};

}  // namespace lookahead::gpu::test
