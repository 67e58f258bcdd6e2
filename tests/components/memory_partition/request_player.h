#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <random>
#include <vector>

#include "components/memory_partition/address_mapping.h"
#include "tests/components/interconnect/player.h"

namespace lookahead::gpu::test {

struct PlayerOptions {
    CrossbarParameters crossbar;
    AddressMappingParameters mapping;
    std::int64_t core_frequency = 700'000'000;
    unsigned number = 0;  ///< the requester's, below 15
    unsigned seed = 1;
    unsigned requests = 1000;
    unsigned lines = 64;  ///< accessed, from channel 0's first on
    unsigned outstanding = 64;
    unsigned idle_percent = 0;  ///< of cycles without a request
    bool sectors = false;       ///< reads request random sectors, including their own
};

/// Plays a requester: random reads, writes and atomics, checked against a flat model. Each line has eight bytes for
/// each requester, which only that one changes, and at byte 120 a counter to which all add. A reply's value must follow
/// program order, and the replies for a line must come in the order of the requests.
class RequestPlayer final : public Requester {
  public:
    explicit RequestPlayer(const PlayerOptions& options);

    bool finished() const override { return sent_ == options_.requests && pending_.empty(); }
    std::string waiting_for() const override { return std::to_string(pending_.size()) + " replies"; }

    unsigned sent() const { return sent_; }
    unsigned answered() const { return answered_; }
    unsigned reads() const { return reads_; }
    unsigned mismatches() const { return mismatches_; }
    /// The values that the atomics on the shared counters returned, by line, in the order of the requests.
    const std::map<std::uint64_t, std::vector<std::uint32_t>>& counter_values() const { return counter_values_; }

  private:
    enum class Kind { read, write, atomic, count };
    struct Pending {
        Kind kind;
        std::uint64_t line;
        std::uint64_t expected;  ///< own bytes (read), or old words (atomic)
    };

    Cycle cycle(Cycle now) override;
    void send(Cycle now);
    void send_read(unsigned slice, Cycle now, std::uint32_t tag);
    void send_write(unsigned slice, Cycle now, std::uint32_t tag);
    void send_atomic(unsigned slice, Cycle now, std::uint32_t tag);
    void send_count(unsigned slice, Cycle now, std::uint32_t tag);
    void check(const MessageHeader& reply);
    void expect(bool condition) { mismatches_ += !condition; }

    PlayerOptions options_;
    AddressMapping mapping_;
    std::mt19937 random_;
    std::uint64_t line_ = 0;
    std::map<std::uint64_t, std::uint64_t> own_;                ///< own bytes of each line
    std::map<std::uint32_t, Pending> pending_;                  ///< by tag
    std::map<std::uint64_t, std::deque<std::uint32_t>> order_;  ///< tags by line
    std::map<std::uint64_t, std::vector<std::uint32_t>> counter_values_;
    unsigned sent_ = 0;
    unsigned answered_ = 0;
    unsigned reads_ = 0;
    unsigned mismatches_ = 0;
};

}  // namespace lookahead::gpu::test
