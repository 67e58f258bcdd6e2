#include "components/sm/multiprocessor/streaming_multiprocessor.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <span>

#include "components/sm/simt/simt_model.h"
#include "core/component/slot.h"
#include "core/error/error.h"
#include "core/lp/audit.h"

namespace lookahead::gpu {
namespace {

WarpSchedulers make_schedulers(const Configuration& configuration, const PipelineState& state, const WarpView& view) {
    const auto count = static_cast<unsigned>(state.parameters.schedulers);
    WarpSchedulers schedulers;
    for (unsigned i = 0; i < count; ++i) {
        const WarpSchedulerArguments arguments{
            warps_of_scheduler(i, count, static_cast<unsigned>(state.parameters.max_warps)), state.warps.states, view};
        schedulers.push_back(make_chosen<WarpScheduler>(configuration, arguments));
    }
    return schedulers;
}

/// The resident warps, each with what it waits for; the first few are named.
std::string stuck_warps(const ContextMask& live, const ExecuteStage& execute) {
    constexpr unsigned kNamed = 4;
    std::string phrase;
    unsigned warps = 0;
    for (const unsigned context : live) {
        if (++warps <= kNamed) { phrase += (warps > 1 ? "; " : "") + execute.stall_phrase(context); }
    }
    return warps > kNamed ? fmt::format("{}; and {} more warps", phrase, warps - kNamed) : phrase;
}

}  // namespace

StreamingMultiprocessor::StreamingMultiprocessor(const Configuration& configuration, const isa::KernelTable& kernels,
                                                 SmIdentity identity, const LoadStoreFactory& make_load_store_unit)
    : number_(identity.index),
      to_dispatcher_(add_out_port("dispatch")),
      state_(configuration.read<SmParameters>("sm"), configuration.read<TimingParameters>("sm.timing"),
             simt_model(configuration), configuration.read<ConstantCacheParameters>("constant_cache")),
      clock_(state_.parameters.frequency),
      launches_(state_, kernels),
      memory_(
          make_load_store_unit({static_cast<unsigned>(state_.parameters.max_warps),
                                static_cast<std::uint32_t>(state_.parameters.shared_bytes), clock_, state_.registers,
                                state_.constants, *this, add_out_port("requests"), add_out_port("credits")})),
      view_(state_),
      schedulers_(make_schedulers(configuration, state_, view_)),
      ctas_(state_, schedulers_, *memory_),
      barriers_(state_, ctas_),
      execute_(state_, ctas_, barriers_, *memory_, clock_, identity),
      issue_(state_, ctas_, schedulers_, execute_, *memory_),
      fetch_(state_, *memory_, configuration.read<InstructionCacheParameters>("l1i")),
      extensions_(configuration, {state_, issue_, execute_, *memory_}) {
    state_.image = &kernels.image;
    for (const auto& scheduler : schedulers_) {
        if (L1Listener* listener = scheduler->l1_listener(); listener != nullptr) { memory_->subscribe(*listener); }
    }
    if (!extensions_.empty()) {
        state_.extensions = &extensions_;
        state_.wheel.reach(extensions_.longest_delay());
    }
}

[[gnu::hot]] void StreamingMultiprocessor::advance(Inbox inbox, Time horizon) {
    const Cycle end = clock_.cycle_at_or_after(horizon);
    Cycle now = charged_until_;
    auto next = inbox.begin();
    const auto arrival = [&] { return next == inbox.end() ? kNever : clock_.cycle_at_or_after((*next)->time); };
    Cycle held = held_.first_arrival(clock_);
    Cycle arrived = arrival();
    try {
        while (true) {
            now = std::min({next_work_, held, arrived});
            if (now >= end) { break; }
            charge_until(now);
            state_.now = now;
            while (held <= now) {
                deliver(held_.front(), now);
                held_.pop();
                held = held_.first_arrival(clock_);
            }
            while (arrived <= now) {
                deliver(**next++, now);
                arrived = arrival();
            }
            step(now);
        }
    } catch (const ProgramError& error) {
        const Time time = clock_.edge(now);
        fail(time, fmt::format("{}, cycle {} ({} fs): {}", name(), now, time, error.what()));
    }
    if (end != kCycleInfinity) { charge_until(end); }
    for (; next != inbox.end(); ++next) { held_.push(**next); }
}

/// Charges the cycles from charged_until_ up to `end`, in which nothing has happened.
[[gnu::hot]] void StreamingMultiprocessor::charge_until(Cycle end) {
    const Cycle cycles = end - charged_until_;
    if (cycles > 0 && state_.launch.active) {
        issue_.charge_idle(cycles);
        count_cycles(cycles);
        if (trace_ != nullptr) [[unlikely]] { trace_->schedulers(charged_until_, end, issue_.counters()); }
    }
    charged_until_ = std::max(end, charged_until_);
}

void StreamingMultiprocessor::count_cycles(Cycle cycles) {
    const auto count = static_cast<std::uint64_t>(cycles);
    state_.counters.cycles += count;
    if (ctas_.resident() > 0) {
        state_.counters.active_cycles += count;
        state_.counters.warp_cycles += count * ctas_.live_warps();
        state_.counters.cta_cycles += count * ctas_.resident();
    }
}

[[gnu::hot]] void StreamingMultiprocessor::step(Cycle now) {
    state_.wheel.take(now, [&](std::uint64_t word) {
        next_issue_ = now;
        handle(PipelineEvent::unpacked(word), now);
    });
    if (state_.launch.active) {
        ctas_.cycle(
            [&](unsigned slot, std::uint64_t cta) {
                memory_->cta_ended(slot);
                send_to_dispatcher(CtaCompleted{cta}, now);
            },
            [&](unsigned slot) {
                memory_->cta_started(slot, ctas_.slot(slot).cta);
                memory_touched_ = true;  // a prefetcher may begin with the CTA
                next_issue_ = now;
            });
        count_cycles(1);
        if (state_.extensions != nullptr) [[unlikely]] {
            extensions_.for_each([now](IssueExtension& extension) { extension.begin_cycle(now); });
            memory_touched_ |= std::exchange(state_.memory_wanted, false);
        }
        if (next_issue_ <= now || issue_.has_sources()) {
            memory_touched_ |= issue_.cycle(now);
        } else {
            issue_.charge_idle(1);
        }
        memory_touched_ |= fetch_.cycle(now);
        if (asks_for_constants()) {
            const ConstantCache::Request request = state_.constants.ask();
            memory_->request_line(request.line, request.sectors, request.reader, now);
            memory_touched_ = true;
        }
    }
    if (memory_touched_ || next_memory_work_ <= now) {
        memory_touched_ = false;
        memory_->cycle(now);
        next_memory_work_ = memory_->next_event(now);
    }
    charged_until_ = now + 1;
    if (trace_ != nullptr) [[unlikely]] {
        trace_->warps(now, state_.warps.states, extensions_.extended());
        trace_->schedulers(now, now + 1, issue_.counters());
        trace_->queues(now, memory_->occupancy());
    }
    if (state_.launch.ending) { finish_kernel_if_drained(now); }
    next_work_ = next_work(now);
}

[[gnu::hot]] void StreamingMultiprocessor::handle(PipelineEvent event, Cycle now) {
    switch (event.kind) {
        case PipelineEvent::Kind::write_back:
            return execute_.write_back(event.index, event.detail);
        case PipelineEvent::Kind::operands_read:
            return execute_.operands_read(event.index, event.detail);
        case PipelineEvent::Kind::stall_ended:
            return execute_.stall_ended(event.index);
        case PipelineEvent::Kind::fetched:
            return fetch_.fetched(event.index, event.detail);
        case PipelineEvent::Kind::branch_resolved:
            return execute_.branch_resolved(event.index);
        case PipelineEvent::Kind::barrier_released:
            return execute_.barrier_released(event.index, event.detail);
        case PipelineEvent::Kind::extension:
            return extensions_[event.owner].event(event.index, event.detail, now);
        case PipelineEvent::Kind::stream_fetched:
            return state_.extension_streams[event.owner]->fetched(event.index, event.detail);
        case PipelineEvent::Kind::stream_resumed:
            return state_.extension_streams[event.owner]->resumed(event.index, event.detail);
    }
}

[[gnu::hot]] Cycle StreamingMultiprocessor::next_work(Cycle now) {
    const Cycle next = std::min(state_.wheel.next(now), next_memory_work_);
    if (!state_.launch.active) { return next; }
    const bool goes_on = fetch_.has_work() || ctas_.has_work() || asks_for_constants();
    next_issue_ = goes_on ? now + 1 : issue_.next_issue(now);
    if (state_.extensions != nullptr) [[unlikely]] { next_issue_ = std::min(next_issue_, extensions_.next_cycle(now)); }
    return std::min(next, next_issue_);
}

[[gnu::hot]] void StreamingMultiprocessor::memory_completed(std::uint16_t context, const isa::Instruction& instruction,
                                                            Cycle now) {
    issue_.memory_writes(context, instruction, now);
    execute_.memory_completed(context, instruction);
}

void StreamingMultiprocessor::element_completed(std::uint16_t context, const isa::Instruction& instruction,
                                                unsigned element, bool last, Cycle now) {
    const std::uint16_t* row = state_.warps.map.of(context) + instruction.destination + element;
    issue_.rows_written({row, 1}, now);
    execute_.element_completed(context, instruction, element, last);
}

void StreamingMultiprocessor::line_came(std::uint32_t reader, Cycle) {
    if ((reader & ConstantCache::kReader) == 0) {
        fetch_.line_came(reader);
        return;
    }
    for (const unsigned context : state_.constants.take_waiting()) {
        if (state_.warps.states.of(context) == ContextState::blocked_by_constants) { state_.classify(context); }
    }
    for (ExtensionStreams* streams : state_.extension_streams) { streams->renew_waiting(); }
    state_.constants.all_looked();
}

[[gnu::hot]] void StreamingMultiprocessor::deliver(const MessageHeader& message, Cycle now) {
    switch (static_cast<GpuMessage>(message.type)) {
        case GpuMessage::launch_parameters:
            return launches_.add_parameters(message);
        case GpuMessage::kernel_begin:
            return begin_kernel(message);
        case GpuMessage::cta_assign:
            LOOKAHEAD_ASSERT(state_.launch.active, "{} was assigned a CTA without a kernel", name());
            return ctas_.assign(message.as<CtaAssign>().cta);
        case GpuMessage::kernel_end:
            LOOKAHEAD_ASSERT(state_.launch.active && ctas_.idle(), "{} got a kernel's end before its CTAs' end",
                             name());
            state_.launch.ending = true;
            memory_->end_launch();
            next_memory_work_ = std::min(next_memory_work_, memory_->next_event(now));
            return;
        default:
            memory_touched_ = true;
            return memory_->receive(message, now);
    }
}

void StreamingMultiprocessor::begin_kernel(const MessageHeader& message) {
    LOOKAHEAD_ASSERT(!state_.launch.active, "{} got a kernel's begin before the last kernel's end", name());
    launches_.begin(message);
    ctas_.begin_kernel();
    barriers_.begin_kernel();
    fetch_.begin_kernel();
    state_.constants.begin_kernel();
    extensions_.for_each([](IssueExtension& extension) { extension.begin_launch(); });
    for (const auto& scheduler : schedulers_) { scheduler->launch_started(); }
    memory_->begin_kernel();
    memory_->begin_launch(launches_.on_sm());
}

void StreamingMultiprocessor::finish_kernel_if_drained(Cycle now) {
    if (!ctas_.idle() || !state_.wheel.empty() || !memory_->drained()) { return; }
    send_to_dispatcher(launches_.drained(), now);
    phases_.end_phase(state_.launch.fields.launch, [this](StatisticsVisitor& visitor) { visit_statistics(visitor); });
    launches_.end();
}

/// Sends a message that arrives the channel's latency later, in whole cycles.
void StreamingMultiprocessor::send_to_dispatcher(const auto& payload, Cycle now) {
    const Cycle latency = clock_.cycle_at_or_after(to_dispatcher_.lookahead(0));
    to_dispatcher_.send(0, clock_.edge(now), clock_.edge(now + latency), payload);
}

Time StreamingMultiprocessor::next_event_time() const {
    const Cycle next = std::min(next_work_, held_.first_arrival(clock_));
    return next == kNever ? kTimeInfinity : clock_.edge(next);
}

std::string StreamingMultiprocessor::waiting_for() const {
    if (!state_.launch.active) { return "nothing"; }
    const std::string kernel = fmt::format("kernel {}", state_.kernel->kernel().name);
    if (ctas_.resident() == 0) {
        return state_.launch.ending ? fmt::format("{} to drain: {}", kernel, memory_->waiting_for())
                                    : fmt::format("CTAs of {} or its end", kernel);
    }
    std::string phrase = stuck_warps(state_.warps.states.live(), execute_);
    if (!memory_->drained()) { phrase += fmt::format("; load/store unit: {}", memory_->waiting_for()); }
    extensions_.for_each([&](const IssueExtension& extension) {
        if (const std::string waits = extension.waiting_for(); !waits.empty()) { phrase += fmt::format("; {}", waits); }
    });
    return phrase;
}

void StreamingMultiprocessor::audit(Audit& audit) const {
    unsigned pending = 0;
    for (const std::uint64_t word : state_.warps.scoreboard.pending()) {
        pending += static_cast<unsigned>(std::popcount(word));
    }
    if (state_.launch.active) {
        audit.fault(name(), fmt::format("kernel {} has not drained", state_.kernel->kernel().name));
    }
    audit.leak(name(), "registers or predicates that await a write-back", pending);
    audit.leak(name(), "warps whose places were not vacated", state_.warps.states.occupied().count());
    audit.leak(name(), "waits for memory that did not end", state_.memory_waits.under_way());
    const InstructionCounters executed = state_.profile.totals();
    const std::uint64_t waits = std::accumulate(executed.waits.begin(), executed.waits.end(), std::uint64_t{0});
    audit.balance(name(), "warp instructions by place", state_.counters.warp_instructions, executed.issued);
    audit.balance(name(), "thread instructions by place", state_.counters.thread_instructions, executed.lanes);
    audit.balance(name(), "warp cycles by place", state_.counters.warp_cycles, waits);
    audit.account("CTAs", -static_cast<std::int64_t>(state_.counters.ctas));
    audit.leak(name(), "resident CTAs", ctas_.resident());
    audit.leak(name(), "CTAs that wait for a place", ctas_.waiting());
    audit.leak(name(), "warps that wait at a barrier", barriers_.waiting());
    audit.leak(name(), "fetches of warps that are gone", fetch_.fetches_under_way());
    audit.leak(name(), "misses of the instruction cache under way", fetch_.misses_under_way());
    state_.constants.audit(audit, name());
    if (!state_.wheel.empty()) { audit.fault(name(), "the pipelines hold instructions"); }
    if (!held_.empty()) { audit.fault(name(), "messages were not delivered"); }
    extensions_.for_each([&](const IssueExtension& extension) { extension.audit(audit, name()); });
    memory_->audit(audit, number_);
}

void StreamingMultiprocessor::start_trace(const TraceWindow& window) {
    trace_ = std::make_unique<SmTrace>(window, clock_, static_cast<unsigned>(state_.parameters.max_warps),
                                       static_cast<unsigned>(state_.parameters.schedulers));
}

void StreamingMultiprocessor::visit_trace(TraceVisitor& visitor) const {
    if (trace_ != nullptr) { trace_->visit(visitor, name()); }
}

void StreamingMultiprocessor::fields(StateArchive& archive) {
    archive& state_.counters& issue_.counters() & fetch_.cache_counters() & state_.constants.counters();
    LaunchState& launch = state_.launch;
    archive& launch.active& launch.ending& launch.first_warp_instruction& launch.first_thread_instruction;
    archive.plain(launch.fields);
    archive& launch.parameters& state_.warps.streams& state_.exchanges& ctas_& barriers_& issue_& fetch_& state_
        .constants& state_.registers& state_.attended& held_& phases_;
    archive& charged_until_& next_work_& next_memory_work_& memory_touched_& state_.warps.states& state_
        .memory_waits& state_.profile;
    if (archive.loading()) {
        state_.kernel = nullptr;
        if (launch.active) {
            launches_.prepare();
            memory_->begin_launch(launches_.on_sm());
            extensions_.for_each([](IssueExtension& extension) { extension.begin_launch(); });
        }
    }
    // They have the launch's sizes; what an earlier launch left in them is no part of the state.
    if (launch.active) {
        archive& state_.warps.scoreboard& state_.warps.map.rows();
        if (state_.kernel->by_control_words()) { archive& state_.dependences; }
        if (state_.kernel->kernel().recording != nullptr) { archive& state_.recorded; }
    }
    extensions_.fields(archive);
    archive& state_.wheel;
    for (const auto& scheduler : schedulers_) { scheduler->fields(archive); }
    memory_->fields(archive, launch.active ? std::span(std::as_const(state_.kernel->kernel().code))
                                           : std::span<const isa::Instruction>());
}

void StreamingMultiprocessor::visit_statistics(StatisticsVisitor& visitor) const {
    visit(visitor, name(), "sm", state_.counters);
    state_.profile.visit(visitor);
    visit(visitor, fmt::format("{}.l1i", name()), "read_only_cache", fetch_.cache_counters());
    visit(visitor, fmt::format("{}.constant_cache", name()), "read_only_cache", state_.constants.counters());
    for (std::size_t i = 0; i < issue_.counters().size(); ++i) {
        const std::string scheduler = fmt::format("{}.scheduler{}", name(), i);
        visit(visitor, scheduler, "sm_scheduler", issue_.counters()[i]);
        schedulers_[i]->visit_statistics(visitor, scheduler);
    }
    extensions_.for_each([&](const IssueExtension& extension) { extension.visit_statistics(visitor, name()); });
    memory_->visit_statistics(visitor);
}

}  // namespace lookahead::gpu
