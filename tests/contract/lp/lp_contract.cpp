#include "tests/contract/lp/lp_contract.h"

#include <algorithm>
#include <random>
#include <tuple>

#include "core/lp/lp_binding.h"
#include "core/state/archives.h"

namespace lookahead::test {
namespace {

/// Everything that is visible from outside about a run.
struct Observation {
    std::vector<std::byte> sent;
    std::size_t messages = 0;
    std::uint64_t hash_in_the_middle = 0;
    std::uint64_t hash_at_the_end = 0;
    std::uint64_t progress = 0;
    Time next_event = 0;
};

struct RunPlan {
    bool random_chops = false;
    bool reload = false;
    std::uint64_t seed = 0;
};

class ContractBench {
  public:
    ContractBench(const LpContract& contract, const RunPlan& plan)
        : contract_(contract), plan_(plan), random_(plan.seed * 2 + plan.reload) {
        unsigned receivers = 0;
        least_lookahead_ = kTimeInfinity;
        for (unsigned port = 0; port < contract.ports.size(); ++port) {
            const PortOfContract& description = contract.ports[port];
            least_lookahead_ = std::min(least_lookahead_, description.lookahead);
            for (unsigned i = 0; i < description.fan_out; ++i) {
                channels_.push_back(
                    {kSubject, port, kSubject + 1 + receivers++, 1, description.in_port, description.lookahead, 1});
                port_of_receiver_.push_back(port);
                index_of_receiver_.push_back(i);
            }
        }
        std::vector<std::uint32_t> places(1 + receivers, MessageRouter::kRemote | 1);
        places[kSubject] = 0;
        router_ = std::make_unique<MessageRouter>(std::move(places), 1, 2);
        for (const ScriptedMessage& message : contract.script(plan.seed)) { schedule(message); }
        if (contract.environment) { environment_ = contract.environment(plan.seed); }
        subject_ = make_bound();
    }

    Observation run() {
        const Time middle = contract_.end / 2;
        Time reached = 0;
        while (reached < contract_.end) {
            Time horizon = next_horizon(reached);
            if (reached < middle) { horizon = std::min(horizon, middle); }
            horizon = std::min(horizon, contract_.end);
            advance(horizon);
            reached = horizon;
            if (reached == middle) { observation_.hash_in_the_middle = hash(); }
            if (plan_.reload && random_() % 4 == 0) { reload(); }
        }
        observation_.hash_at_the_end = hash();
        observation_.progress = subject_->progress();
        observation_.next_event = subject_->next_event_time();
        return std::move(observation_);
    }

  private:
    static constexpr LpId kSubject = 0;

    std::unique_ptr<LogicalProcess> make_bound() {
        auto process = contract_.make();
        LpBinding::bind(*process, kSubject, {"subject", "subject", 1}, channels_, 0, *router_);
        return process;
    }

    /// With an environment, a step must end before an answer to one of its messages can come.
    Time next_horizon(Time reached) {
        const Time longest = environment_ ? std::min(least_lookahead_, contract_.end) : contract_.end;
        if (!plan_.random_chops) { return saturating_add(reached, longest); }
        const Time usual = contract_.usual_chop > 0 ? contract_.usual_chop : std::max<Time>(contract_.end / 100, 1);
        // Occasionally a very short step, or one that ends at or right after a message.
        if (random_() % 4 == 0 && !pending_.empty()) {
            const Time at = pending_.front().header.time + static_cast<Time>(random_() % 2);
            if (at > reached && at - reached <= longest) { return at; }
        }
        const Time most = std::clamp<Time>(2 * usual, 1, longest);
        return reached + 1 + static_cast<Time>(random_() % static_cast<std::uint64_t>(random_() % 8 == 0 ? 1 : most));
    }

    struct Pending {
        MessageHeader header;
        std::vector<std::byte> payload;
    };

    void schedule(const ScriptedMessage& message) {
        Pending pending;
        pending.payload = message.payload;
        pending.payload.resize((message.payload.size() + 7) / 8 * 8);
        if (message.channel >= sequences_.size()) { sequences_.resize(message.channel + 1, 0); }
        pending.header = {message.time,
                          message.channel,
                          sequences_[message.channel]++,
                          kSubject,
                          message.in_port,
                          message.type,
                          static_cast<std::uint8_t>(pending.payload.size() / 8)};
        const auto place =
            std::upper_bound(pending_.begin(), pending_.end(), pending, [](const auto& a, const auto& b) {
                return std::tuple(a.header.time, a.header.order()) < std::tuple(b.header.time, b.header.order());
            });
        pending_.insert(place, std::move(pending));
    }

    void advance(Time horizon) {
        std::vector<std::vector<std::uint64_t>> storage;  // aligned for the headers
        while (!pending_.empty() && pending_.front().header.time < horizon) {
            const Pending& due = pending_.front();
            auto& words = storage.emplace_back(due.header.total_bytes() / 8);
            std::memcpy(words.data(), &due.header, sizeof due.header);
            std::copy(due.payload.begin(), due.payload.end(),
                      reinterpret_cast<std::byte*>(words.data()) + sizeof due.header);
            pending_.erase(pending_.begin());
        }
        std::vector<const MessageHeader*> inbox;
        for (const auto& words : storage) { inbox.push_back(reinterpret_cast<const MessageHeader*>(words.data())); }
        subject_->advance(inbox, horizon);
        LOOKAHEAD_ASSERT(subject_->next_event_time() >= horizon, "the LP left an event before its horizon");
        collect_outputs(horizon);
    }

