#pragma once

#include "components/memory_partition/address_mapping.h"
#include "tests/components/interconnect/player.h"

namespace lookahead::gpu::test {

/// Plays a requester of a vector addition: reads two lines and writes one, then the next ones; the requesters take
/// turns. Only lines of channel 0.
class StreamPlayer final : public Requester {
  public:
    StreamPlayer(unsigned number, unsigned requesters, unsigned lines);

    bool finished() const override { return answered_ == to_send_; }

    Cycle last_reply() const { return last_reply_; }

  private:
    static constexpr unsigned kOutstanding = 64;

    Cycle cycle(Cycle now) override;
    void send(Cycle now);

    unsigned number_;
    unsigned requesters_;
    AddressMapping mapping_{AddressMappingParameters{}};
    unsigned to_send_;
    unsigned sent_ = 0;
    unsigned answered_ = 0;
    Cycle last_reply_ = 0;
};

}  // namespace lookahead::gpu::test
