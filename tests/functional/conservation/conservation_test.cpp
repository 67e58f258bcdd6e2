// Whole machines run workloads to their ends. Their accounts balance, and the audit detects errors that a test injects.
#include <doctest/doctest.h>

#include <functional>
#include <string>

#include "components/device/cta_dispatcher.h"
#include "components/interconnect/mesh/mesh_network.h"
#include "components/machine/machine.h"
#include "components/memory_partition/memory_partition.h"
#include "components/sm/lsu/coalescing_unit.h"
#include "components/sm/lsu/crossbar_memory_port.h"
#include "components/sm/multiprocessor/streaming_multiprocessor.h"
#include "core/lp/audit.h"
#include "core/sync/simulation.h"
#include "core/transport/in_process/in_process_transport.h"
#include "experiments/run/program.h"
#include "experiments/workloads/workload.h"
#include "partitioning/partitioners/partition.h"

namespace lookahead::gpu {

/// Imitates the effects of bugs in an SM or a memory partition.
struct AuditSabotage {
    static StreamingMultiprocessor& sm(LogicalProcess& process) {
        return dynamic_cast<StreamingMultiprocessor&>(process);
    }
    static MemoryPartition& partition(LogicalProcess& process) { return dynamic_cast<MemoryPartition&>(process); }
    static CoalescingUnit& unit(LogicalProcess& process) { return dynamic_cast<CoalescingUnit&>(*sm(process).memory_); }
    static CrossbarMemoryPort& port(LogicalProcess& process) {
        return dynamic_cast<CrossbarMemoryPort&>(*unit(process).memory_);
    }

    static void lose_register(LogicalProcess& process) {
        Scoreboard& scoreboard = sm(process).state_.warps.scoreboard;
        std::vector<std::uint64_t> written(scoreboard.words());
        written.back() = 1ull << 63;
        scoreboard.reserve(0, written.data(), false);
    }
    static void lose_warp(LogicalProcess& process) { sm(process).state_.warps.states.set(47, ContextState::exited); }
    static void count_issue_twice(LogicalProcess& process) { sm(process).state_.profile.counts_.add(0, 0, 1); }
    static void count_lane_twice(LogicalProcess& process) { sm(process).state_.profile.counts_.add(0, 1, 1); }
    static void count_wait_twice(LogicalProcess& process) { sm(process).state_.profile.counts_.add(0, 2, 1); }
    static void count_line_twice(LogicalProcess& process) { ++unit(process).counters_.global_accesses; }
    static void count_load_twice(LogicalProcess& process) { ++unit(process).counters_.completed_loads; }
    static void count_load_cycle_twice(LogicalProcess& process) { ++unit(process).counters_.load_cycles; }
    static void count_bank_cycle_twice(LogicalProcess& process) { ++unit(process).counters_.shared_conflict_cycles; }
    static void lose_barrier(LogicalProcess& process) { sm(process).barriers_.ctas_barriers_.at(0)[15].waiting |= 1; }
    static void lose_l1_mshr(LogicalProcess& process) { unit(process).l1_.mshrs_.free_[0] &= ~std::uint64_t{1}; }
    static void lose_pin(LogicalProcess& process) {
        auto& tags = unit(process).l1_.lines_;
        for (std::uint32_t way = 0; way < tags.size(); ++way) { tags.info(way).pins = 1; }
    }
    static void lose_line_of_l1(LogicalProcess& process) { unit(process).l1_.lines_.assign(0, 0, {.awaited = 1}); }
    static void lose_instruction(LogicalProcess& process) { ++unit(process).order_.accepted_; }
    static void lose_request_credit(LogicalProcess& process) { --port(process).injection_.credits_[2]; }
    static void invent_request_credit(LogicalProcess& process) { ++port(process).injection_.credits_[2]; }
    static void lose_read(LogicalProcess& process) { ++unit(process).arbiter_.traffic_.reads; }
    static void lose_acknowledgement(LogicalProcess& process) { --unit(process).arbiter_.traffic_.acknowledgements; }
    static void lose_atomic(LogicalProcess& process) {
        ++unit(process).arbiter_.traffic_.atomics;
        ++unit(process).arbiter_.traffic_.atomic_replies;
    }