    void collect_outputs(Time horizon) {
        ByteBuffer& bytes = router_->batches()[1].bytes;
        std::vector<ScriptedMessage> answers;
        for (std::size_t at = 0; at < bytes.size();) {
            const auto& message = *reinterpret_cast<const MessageHeader*>(bytes.data() + at);
            at += message.total_bytes();
            ++observation_.messages;
            if (environment_) {
                const unsigned receiver = message.destination - kSubject - 1;
                environment_->respond(port_of_receiver_[receiver], index_of_receiver_[receiver], message, answers);
            }
        }
        observation_.sent.insert(observation_.sent.end(), bytes.data(), bytes.data() + bytes.size());
        bytes.clear();
        for (const ScriptedMessage& answer : answers) {
            LOOKAHEAD_ASSERT(answer.time >= horizon, "the environment answered before the horizon");
            schedule(answer);
        }
    }

    void reload() {
        const std::string bytes =
            state_to_bytes([this](StateArchive& archive) { LpBinding::fields(*subject_, archive); });
        auto copy = make_bound();
        state_from_bytes(bytes, "the LP", [&](StateArchive& archive) { LpBinding::fields(*copy, archive); });
        const std::uint64_t before = hash();
        const Time next_before = subject_->next_event_time();
        subject_ = std::move(copy);
        if (hash() != before || subject_->next_event_time() != next_before) {
            throw InternalError("the LP's hash or next event differs right after it was saved and loaded");
        }
    }

    std::uint64_t hash() const { return hash_of_state(*subject_); }

    const LpContract& contract_;
    RunPlan plan_;
    std::mt19937_64 random_;
    std::vector<ChannelDescription> channels_;
    std::vector<unsigned> port_of_receiver_;
    std::vector<unsigned> index_of_receiver_;
    Time least_lookahead_;
    std::unique_ptr<MessageRouter> router_;
    std::unique_ptr<LpEnvironment> environment_;
    std::unique_ptr<LogicalProcess> subject_;
    std::vector<std::uint32_t> sequences_;
    std::vector<Pending> pending_;  // sorted
    Observation observation_;
};

std::string describe_first_sent_difference(const Observation& a, const Observation& b) {
    std::size_t at = 0;
    for (std::size_t index = 0;; ++index) {
        if (at >= a.sent.size() || at >= b.sent.size()) {
            return "it sent " + std::to_string(a.messages) + " messages and then " + std::to_string(b.messages);
        }
        const auto& first = *reinterpret_cast<const MessageHeader*>(a.sent.data() + at);
        const auto& second = *reinterpret_cast<const MessageHeader*>(b.sent.data() + at);
        if (first.total_bytes() != second.total_bytes() || std::memcmp(&first, &second, first.total_bytes()) != 0) {
            return "the message number " + std::to_string(index) + " differs: type " + std::to_string(first.type) +
                   " at " + std::to_string(first.time) + " fs and type " + std::to_string(second.type) + " at " +
                   std::to_string(second.time) + " fs";
        }
        at += first.total_bytes();
    }
}

std::string compare(const Observation& a, const Observation& b) {
    if (a.sent != b.sent) { return describe_first_sent_difference(a, b); }
    if (a.hash_in_the_middle != b.hash_in_the_middle) { return "the hash at the middle of the run differs"; }
    if (a.hash_at_the_end != b.hash_at_the_end) { return "the hash at the end of the run differs"; }
    if (a.progress != b.progress) { return "the progress differs"; }
    return a.next_event == b.next_event ? "" : "the next event's time differs";
}

/// Compares the run with the longest steps with one in random steps for each of `ways`: true if it is also reloaded.
std::string check(const LpContract& contract, std::uint64_t seed, const std::vector<bool>& ways) {
    std::string difference;
    try {
        const Observation whole = ContractBench(contract, {.seed = seed}).run();
        for (std::size_t i = 0; i < ways.size() && difference.empty(); ++i) {
            const RunPlan plan{.random_chops = true, .reload = ways[i], .seed = seed};
            difference = compare(whole, ContractBench(contract, plan).run());
        }
    } catch (const std::exception& error) { difference = error.what(); }
    return difference.empty() ? "" : "seed " + std::to_string(seed) + ": " + difference;
}

}  // namespace

std::string check_chopping(const LpContract& contract, std::uint64_t seed) {
    return check(contract, seed, {false});
}

std::string check_save_and_load(const LpContract& contract, std::uint64_t seed) {
    return check(contract, seed, {true});
}

std::string check_contract(const LpContract& contract, std::uint64_t first_seed, std::uint64_t chops,
                           std::uint64_t reloads) {
    std::string difference;
    for (std::uint64_t at = 0; at < std::max(chops, reloads) && difference.empty(); ++at) {
        std::vector<bool> ways(at < chops ? 1 : 0, false);
        if (at < reloads) { ways.push_back(true); }
        difference = check(contract, first_seed + at, ways);
    }
    return difference;
}

std::size_t count_outputs(const LpContract& contract, std::uint64_t seed) {
    return ContractBench(contract, {.seed = seed}).run().messages;
}

}  // namespace lookahead::test
