#include "tests/core/sync/wanderer.h"

#include <doctest/doctest.h>

#include <random>

#include "core/state/state_hasher.h"
#include "core/transport/mpi/mpi_transport.h"

namespace lookahead::test {

LOOKAHEAD_REGISTER_MESSAGE(Letter)

Wanderer::Wanderer(std::uint64_t seed, unsigned ports, unsigned letters, std::uint64_t hops, Time first,
                   Time usual_delay, AtEvent at_event)
    : usual_delay_(usual_delay), at_event_(std::move(at_event)), events_(64), random_(seed * 2 + 1) {
    for (unsigned i = 0; i < ports; ++i) { add_out_port("port" + std::to_string(i)); }
    for (unsigned i = 0; i < letters; ++i) {
        events_.push(first + static_cast<Time>(next_random() % static_cast<std::uint64_t>(usual_delay)),
                     {hops, next_random() % 20});
    }
}

std::uint64_t Wanderer::next_random() {
    random_ ^= random_ << 13;
    random_ ^= random_ >> 7;
    random_ ^= random_ << 17;
    return random_ * 0x2545F4914F6CDD1Du >> 8;
}

void Wanderer::advance(Inbox inbox, Time horizon) {
    std::size_t next = 0;
    while (true) {
        const Time local = events_.next_time();
        if (next < inbox.size() && inbox[next]->time <= local) {
            const MessageHeader& message = *inbox[next++];
            const auto letter = message.as<Letter>();
            const auto* words = reinterpret_cast<const std::uint64_t*>(message.payload() + sizeof letter);
            for (std::uint64_t i = 0; i < letter.length; ++i) {
                checksum_ = (checksum_ ^ words[i]) * 0x9E3779B97F4A7C15u;
            }
            checksum_ += static_cast<std::uint64_t>(message.time);
            events_.push(message.time + static_cast<Time>(next_random() % static_cast<std::uint64_t>(usual_delay_)),
                         letter);
        } else if (local < horizon) {
            handle(local, events_.pop());
        } else {
            break;
        }
    }
    charged_until_ = horizon;
}

void Wanderer::handle(Time now, Letter letter) {
    ++handled_;
    checksum_ = (checksum_ ^ static_cast<std::uint64_t>(now)) * 0xB504F333F9DE6485u;
    if (at_event_) { at_event_(*this, now); }
    if (letter.hops_left == 0) { return; }
    OutPort& port = out_port(static_cast<unsigned>(next_random() % out_ports()));
    const auto to = static_cast<unsigned>(next_random() % port.fan_out());
    const Time arrival = now + port.lookahead(to) + static_cast<Time>(next_random() % 3);
    letter = {letter.hops_left - 1, next_random() % 20};
    const std::size_t bytes = sizeof letter + letter.length * 8;
    std::byte* place = port.reserve(to, now, arrival, Letter::kType, bytes);
    std::memcpy(place, &letter, sizeof letter);
    for (std::uint64_t i = 0; i < letter.length; ++i) {
        const std::uint64_t word = next_random();
        std::memcpy(place + sizeof letter + 8 * i, &word, sizeof word);
    }
}

void Wanderer::fields(StateArchive& archive) {
    archive& random_& handled_& checksum_& charged_until_& events_;
}

std::function<Wanderer::AtEvent(LpId)> only(std::vector<LpId> processes, const Wanderer::AtEvent& action) {
    return [=](LpId id) { return std::ranges::count(processes, id) != 0 ? action : nullptr; };
}

Model make_wanderers(const WandererOptions& options) {
    std::mt19937_64 random(options.seed);
    Model model;
    std::vector<unsigned> ports(options.processes);
    for (LpId id = 0; id < options.processes; ++id) {
        ports[id] = 1 + static_cast<unsigned>(random() % 3);
        model.add({"wanderer" + std::to_string(id), "wanderer" + std::to_string(id % options.kinds), 1},
                  [options, id, count = ports[id]] {
                      return std::make_unique<Wanderer>(options.seed * 1000 + id, count, options.letters, options.hops,
                                                        options.first, options.usual_delay,
                                                        options.at_event ? options.at_event(id) : nullptr);
                  });
    }
    for (LpId id = 0; id < options.processes; ++id) {
        for (unsigned port = 0; port < ports[id]; ++port) {
            const auto lookahead = [&] {
                return options.least_lookahead +
                       static_cast<Time>(random() % static_cast<std::uint64_t>(options.longest_lookahead)) +
                       options.kind_lookahead * static_cast<Time>(id % options.kinds);
            };
            if (random() % 4 == 0 && !(options.two_sides && id % 2 != 0)) {
                model.connect_all(id, port, 0, options.processes, 0, lookahead());
                continue;
            }
            for (std::uint64_t i = 1 + random() % 4; i > 0; --i) {
                auto to = static_cast<LpId>(random() % options.processes);
                if (options.two_sides && id % 2 != 0) { to -= to % 2; }
                model.connect(id, port, to, 0, lookahead());
            }
        }
    }
    return model;
}

std::vector<int> spread(std::size_t processes, int ranks, bool linear) {
    std::vector<int> rank_of_lp(processes);
    for (std::size_t i = 0; i < processes; ++i) {
        rank_of_lp[i] = static_cast<int>(linear ? i * static_cast<std::size_t>(ranks) / processes
                                                : i % static_cast<std::size_t>(ranks));
    }
    return rank_of_lp;
}

Transport& test_transport() {
    // Never destroyed: the test program ends MPI before static objects die.
    static Transport& transport = *new MpiTransport();
    return transport;
}

SimulationResult run_over(Transport& transport, const Model& model, const SimulationOptions& options, bool linear) {
    return Simulation(model, spread(model.processes().size(), transport.size(), linear), transport, options).run();
}

void check_same(const SimulationResult& result, const SimulationResult& expected) {
    CHECK(result.outcome == expected.outcome);
    CHECK(result.state_hash == expected.state_hash);
    CHECK(result.end_time == expected.end_time);
    CHECK(result.progress == expected.progress);
}

std::uint64_t most_windows(const SimulationResult& result) {
    std::uint64_t most = 0;
    for (const EngineStatistics& rank : result.per_rank) { most = std::max({most, rank.windows, rank.inner_windows}); }
    return most;
}

bool same(const std::vector<EpochReport>& a, const std::vector<EpochReport>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const EpochReport& x, const EpochReport& y) {
        return x.time == y.time && x.index == y.index && x.progress == y.progress && x.traffic_hash == y.traffic_hash;
    });
}

}  // namespace lookahead::test
