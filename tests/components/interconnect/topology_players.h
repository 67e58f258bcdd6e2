#pragma once

#include <bit>
#include <cstring>
#include <map>
#include <memory>
#include <random>
#include <vector>

#include "components/interconnect/topology.h"
#include "components/protocols/ports.h"
#include "core/lp/model.h"
#include "core/param/configuration.h"
#include "core/sync/simulation.h"
#include "core/transport/in_process/in_process_transport.h"
#include "tests/components/interconnect/player.h"

/// Processes that replace SMs and partitions at the ends of any topology, and check the topology's contract.
namespace lookahead::gpu::test {

struct Traffic {
    CrossbarParameters ports = {};
    unsigned sms = 4;
    unsigned partitions = 2;
    unsigned slices_per_partition = 2;
    unsigned requests = 200;    ///< per SM
    unsigned idle_percent = 0;  ///< share of cycles in which an SM sends nothing
    bool own_slice = false;     ///< SM i sends only to slice i, else at random
    std::uint32_t words = 0;    ///< per write; 0: random, mixed with reads
    std::uint32_t seed = 1;
    unsigned slices() const { return partitions * slices_per_partition; }
};

class SmPlayer final : public Requester {
  public:
    SmPlayer(const Traffic& traffic, unsigned number)
        : Requester(traffic.ports, traffic.slices(), player_clock(), true),
          traffic_(traffic),
          number_(number),
          random_(traffic.seed * 1000 + number) {
        next_ = 1;
    }
    bool finished() const override { return sent == traffic_.requests && answered == sent; }

    unsigned sent = 0;
    unsigned answered = 0;
    Cycle last_reply = 0;

  private:
    Cycle cycle(Cycle now) override {
        while (const MessageHeader* reply = replies.front(now)) {
            const std::uint32_t tag =
                reply->type == ReadReply::kType ? reply->as<ReadReply>().tag : reply->as<WriteAcknowledge>().tag;
            std::uint32_t& last = last_tag_[replies.front_source()];
            out_of_order += tag <= last;
            last = tag;
            ++answered;
            last_reply = now;
            replies.pop(now);
        }
        if (sent < traffic_.requests && requests.can_accept(now) && random_() % 100 >= traffic_.idle_percent) {
            send(now);
        }
        return sent < traffic_.requests || !replies.empty() ? now + 1 : kCycleInfinity;
    }
    void send(Cycle now) {
        const unsigned slice = traffic_.own_slice ? number_ : random_() % traffic_.slices();
        const std::uint32_t tag = ++sent;
        if (traffic_.words == 0 && random_() % 2 == 0) {
            requests.push<ReadRequest>(slice, now) = {.line = 0,
                                                      .tag = tag,
                                                      .client = Client::demand,
                                                      .sectors = static_cast<SectorMask>(1 + random_() % 15)};
            return;
        }
        const auto words = traffic_.words != 0 ? traffic_.words : static_cast<std::uint32_t>(1 + random_() % 32);
        auto& write = requests.push<WriteRequest>(slice, now, 4 * words);
        write = {.line = 0, .mask = {}, .tag = tag, .words = words};
        std::memset(static_cast<void*>(&write + 1), static_cast<int>(tag), 4 * words);
    }

    Traffic traffic_;
    unsigned number_;
    std::mt19937 random_;
    std::map<unsigned, std::uint32_t> last_tag_;
};

class PartitionPlayer final : public Player {
  public:
    explicit PartitionPlayer(const Traffic& traffic) {
        for (unsigned slice = 0; slice < traffic.slices_per_partition; ++slice) {
            OutPort& out = add_out_port("slice" + std::to_string(slice));
            requests.push_back(
                std::make_unique<EjectionPort>(traffic.ports, traffic.ports.reply_latency, clock_, out, traffic.sms));
            replies.push_back(
                std::make_unique<InjectionPort>(traffic.ports, traffic.ports.reply_latency, clock_, out, traffic.sms));
        }
        add_out_port("host");
    }
    bool finished() const override { return true; }

    std::vector<std::unique_ptr<EjectionPort>> requests;
    std::vector<std::unique_ptr<InjectionPort>> replies;
    std::vector<std::pair<Cycle, unsigned>> arrivals;  ///< of requests: cycle and SM
    unsigned corrupted = 0;

