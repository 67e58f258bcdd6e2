#include "components/device/cta_dispatcher.h"

#include <algorithm>

#include "components/protocols/ports.h"
#include "core/error/error.h"
#include "core/param/parameter_registry.h"
#include "core/stats/statistics_registry.h"

namespace lookahead::gpu {

LOOKAHEAD_REGISTER_PARAMETERS(DispatcherParameters, "dispatcher", "The CTA dispatcher.")
LOOKAHEAD_REGISTER_STATISTICS(DispatcherCounters, "dispatcher", "The CTA dispatcher.")

CtaDispatcher::CtaDispatcher(const DispatcherParameters& parameters, ClockDomain clock, const isa::KernelTable& kernels,
                             const OccupancyLimits& limits, unsigned sms)
    : parameters_(parameters),
      clock_(clock),
      kernels_(kernels),
      limits_(limits),
      sms_(sms),
      to_sms_(add_out_port("sms")),
      to_host_(add_out_port("host")),
      to_memory_(add_out_port("memory")) {}

void CtaDispatcher::advance(Inbox inbox, Time) {
    for (const MessageHeader* message : inbox) {
        now_ = clock_.cycle_at_or_after(message->time);
        handle(*message);
    }
}

void CtaDispatcher::handle(const MessageHeader& message) {
    switch (static_cast<GpuMessage>(message.type)) {
        case GpuMessage::launch_kernel: {
            Launch launch;
            launch.launch = message.as<LaunchKernel>();
            launch.parameters = arriving_.take<LaunchKernel>(message);
            queue_.push_back(std::move(launch));
            if (!running_) { begin_kernel(); }
            break;
        }
        case GpuMessage::launch_parameters:
            arriving_.add(message);
            break;
        case GpuMessage::cta_completed:
            cta_completed(message.in_port - kDispatcherSmPort);
            break;
        case GpuMessage::sm_drained:
            sm_drained(message.as<SmDrained>());
            break;
        default:
            LOOKAHEAD_ASSERT(false, "the dispatcher got a message of type {}", message.type);
    }
}

void CtaDispatcher::begin_kernel() {
    const Launch launch = std::move(queue_.front());
    queue_.pop_front();
    current_ = launch.launch;
    running_ = true;
    next_cta_ = 0;
    cta_count_ = current_.grid.count();
    completed_ctas_ = 0;
    drained_sms_ = 0;
    warp_instructions_ = 0;
    thread_instructions_ = 0;
    begin_ = clock_.edge(now_);
    ++counters_.kernels;

    const Time now = clock_.edge(now_);
    for (unsigned sm = 0; sm < sms_; ++sm) {
        KernelBegin begin{};
        static_cast<LaunchFields&>(begin) = current_;
        send_launch(to_sms_, sm, now, arrival(), begin, launch.parameters);
    }

    const std::uint64_t resident =
        ctas_per_sm(limits_, kernels_[current_.kernel], current_.block, current_.dynamic_shared_bytes);
    const isa::Kernel& kernel = kernels_[current_.kernel];
    if (kernel.synchronises_grid && cta_count_ > resident * sms_) {
        throw ProgramError(
            "launch of {}: its {} CTAs wait for one another, and the machine holds {} of them at a time; use a smaller "
            "grid or a larger machine",
            kernel.name, cta_count_, resident * sms_);
    }
    const std::uint64_t rounds = resident + static_cast<std::uint64_t>(parameters_.preassigned_ctas);
    for (std::uint64_t round = 0; round < rounds; ++round) {
        for (unsigned sm = 0; sm < sms_ && next_cta_ < cta_count_; ++sm) {
            assign(sm, parameters_.launch_latency + static_cast<Cycle>(round) + 1);
        }
    }
}

void CtaDispatcher::assign(unsigned sm, Cycle delay) {
    if (parameters_.interval > 0) {
        delay = std::max(delay, free_ - now_);
        free_ = now_ + delay + parameters_.interval;
    }
    to_sms_.send(sm, clock_.edge(now_), arrival(delay), CtaAssign{next_cta_++});
    ++counters_.ctas;
}

void CtaDispatcher::cta_completed(unsigned sm) {
    ++completed_ctas_;
    if (next_cta_ < cta_count_) { assign(sm, 0); }
    if (completed_ctas_ != cta_count_) { return; }
    for (unsigned each = 0; each < sms_; ++each) {
        to_sms_.send(each, clock_.edge(now_), arrival(), KernelEnd{current_.launch});
    }
}

void CtaDispatcher::sm_drained(const SmDrained& message) {
    LOOKAHEAD_ASSERT(running_ && message.launch == current_.launch, "an SM drained a kernel that does not run");
    warp_instructions_ += message.warp_instructions;
    thread_instructions_ += message.thread_instructions;
    if (++drained_sms_ == sms_) { complete_kernel(); }
}

void CtaDispatcher::complete_kernel() {
    running_ = false;
    const Time now = clock_.edge(now_);
    for (unsigned partition = 0; partition < to_memory_.fan_out(); ++partition) {
        to_memory_.send(partition, now, arrival(), KernelMark{current_.launch});
    }
    to_host_.send(0, now, arrival(),
                  KernelCompleted{current_.launch, begin_, now, warp_instructions_, thread_instructions_});
    if (!queue_.empty()) { begin_kernel(); }
}

std::string CtaDispatcher::waiting_for() const {
    if (!running_) { return "nothing"; }
    const std::string kernel = fmt::format("kernel '{}'", kernels_[current_.kernel].name);
    if (completed_ctas_ < cta_count_) {
        return fmt::format("{} of {} CTAs of {} to complete", cta_count_ - completed_ctas_, cta_count_, kernel);
    }
    return fmt::format("{} SMs to drain after {}", sms_ - drained_sms_, kernel);
}

void CtaDispatcher::fields(StateArchive& archive) {
    archive& now_& free_& queue_& running_;
    archive.plain(current_);
    archive& next_cta_& cta_count_& completed_ctas_& drained_sms_& begin_& warp_instructions_& thread_instructions_;
    archive& counters_;
}

}  // namespace lookahead::gpu
