#pragma once

#include <cstdint>

#include "components/interconnect/crossbar/ejection_port.h"
#include "components/interconnect/crossbar/injection_port.h"
#include "components/memory_partition/address_mapping.h"
#include "core/lp/logical_process.h"

namespace lookahead::gpu::test {

/// Plays a requester of a vector addition: two lines read and one written whole, again and again, the next line each
/// time; the requesters take turns. Only lines of channel 0.
class StreamPlayer final : public LogicalProcess {
  public:
    StreamPlayer(unsigned number, unsigned requesters, unsigned lines);

    void advance(Inbox inbox, Time horizon) override;
    Time next_event_time() const override {
        return next_cycle_ == kCycleInfinity ? kTimeInfinity : clock_.edge(next_cycle_);
    }
    bool finished() const override { return answered_ == to_send_; }
    std::string waiting_for() const override { return "replies"; }
    void fields(StateArchive&) override {}

    Cycle last_reply() const { return last_reply_; }

  private:
    static constexpr unsigned kOutstanding = 64;

    void cycle(Cycle now);
    void send(Cycle now);

    unsigned number_;
    unsigned requesters_;
    ClockDomain clock_{700'000'000};
    AddressMapping mapping_{AddressMappingParameters{}};
    InjectionPort requests_;
    EjectionPort replies_;
    unsigned to_send_;
    unsigned sent_ = 0;
    unsigned answered_ = 0;
    Cycle next_cycle_ = 0;
    Cycle last_reply_ = 0;
};

}  // namespace lookahead::gpu::test