  private:
    void receive(const MessageHeader& message, Cycle now) override {
        const unsigned slice = message.in_port >> kPartitionRequesterBits;
        const unsigned sm = message.in_port & (kMaximumRequesters - 1);
        if (message.type == Credit::kType) {
            replies[slice]->receive_credit(sm, message.as<Credit>().flits, now);
        } else {
            arrivals.emplace_back(now, sm);
            requests[slice]->receive(message, sm, now);
        }
    }
    Cycle cycle(Cycle now) override {
        bool more = false;
        for (unsigned slice = 0; slice < requests.size(); ++slice) {
            const MessageHeader* request = requests[slice]->front(now);
            if (request != nullptr && replies[slice]->can_accept(now)) {
                answer(slice, requests[slice]->front_source(), *request, now);
                requests[slice]->pop(now);
            }
            more |= !requests[slice]->empty();
        }
        return more ? now + 1 : kCycleInfinity;
    }
    void answer(unsigned slice, unsigned sm, const MessageHeader& request, Cycle now) {
        std::uint32_t tag = 0;
        if (request.type == ReadRequest::kType) {
            const auto& read = request.as<ReadRequest>();
            tag = read.tag;
            const auto bytes = static_cast<std::size_t>(std::popcount(read.sectors)) * kSectorBytes;
            auto& reply = replies[slice]->push<ReadReply>(sm, now, bytes);
            reply = {.line = 0, .tag = tag, .client = read.client, .sectors = read.sectors};
            std::memset(static_cast<void*>(&reply + 1), 0, bytes);
        } else {
            const auto& write = request.as<WriteRequest>();
            tag = write.tag;
            const auto* bytes = reinterpret_cast<const unsigned char*>(&write + 1);
            corrupted += std::count(bytes, bytes + 4 * write.words, static_cast<unsigned char>(tag)) != 4 * write.words;
            replies[slice]->push<WriteAcknowledge>(sm, now) = {.tag = tag, .unused = 0};
        }
        std::uint32_t& last = last_tag_[{slice, sm}];
        out_of_order += tag <= last;
        last = tag;
    }

    std::map<std::pair<unsigned, unsigned>, std::uint32_t> last_tag_;
};

/// Runs the traffic over a topology to its end.
class TopologyBench {
  public:
    TopologyBench(const std::string& topology, const Traffic& given, Configuration configuration = {},
                  Time epoch = 1'000'000'000'000)
        : traffic_(given) {
        const auto variant = make_variant<InterconnectTopology>(topology, configuration);
        traffic_.ports.further_round_trip = variant->further_round_trip(given.sms, given.slices());
        const Traffic traffic = traffic_;
        std::vector<LpId> sms;
        std::vector<LpId> partitions;
        for (unsigned i = 0; i < traffic.sms; ++i) {
            sms.push_back(model.add({.name = "sm" + std::to_string(i), .kind = "sm"},
                                    [traffic, i] { return std::make_unique<SmPlayer>(traffic, i); }));
        }
        for (unsigned i = 0; i < traffic.partitions; ++i) {
            partitions.push_back(model.add({.name = "partition" + std::to_string(i), .kind = "partition"},
                                           [traffic] { return std::make_unique<PartitionPlayer>(traffic); }));
        }
        variant->connect(model, {.sms = sms,
                                 .partitions = partitions,
                                 .slices_per_partition = traffic.slices_per_partition,
                                 .sm_requests = 0,
                                 .sm_credits = 1,
                                 .sm_reply_port = 0,
                                 .clock = player_clock(),
                                 .ports = traffic.ports});
        SimulationOptions options{.epoch_length = epoch};
        simulation_ =
            std::make_unique<Simulation>(model, std::vector<int>(model.processes().size(), 0), transport_, options);
        result = simulation_->run();
    }

    SmPlayer& sm(unsigned i) { return dynamic_cast<SmPlayer&>(*simulation_->local_processes()[i]); }
    PartitionPlayer& partition(unsigned i) {
        return dynamic_cast<PartitionPlayer&>(*simulation_->local_processes()[traffic_.sms + i]);
    }

    unsigned credits() const { return credits_per_path(traffic_.ports); }

    Model model;
    SimulationResult result;

  private:
    Traffic traffic_;
    InProcessTransport transport_;
    std::unique_ptr<Simulation> simulation_;
};

}  // namespace lookahead::gpu::test
