#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <random>
#include <vector>

#include "components/interconnect/crossbar/ejection_port.h"
#include "components/interconnect/crossbar/injection_port.h"
#include "components/memory_partition/address_mapping.h"
#include "core/lp/logical_process.h"

namespace lookahead::gpu::test {

struct PlayerOptions {
    CrossbarParameters crossbar;
    AddressMappingParameters mapping;
    std::int64_t core_frequency = 700'000'000;
    unsigned number = 0;  ///< of the requester, below 15
    unsigned seed = 1;
    unsigned requests = 1000;
    unsigned lines = 64;  ///< of channel 0, from its first on, that are accessed
    unsigned outstanding = 64;
    unsigned idle_percent = 0;  ///< of cycles without a request
    bool sectors = false;       ///< reads ask for random sectors, their own among them
};

/// Plays a requester: random reads, writes and atomics, checked against a flat model. Each line has eight bytes for
/// each requester, which nobody else changes, and at byte 120 a counter that all of them add to. A reply's value must
/// be what program order gives, and the replies for a line must come in the order of the requests.
class RequestPlayer final : public LogicalProcess {
  public:
    explicit RequestPlayer(const PlayerOptions& options);

    void advance(Inbox inbox, Time horizon) override;
    Time next_event_time() const override;
    bool finished() const override { return sent_ == options_.requests && pending_.empty(); }
    std::string waiting_for() const override { return std::to_string(pending_.size()) + " replies"; }
    void fields(StateArchive&) override {}

    unsigned sent() const { return sent_; }
    unsigned answered() const { return answered_; }
    unsigned reads() const { return reads_; }
    unsigned mismatches() const { return mismatches_; }
    /// What the atomics on the shared counters returned, by line, in the order of the requests.
    const std::map<std::uint64_t, std::vector<std::uint32_t>>& counter_values() const { return counter_values_; }
    unsigned request_credits(unsigned slice) const { return requests_.credits(slice); }
    unsigned withheld_credits(unsigned slice) const { return replies_.withheld_credits(slice); }

  private:
    enum class Kind { read, write, atomic, count };
    struct Pending {
        Kind kind;
        std::uint64_t line;
        std::uint64_t expected;  ///< own bytes (read), or old words (atomic)
    };

    void cycle(Cycle now);
    void send(Cycle now);
    void send_read(unsigned slice, Cycle now, std::uint32_t tag);
    void send_write(unsigned slice, Cycle now, std::uint32_t tag);
    void send_atomic(unsigned slice, Cycle now, std::uint32_t tag);
    void send_count(unsigned slice, Cycle now, std::uint32_t tag);
    void check(const MessageHeader& reply);
    void expect(bool condition) { mismatches_ += !condition; }

    PlayerOptions options_;
    ClockDomain clock_;
    AddressMapping mapping_;
    InjectionPort requests_;
    EjectionPort replies_;
    std::mt19937 random_;
    std::uint64_t line_ = 0;
    std::map<std::uint64_t, std::uint64_t> own_;                ///< own bytes of each line
    std::map<std::uint32_t, Pending> pending_;                  ///< by tag
    std::map<std::uint64_t, std::deque<std::uint32_t>> order_;  ///< tags by line
    std::map<std::uint64_t, std::vector<std::uint32_t>> counter_values_;
    Cycle next_cycle_ = 0;
    unsigned sent_ = 0;
    unsigned answered_ = 0;
    unsigned reads_ = 0;
    unsigned mismatches_ = 0;
};

}  // namespace lookahead::gpu::test
