#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "components/mechanisms/dac/address_unit.h"
#include "components/mechanisms/dac/predicate_unit.h"

namespace lookahead::dac {

/// Decoupled affine computation on an SM (Wang and Lin, ISCA 2017, section 4). Its parts are the affine warp, which
/// runs the kernel's program `affine` on tuples for a batch of resident CTAs; the tuple queue; and the units that
/// expand tuples into each warp's queues. This class does what the warps do at their queues. Loads are performed when
/// they dequeue, in their warp's order, as any other: early requests of the address unit only bring and keep lines.
/// README.md has the rules and the choices.
class Dac final : public gpu::IssueExtension, private gpu::QueueServer {
  public:
    using Parameters = DacParameters;

    Dac(const DacParameters& parameters, const gpu::IssueExtensionArguments& arguments);

    Cycle longest_delay() const override { return affine_.longest_delay(); }
    gpu::QueueServer* queue_server() override { return this; }
    void begin_launch() override;
    void warp_started(unsigned context) override;
    void warp_exited(unsigned context) override;
    void begin_cycle(Cycle now) override;
    Cycle next_cycle(Cycle now) const override;

    bool classify(unsigned context) override;
    bool supply(unsigned context, Cycle now) override;
    void before_execution(unsigned context, Cycle now) override;
    void dequeue_addresses(unsigned context, isa::LaneMask active, std::uint64_t* addresses) override;
    void written_back(unsigned context, std::uint32_t pc, bool all) override;
    void event(unsigned run, std::uint32_t pc, Cycle) override { affine_.write_back(run, pc); }

    const DacCounters& counters() const { return counters_; }

    std::string waiting_for() const override;
    void audit(Audit& audit, const std::string& sm) const override;
    void visit_statistics(StatisticsVisitor& visitor, const std::string& sm) const override {
        visit(visitor, sm, "dac", counters_);
    }
    void fields(StateArchive& archive) override;

  private:
    /// What a warp waits for at its queues, for statistics.
    enum class Wait : std::uint8_t { nothing, entry, lines, report };

    Wait waits_for(unsigned context, const gpu::DecodedInstruction& decoded) const;
    void note_wait(unsigned context, Wait wait);
    bool head_may_go(unsigned context) const;
    void pass_marker(unsigned context);
    void check_pair(const PairName& name, unsigned context, isa::LaneMask active, std::uint32_t due) const;
    isa::LaneMask dequeue_predicate(unsigned context, isa::LaneMask active);
    void report(unsigned context, isa::LaneMask active, isa::LaneMask holds);
    void read_records(unsigned context, QueuedAccess& access, isa::LaneMask active, LaneAddresses& lanes);
    void to_thread_offsets(unsigned context, isa::LaneMask active, LaneAddresses& addresses) const;
    void release_lines();

    const DacParameters parameters_;
    DacCounters counters_;
    DacLaunch launch_;
    TupleQueue tuples_;
    WarpQueues queues_;
    EarlyLines lines_;
    AffineWarp affine_;
    PredicateUnit predicate_unit_;
    AddressUnit address_unit_;
    std::array<std::uint32_t, gpu::kMaximumContexts> at_marker_{};  ///< PC + 1 of the marker at which the warp is
    std::array<Wait, gpu::kMaximumContexts> waiting_{};
    std::array<Cycle, gpu::kMaximumContexts> waiting_since_{};
};

}  // namespace lookahead::dac