    static void lose_dirty_bytes(LogicalProcess& process) { ++unit(process).l1_.counters_.dirtied_bytes; }
    static void lose_place_of_merged_store(LogicalProcess& process) {
        unit(process).l1_.mshrs_.free_stores_.pop_back();
    }
    static void lose_mshr_of_prefetches(LogicalProcess& process) { ++unit(process).l1_.speculative_; }
    static void lose_cta(LogicalProcess& process) { ++sm(process).ctas_.resident_; }
    static void forget_waiting_cta(LogicalProcess& process) { sm(process).ctas_.waiting_.push_back(7); }
    static void complete_cta_twice(LogicalProcess& process) { ++sm(process).state_.counters.ctas; }
    static void lose_fetch_of_warp(LogicalProcess& process) { sm(process).fetch_.under_way_ |= 1; }
    static void lose_miss_of_l1i(LogicalProcess& process) { sm(process).fetch_.cache_.mshrs_.at(1).readers = 1; }
    static void lose_pass_of_constants(LogicalProcess& process) {
        ++sm(process).state_.constants.waiting_passes_.at(0);
    }
    static void lose_line_of_parameters(LogicalProcess& process) { sm(process).state_.constants.asked_ |= 4; }
    static void lose_miss_of_constants(LogicalProcess& process) {
        sm(process).state_.constants.tags_.mshrs_.at(1).used = true;
    }
    static void lose_fence(LogicalProcess& process) { unit(process).order_.contexts_[3].acquires = 1; }
    static void lose_access_before_fence(LogicalProcess& process) { unit(process).order_.epochs_.begin(0); }
    static void lose_atomic_reply(LogicalProcess& process) { --unit(process).arbiter_.traffic_.atomic_replies; }
    static void write_byte_twice(LogicalProcess& process) { ++unit(process).arbiter_.traffic_.written_bytes; }
    static void lose_texture_fetch(LogicalProcess& process) { ++unit(process).texture_.completed_; }
    static void lose_texture_line(LogicalProcess& process) {
        unit(process).texture_.lines_.emplace_back().state = TextureUnit::LineState::fetching;
        unit(process).texture_.lines_.emplace_back().readers = 2;
    }
    static void lose_texture_descriptor(LogicalProcess& process) {
        unit(process).texture_.descriptors_.emplace_back().state = TextureUnit::LineState::fetching;
    }
    static void lose_queued_prefetch(LogicalProcess& process) { unit(process).spare_.prefetches_->queue_.push(); }
    static void lose_fate_of_prefetch(LogicalProcess& process) {
        ++unit(process).spare_.prefetches_->counters_.outstanding;
    }
    static void lose_prefetch(LogicalProcess& process) { ++unit(process).spare_.prefetches_->counters_.issued; }
    static void lose_choice_of_prefetcher(LogicalProcess& process) {
        ++unit(process).spare_.prefetches_->counters_.requested;
    }
    static void lose_link_room(LogicalProcess& process) {
        --dynamic_cast<MeshNetwork&>(process).routers_.at(1).room[MeshNetwork::kEast];
    }
    static void lose_place_of_packet(LogicalProcess& process) {
        dynamic_cast<MeshNetwork&>(process).free_packets_.pop_back();
    }
    static void invent_cta(LogicalProcess& process) { ++dynamic_cast<CtaDispatcher&>(process).counters_.ctas; }

    static L2Slice& slice(LogicalProcess& process) { return *partition(process).slices_.at(1); }
    static void lose_reply_credit(LogicalProcess& process) { --slice(process).operations_.replies_.credits_[3]; }
    static void lose_miss_register(LogicalProcess& process) { slice(process).mshrs_.free_registers_.pop_back(); }
    static void lose_miss_waiter(LogicalProcess& process) { slice(process).mshrs_.free_waiters_.pop_back(); }
    static void lose_written_bytes(LogicalProcess& process) {
        L2Cache& cache = slice(process).cache_;
        for (std::uint32_t line = 0; line < 64 * 8; ++line) { cache.dirty(line) = ByteMask{}; }
    }
    static void lose_write_back(LogicalProcess& process) { ++slice(process).dram_writes_; }
    static void lose_fetch(LogicalProcess& process) { ++slice(process).dram_reads_; }
    static void lose_store(LogicalProcess& process) { --slice(process).operations_.writes_; }
    static void lose_fill(LogicalProcess& process) { slice(process).fills_.push(); }
};

namespace {

/// Applies an action to one process at the `number`-th epoch.
class Saboteur final : public EpochObserver {
  public:
    using Action = std::function<void(LogicalProcess&)>;

