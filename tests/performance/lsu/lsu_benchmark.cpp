// Host time of a warp instruction in the load/store unit. The target is 60 ns for a load that hits.
#include <benchmark/benchmark.h>

#include <memory>

#include "components/isa/address_space.h"
#include "components/sm/lsu/coalescing_unit.h"
#include "core/param/configuration.h"

namespace lookahead::gpu {
namespace {

constexpr std::uint64_t kBase = isa::kGlobalBase;

/// A memory that answers at once: loads with zeros, stores with acknowledgements.
class InstantMemory final : public MemoryPort {
  public:
    bool can_send(Cycle) const override { return true; }
    Cycle next_send(Cycle now) const override { return now + 1; }
    void send(GpuMessage type, const std::byte* payload, std::size_t, Cycle) override {
        if (type == GpuMessage::read_request) {
            const auto* request = reinterpret_cast<const ReadRequest*>(payload);
            reply_.head.type = ReadReply::kType;
            reply_.read.line = request->line;
            reply_.read.tag = request->tag;
            reply_.read.sectors = request->sectors;
        } else {
            reply_.head.type = WriteAcknowledge::kType;
            const WriteAcknowledge acknowledge{reinterpret_cast<const WriteRequest*>(payload)->tag, 0};
            std::memcpy(static_cast<void*>(&reply_.read), &acknowledge, sizeof acknowledge);
        }
        waiting_ = true;
    }
    void receive(const MessageHeader&, Cycle) override {}
    const MessageHeader* next_reply(Cycle) override { return std::exchange(waiting_, false) ? &reply_.head : nullptr; }
    Cycle next_reply_cycle(Cycle now) const override { return waiting_ ? now + 1 : kCycleInfinity; }
    bool drained() const override { return !waiting_; }
    void fields(StateArchive&) override {}

  private:
    struct {
        MessageHeader head{};
        ReadReply read{};
        std::byte data[kLineBytes] = {};
    } reply_;
    bool waiting_ = false;
};

class Nobody final : public LoadStoreListener {
  public:
    void line_came(std::uint32_t, Cycle) override {}
    void memory_completed(std::uint16_t, const isa::Instruction&, Cycle) override {}
};

struct Unit {
    Unit() : registers(64) {
        unit = std::make_unique<CoalescingUnit>(
            CoalescingParameters{},
            LoadStoreArguments{"sm0", configuration, 48, 49152, registers, nobody, std::make_unique<InstantMemory>()});
        struct {
            MessageHeader head{};
            AllocationUpdate update{.address = kBase, .bytes = 1 << 26, .released = 0};
        } message;
        message.head.type = AllocationUpdate::kType;
        unit->receive(message.head, 0);
    }

    Configuration configuration;
    RegisterFile registers;
    Nobody nobody;
    std::unique_ptr<CoalescingUnit> unit;
};

MemoryInstruction make(const isa::Instruction& what, std::uint64_t base, std::uint64_t stride) {
    MemoryInstruction result{};
    result.instruction = &what;
    result.active = isa::kFullMask;
    result.shared_bytes = 49152;
    for (unsigned lane = 0; lane < isa::kWarpSize; ++lane) { result.addresses[lane] = base + lane * stride; }
    return result;
}

isa::Instruction instruction(isa::Operation operation, isa::Space space) {
    isa::Instruction result;
    result.operation = operation;
    result.type = isa::Type::u32;
    result.space = space;
    return result;
}

/// Issues one instruction per cycle, into a queue that never fills; `step` moves the address between instructions.
void run(benchmark::State& state, isa::Operation operation, isa::Space space, std::uint64_t stride,
         std::uint64_t step) {
    Unit unit;
    const isa::Instruction what = instruction(operation, space);
    MemoryInstruction access = make(what, space == isa::Space::shared ? 0 : kBase, stride);
    Cycle now = 1;
    std::uint64_t moved = 0;
    for (auto _ : state) {
        while (!unit.unit->can_accept()) {
            unit.unit->cycle(now);
            ++now;
        }
        unit.unit->accept(access, now);
        unit.unit->cycle(now);
        benchmark::DoNotOptimize(unit.unit->next_event(now));
        ++now;
        if (step != 0) {
            moved = (moved + step) % (1 << 25);
            for (unsigned lane = 0; lane < isa::kWarpSize; ++lane) {
                access.addresses[lane] = kBase + moved + lane * stride;
            }
        }
    }
}

void idle_cycle(benchmark::State& state) {
    Unit unit;
    Cycle now = 1;
    for (auto _ : state) {
        unit.unit->cycle(now);
        ++now;
    }
}

BENCHMARK_CAPTURE(run, load_hit, isa::Operation::load, isa::Space::global, 4, 0);
BENCHMARK_CAPTURE(run, load_hit_two_lines, isa::Operation::load, isa::Space::global, 8, 0);
BENCHMARK_CAPTURE(run, load_hit_scattered, isa::Operation::load, isa::Space::global, 128, 0);
BENCHMARK_CAPTURE(run, load_miss, isa::Operation::load, isa::Space::global, 4, 128);
BENCHMARK_CAPTURE(run, store_line, isa::Operation::store, isa::Space::global, 4, 128);
BENCHMARK_CAPTURE(run, shared_load, isa::Operation::load, isa::Space::shared, 4, 0);
BENCHMARK_CAPTURE(run, shared_store, isa::Operation::store, isa::Space::shared, 4, 0);
BENCHMARK_CAPTURE(run, shared_conflicts, isa::Operation::load, isa::Space::shared, 8, 0);
BENCHMARK(idle_cycle);

}  // namespace
}  // namespace lookahead::gpu

BENCHMARK_MAIN();
