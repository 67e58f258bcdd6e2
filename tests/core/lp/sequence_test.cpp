// Sequence numbers of a port's messages beyond 32 bits.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "core/lp/lp_binding.h"
#include "core/state/archives.h"

using namespace lookahead;

namespace {

class Sender final : public LogicalProcess {
  public:
    Sender() { add_out_port("out"); }
    void advance(Inbox, Time) override {}
    Time next_event_time() const override { return kTimeInfinity; }
    bool finished() const override { return true; }
    std::string waiting_for() const override { return {}; }
    void fields(StateArchive&) override {}
};

/// A process with one port to another rank's process that has already sent this many messages.
struct Bench {
    explicit Bench(std::uint64_t sent) {
        LpBinding::bind(sender, 0, {"sender", "sender"}, channels, kChannel, router);
        auto low = static_cast<std::uint32_t>(sent);
        auto high = static_cast<std::uint8_t>(sent >> 32);
        const std::string saved = state_to_bytes([&](StateArchive& archive) { archive& low& high; });
        state_from_bytes(saved, "the sender", [this](StateArchive& archive) { LpBinding::fields(sender, archive); });
    }
    std::uint64_t send() {
        sender.out_port(0).reserve(0, 0, 1, 0, 0);
        const ByteBuffer& bytes = router.batches()[1].bytes;
        return reinterpret_cast<const MessageHeader*>(bytes.data() + bytes.size() - sizeof(MessageHeader))->order();
    }
    std::uint64_t sent() { return sender.out_port(0).sequence(); }

    static constexpr std::uint32_t kChannel = 7;
    std::vector<ChannelDescription> channels{
        {.from = 0, .out_port = 0, .to = 1, .count = 1, .in_port = 0, .lookahead = 1, .traffic = 1}};
    MessageRouter router{{0, MessageRouter::kRemote | 1}, 1, 2};
    Sender sender;
};

constexpr std::uint64_t kWord = std::uint64_t{1} << 32;

}  // namespace

TEST_CASE("messages stay in order where their number passes 32 bits") {
    for (const std::uint64_t border : {kWord, 2 * kWord, 255 * kWord}) {
        Bench bench(border - 2);
        std::array<std::uint64_t, 4> orders{};
        std::ranges::generate(orders, [&] { return bench.send(); });
        CHECK(std::ranges::is_sorted(orders));
        CHECK(bench.sent() == border + 2);
        for (const std::uint64_t order : orders) { CHECK((order >> 40) == Bench::kChannel); }
    }
}

TEST_CASE("a port does not go round at the end of 40 bits") {
    Bench bench(256 * kWord - 2);
    CHECK_NOTHROW(bench.send());
    CHECK_THROWS_AS(bench.send(), InternalError);
}

TEST_CASE("the whole number of sent messages is in checkpoints and in the state's hash") {
    const auto hash = [](Bench& bench) {
        return hash_of([&](StateArchive& archive) { LpBinding::fields(bench.sender, archive); });
    };
    Bench few(5);
    Bench many(kWord + 5);
    CHECK(hash(few) != hash(many));
    Bench copy(0);
    const std::string saved = state_to_bytes([&](StateArchive& archive) { LpBinding::fields(many.sender, archive); });
    state_from_bytes(saved, "the copy", [&](StateArchive& archive) { LpBinding::fields(copy.sender, archive); });
    CHECK(copy.sent() == kWord + 5);
    CHECK(hash(copy) == hash(many));
}