    Saboteur(std::string process, std::uint64_t number, Action action)
        : process_(std::move(process)), number_(number), action_(std::move(action)) {}

    void on_epoch(const EpochReport&, std::span<LogicalProcess* const> local) override {
        if (epochs_++ == number_ && action_) {
            for (LogicalProcess* process : local) {
                if (process->name() == process_) {
                    action_(*process);
                    done_ = true;
                }
            }
        }
    }
    bool done() const { return done_; }
    std::uint64_t epochs() const { return epochs_; }

  private:
    std::string process_;
    std::uint64_t number_;
    Action action_;
    std::uint64_t epochs_ = 0;
    bool done_ = false;
};

SimulationResult run(const std::string& name, Saboteur* saboteur, const std::vector<std::string>& overrides = {}) {
    Configuration configuration;
    for (const std::string& each : overrides) { configuration.override_value(each); }
    const auto workload = make_variant<Workload>(name, configuration, WorkloadContext{Size::tiny, 3});
    Machine machine(configuration, load_kernels(*workload, configuration),
                    [&](Device& device) { workload->run(device); });
    InProcessTransport transport;
    SimulationOptions options;
    options.observer = saboteur;
    Simulation simulation(machine.model(), partition(machine.model(), 1, "linear"), transport, options);
    return simulation.run();
}

/// The audit's report on histogram, a workload with barriers, atomics, stores and loads, after an action on one process
/// in the last epoch or, with `under_way`, in the middle of the run.
std::string fault_after(const std::string& process, const Saboteur::Action& action, bool under_way = false,
                        const std::string& workload = "histogram", const std::vector<std::string>& overrides = {}) {
    Saboteur nobody("", 0, {});
    REQUIRE(run(workload, &nobody, overrides).outcome == Outcome::finished);
    REQUIRE(nobody.epochs() > 4);
    Saboteur saboteur(process, under_way ? nobody.epochs() / 2 : nobody.epochs() - 1, action);
    const SimulationResult result = run(workload, &saboteur, overrides);
    REQUIRE(saboteur.done());
    CHECK(result.outcome == Outcome::failed);
    CHECK(result.code == ExitCode::internal);
    return result.message;
}

void check_balanced(const std::string& workload, const std::vector<std::string>& overrides) {
    CAPTURE(workload);
    CAPTURE(overrides.front());
    const SimulationResult result = run(workload, nullptr, overrides);
    CHECK(result.message == "");
    CHECK(result.outcome == Outcome::finished);
}

void names(const std::string& message, const std::string& part) {
    CHECK_MESSAGE(message.find(part) != std::string::npos, message);
}

TEST_CASE("a run's books balance at its end") {
    for (const char* workload : {"vecadd", "sgemm", "hotspot", "histogram", "bfs"}) {
        for (const char* policy : {"write_evict", "write_through"}) {
            check_balanced(workload, {std::string("l1d.write_policy=") + policy, "l2.sets=16", "l1d.mshrs=8"});
        }
    }
}

TEST_CASE("the books balance with local memory under every policy for it") {
    for (const char* policy :
         {"write_back", "write_back_fetch", "write_back_no_allocate", "write_through", "write_evict"}) {
        for (const char* sectors : {"l1d.sector_bytes=128", "l1d.sector_bytes=32"}) {
            check_balanced("MersenneTwister", {std::string("l1d.local_write_policy=") + policy, sectors, "l1d.ways=2",
                                               "l1d.pinned_ways=1", "l1d.miss_queue=1"});
        }
    }
}

TEST_CASE("the books balance with parts that other machines have") {
    const std::vector<std::vector<std::string>> machines{
        {"interconnect.topology=mesh"},
        {"interconnect.topology=input_queued"},
        {"gpu.perfect_memory=true"},
        {"l1d.sector_bytes=32", "l2.sector_bytes=32"},
        {"l2.fetch_on_write=true", "l2.input_latency=40", "l2.input_queue=2", "l2.port_bytes=32", "l2.sets=8"},
        {"l2.far_latency=90", "l2.sets=8", "host.code_fills_l2=true", "dispatcher.launch_latency=500",
         "sm.barrier_interval=2"},
        {"l1i.enabled=false", "sm.operand_collectors=false", "dispatcher.preassigned_ctas=0"},
        {"sm.prefetcher=caps", "sm.warp_scheduler=pas"},
        {"sm.issue_extension=pmode"},
        {"sm.issue_extension=cae", "cae.check=true", "sm.issue_interval=2"},
        {"sm.issue_extension=dac", "kernel.transform=dac", "dac.check=true"},
        {"sm.issue_extension=dac", "kernel.transform=dac", "l1d.sector_bytes=32", "l2.sector_bytes=32"}};
    for (const auto& overrides : machines) {
        for (const char* workload : {"histogram", "bfs"}) { check_balanced(workload, overrides); }
    }
}

TEST_CASE("the books balance with a companion of L1 and a request path, which the tests have") {
    for (const char* workload : {"MersenneTwister", "histogram", "bfs"}) {
        for (const char* part : {"l1d.companion=words", "memory.request_path=delaying"}) {
            check_balanced(workload, {part, "l1d.ways=2", "l1d.pinned_ways=1", "l1d.miss_queue=2"});
        }
    }
}

TEST_CASE("what is not given back is named") {
    using S = AuditSabotage;
    names(fault_after("sm4", S::lose_register), "sm4: 1 registers or predicates that await a write-back");
    names(fault_after("sm4", S::lose_warp), "sm4: 1 warps whose places were not vacated");
    names(fault_after("sm4", S::count_issue_twice), "sm4: warp instructions by place: ");
    names(fault_after("sm4", S::count_lane_twice), "sm4: thread instructions by place: ");
    names(fault_after("sm4", S::count_wait_twice), "sm4: warp cycles by place: ");
    names(fault_after("sm4", S::count_line_twice), "sm4: lines by place: ");
    names(fault_after("sm4", S::count_load_twice), "sm4: loads by place: ");
    names(fault_after("sm4", S::count_load_cycle_twice), "sm4: cycles of loads by place: ");
    names(fault_after("sm4", S::count_bank_cycle_twice), "sm4: cycles in banks by place: ");
    names(fault_after("sm4", S::lose_barrier), "sm4: 1 warps that wait at a barrier");
    names(fault_after("sm4", S::lose_l1_mshr), "sm4: 1 MSHRs of L1 that are not free");
    names(fault_after("sm4", S::lose_dirty_bytes), "sm4: dirty bytes of local memory: ");
    names(fault_after("sm4", S::lose_pin), "sm4: 1 pins of a line of L1");
    names(fault_after("sm4", S::lose_line_of_l1), "sm4: a line of L1 awaits a fill that will not come");
    names(fault_after("sm4", S::lose_instruction), "sm4: memory instructions: ");
    names(fault_after("partition2", S::lose_miss_register), "partition2.slice1: 1 miss registers that are not free");
    names(fault_after("partition2", S::lose_miss_waiter), "partition2.slice1: 1 requests in miss registers");
    names(fault_after("partition2", S::lose_fill), "partition2.slice1: 1 fills that were not taken");
    names(fault_after("sm4", S::lose_place_of_merged_store), "sm4: 1 places for stores that were merged into fills");
    names(fault_after("sm4", S::lose_mshr_of_prefetches), "sm4: 1 MSHRs of L1 that prefetches hold");
    names(fault_after("sm4", S::lose_cta), "sm4: 1 resident CTAs");
    names(fault_after("sm4", S::forget_waiting_cta), "sm4: 1 CTAs that wait for a place");
    names(fault_after("sm4", S::lose_fetch_of_warp), "sm4: 1 fetches of warps that are gone");
    names(fault_after("sm4", S::lose_miss_of_l1i), "sm4: 1 misses of the instruction cache under way");
    names(fault_after("sm4", S::lose_pass_of_constants), "sm4: 1 passes of loads that wait for the constant cache");
    names(fault_after("sm4", S::lose_line_of_parameters), "sm4: 1 lines of parameters under way");
    names(fault_after("sm4", S::lose_miss_of_constants), "sm4: 1 misses of the constant cache under way");
    names(fault_after("sm4", S::lose_fence), "sm4: 1 loads, acquires, fences or queued instructions of a warp that is");
    names(fault_after("sm4", S::lose_access_before_fence), "sm4: 1 accesses for which fences would wait");
    names(fault_after("sm4", S::lose_texture_line), "sm4: 2 accesses that hold a line of the texture cache");
    names(fault_after("sm4", S::lose_texture_line),
          "sm4: a line of the texture cache awaits a fill that will not come");
    names(fault_after("sm4", S::lose_texture_descriptor), "sm4: a descriptor awaits a fill that will not come");
    names(fault_after("sm4", S::lose_texture_fetch), "sm4: texture fetches: ");
}

TEST_CASE("CTAs that are lost on the way or counted twice are named") {
    using S = AuditSabotage;
    names(fault_after("sm4", S::complete_cta_twice, true), "CTAs: the sum over the machine is -1, not 0");
    names(fault_after("dispatcher", S::invent_cta, true), "CTAs: the sum over the machine is 1, not 0");
}

TEST_CASE("prefetches that are lost are named") {
    using S = AuditSabotage;
    const auto after = [](const Saboteur::Action& action) {
        return fault_after("sm4", action, false, "histogram", {"sm.prefetcher=nlp"});
    };
    names(after(S::lose_queued_prefetch), "sm4: 1 prefetches that wait for L1");
    names(after(S::lose_fate_of_prefetch), "sm4: 1 prefetches without a fate");
    names(after(S::lose_prefetch), "sm4: prefetches: ");
    names(after(S::lose_choice_of_prefetcher), "sm4: chosen prefetches: ");
}

TEST_CASE("what a mesh loses is named") {
    using S = AuditSabotage;
    const std::vector<std::string> mesh{"interconnect.topology=mesh"};
    names(fault_after("mesh.requests", S::lose_link_room, true, "histogram", mesh),
          "mesh.requests: flits of room at links: ");
    names(fault_after("mesh.replies", S::lose_place_of_packet, false, "histogram", mesh),
          "mesh.replies: 1 occupied places for packets");
}

TEST_CASE("a credit that is lost or invented is named by its path") {
    using S = AuditSabotage;
    for (const bool under_way : {false, true}) {
        const std::string credits = "the run's books do not balance at its end: crossbar credits for ";
        CHECK(fault_after("sm4", S::lose_request_credit, under_way) ==
              credits + "requests from 4 to 2: the sum over the machine is 1, not 0");
        CHECK(fault_after("sm4", S::invent_request_credit, under_way) ==
              credits + "requests from 4 to 2: the sum over the machine is -1, not 0");
        CHECK(fault_after("partition2", S::lose_reply_credit, under_way) ==
              credits + "replies from 5 to 3: the sum over the machine is 1, not 0");
    }
}

TEST_CASE("a request without a reply, and a request that never arrived, are named") {
    using S = AuditSabotage;
    const std::string lost_read = fault_after("sm4", S::lose_read, true);
    names(lost_read, "sm4: line reads: ");
    names(lost_read, " line reads: the sum over the machine is 1, not 0");
    names(fault_after("sm4", S::lose_acknowledgement, true), "sm4: stores and reductions: ");
    names(fault_after("sm4", S::lose_atomic, true), "atomics: the sum over the machine is 1, not 0");
    names(fault_after("sm4", S::lose_atomic_reply, true), "sm4: atomics: ");
    names(fault_after("sm4", S::write_byte_twice, true), "written bytes: the sum over the machine is 1, not 0");
    names(fault_after("partition2", S::lose_store, true), "stores and reductions: the sum over the machine is 1, not");
    names(fault_after("partition2", S::lose_write_back), "partition2.dram: writes: ");
    names(fault_after("partition2", S::lose_fetch, true), "partition2.dram: reads: ");
}

TEST_CASE("written bytes that are neither in a cache nor in DRAM are missed") {
    const std::string message = fault_after("partition2", AuditSabotage::lose_written_bytes, false, "hotspot");
    names(message, "partition2.slice1: ");
    names(message, " bytes were written, but ");
}

TEST_CASE("accounts of several ranks are added up") {
    Audit one;
    Audit other;
    one.account("apples", 5, 1, 2);
    one.account("pears", 1);
    other.account("apples", -5, 1, 2);
    other.account("apples", 7, 2, 1);
    other.leak("sm1", "pears", 0);
    other.leak("sm1", "pears on trees", 3);
    other.balance("sm1", "plums", 4, 4);
    one.merge(other.to_bytes());
    CHECK(one.faults() == std::vector<std::string>{"apples from 2 to 1: the sum over the machine is 7, not 0",
                                                   "pears: the sum over the machine is 1, not 0",
                                                   "sm1: 3 pears on trees"});
}

}  // namespace
}  // namespace lookahead::gpu
