#pragma once

#include <cstdint>
#include <limits>
#include <string_view>
#include <tuple>

#include "core/component/slot.h"
#include "core/state/state_archive.h"
#include "core/time/time.h"

namespace lookahead::gpu {

/// Bytes of one row to be read or written.
struct DramRequest {
    std::uint64_t row = 0;
    std::uint32_t bank = 0;
    std::uint32_t tag = 0;      ///< the requester's tag, which comes back with the data of a read
    std::uint32_t columns = 0;  ///< number of column commands (bursts)
    Cycle arrival = 0;          ///< DRAM cycle in which it entered the queue
    std::uint64_t age = 0;      ///< order of arrival
    bool write = false;

    void fields(StateArchive& archive) { archive& row& bank& tag& columns& arrival& age& write; }
};

inline constexpr std::uint64_t kNoRow = std::numeric_limits<std::uint64_t>::max();

struct DramSchedulerShape {
    unsigned entries;  ///< requests that may wait
    unsigned banks;    ///< at most 64
};

/// Slot "dram.scheduler": holds the waiting requests and chooses the one that a bank serves next.
///
/// Contract:
/// - `add` is called for at most `entries` requests more than `take` has returned.
/// - `eligible_banks` has a bit for each bank for which `take` would return a request, whether or not the bank is busy;
///   it changes only in `add` and `take`. While requests wait it does not stay 0: once every bank has been
///   offered, some request is taken.
/// - the channel calls `take` for an eligible idle bank; this removes the request from the scheduler, and the bank
///   serves it to its end.
/// - it does not know the time: the result depends only on the order of the calls.
class DramScheduler {
  public:
    static constexpr SlotDeclaration kSlot{"dram.scheduler", "frfcfs",
                                           "Chooses the request that a DRAM bank serves next."};
    using Arguments = std::tuple<const DramSchedulerShape&>;

    virtual ~DramScheduler() = default;
    virtual void add(const DramRequest& request) = 0;
    virtual std::uint64_t eligible_banks() const = 0;
    virtual DramRequest take(unsigned bank, std::uint64_t open_row) = 0;

    virtual void fields(StateArchive& archive) = 0;
};

}  // namespace lookahead::gpu
