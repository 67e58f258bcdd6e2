#include "components/sm/texture/texture_unit.h"

#include <doctest/doctest.h>

#include <bit>
#include <cstring>
#include <map>
#include <memory>
#include <random>

#include "components/isa/instruction.h"
#include "components/sm/lsu/memory_fault.h"
#include "components/sm/register_file.h"
#include "core/state/archives.h"

using namespace lookahead;
using namespace lookahead::gpu;

namespace {

constexpr std::uint64_t kBase = 0x10'0000'0000;
constexpr unsigned kRowsEach = 4;

/// A texture unit with a memory that answers after random times, and out of order between lines.
class Bench : public LoadStoreListener {
  public:
    Bench(const TextureParameters& parameters, std::uint32_t seed, bool jumps)
        : random_(seed), jumps_(jumps), memory_(1 << 16) {
        for (std::byte& each : memory_) {
            each = static_cast<std::byte>(random_() & 0x3f);  // floats without NaN
        }
        allocations_.update({kBase, memory_.size(), 0});
        unit_ = std::make_unique<TextureUnit>(parameters, "sm0", registers_, *this, allocations_);
        instruction_.operation = isa::Operation::texture;
        instruction_.type = isa::Type::f32;
        instruction_.source_type = isa::Type::f32;
        instruction_.mode = isa::texture_mode(isa::TextureGeometry::d2);
        instruction_.destination_rows = kRowsEach;
    }

    isa::TextureDescriptor& add_texture(unsigned number, std::uint32_t width, std::uint32_t height) {
        isa::TextureDescriptor descriptor;
        descriptor.base = kBase + 4096 + number * 16384;
        descriptor.width = width;
        descriptor.height = height;
        descriptor.row_pitch = width * 4;
        descriptor.filter = isa::FilterMode::linear;
        std::memcpy(memory_.data() + number * 128, &descriptor, sizeof descriptor);
        return *reinterpret_cast<isa::TextureDescriptor*>(memory_.data() + number * 128);
    }

    void accept(isa::LaneMask active, std::uint64_t objects, float spread) {
        MemoryInstruction fetch;
        fetch.instruction = &instruction_;
        fetch.active = active;
        fetch.context = static_cast<std::uint16_t>(accepted_ % 16);
        fetch.ready = now_ + static_cast<Cycle>(random_() % 3);
        fetch.destination_rows = consecutive_rows(fetch.context * kRowsEach);
        for (unsigned lane = 0; lane < isa::kWarpSize; ++lane) {
            fetch.addresses[lane] = kBase + random_() % objects * 128;
            for (unsigned i = 0; i < 2; ++i) {
                fetch.data[i][lane] =
                    std::bit_cast<std::uint32_t>(static_cast<float>(random_() % 1000) / 1000.0f * spread);
            }
        }
        unit_->accept(fetch, now_);
        next_ = now_;
        expected_[fetch.context] = fetch;
        ++accepted_;
    }

    /// Issues instructions with random lanes until `count` have completed.
    void run(unsigned count, std::uint64_t objects, float spread) {
        while (completed_ < count) {
            if (accepted_ < count && unit_->can_accept() && expected_.size() < 16 && random_() % 4 == 0) {
                const isa::LaneMask lanes = random_() % 3 == 0 ? isa::kFullMask : static_cast<isa::LaneMask>(random_());
                if (lanes != 0) { accept(lanes, objects, spread); }
            }
            step();
            REQUIRE(now_ < 1'000'000);
        }
    }

    void step() {
        const auto due = replies_.find(now_);
        if (due != replies_.end()) {
            for (const ReadRequest& request : due->second) { reply(request); }
            replies_.erase(due);
            next_ = now_;
        }
        // `jumps`: skips cycles in which the unit reports that it has no work.
        if (!jumps_ || next_ <= now_) {
            unit_->cycle(now_);
            next_ = unit_->next_event(now_);
        }
        if (unit_->request() != nullptr && now_ % 2 == 0) {
            replies_[now_ + 1 + static_cast<Cycle>(latency_() % 120)].push_back(*unit_->request());
            unit_->sent();
            next_ = now_ + 1;
        }
        ++now_;
    }

    TextureUnit& unit() { return *unit_; }
    std::uint64_t hash() const {
        return hash_of([this](StateArchive& archive) {
            unit_->fields(archive, std::span<const isa::Instruction>(&instruction_, 1));
        });
    }
    /// Replaces the unit by a new one with its state.
    void restart(const TextureParameters& parameters) {
        const auto fields = [this](StateArchive& archive) {
            unit_->fields(archive, std::span<const isa::Instruction>(&instruction_, 1));
        };
        const std::string bytes = state_to_bytes(fields);
        const std::uint64_t before = hash();
        unit_ = std::make_unique<TextureUnit>(parameters, "sm0", registers_, *this, allocations_);
        state_from_bytes(bytes, "the texture unit", fields);
        CHECK(hash() == before);
    }

    const isa::Instruction& instruction() const { return instruction_; }
    std::vector<Cycle> completions;
    Cycle now() const { return now_; }
    unsigned completed() const { return completed_; }

  private:
    void reply(const ReadRequest& request) {
        alignas(8) std::byte message[sizeof(ReadReply) + kLineBytes];
        const ReadReply header{request.line, request.tag, request.client, request.sectors, {}};
        std::memcpy(message, &header, sizeof header);
        std::memcpy(message + sizeof header, memory_.data() + (request.line - kBase), kLineBytes);
        unit_->receive(*reinterpret_cast<const ReadReply*>(message));
    }

    void line_came(std::uint32_t, Cycle) override { FAIL("the texture unit asks for no lines of others"); }

    /// Compares every lane with the result of isa:: from memory.
    void memory_completed(std::uint16_t context, const isa::Instruction&, Cycle now) override {
        const MemoryInstruction& fetch = expected_.at(context);
        for (isa::LaneMask left = fetch.active; left != 0; left &= left - 1) {
            const auto lane = static_cast<unsigned>(std::countr_zero(left));
            isa::TextureDescriptor descriptor;
            std::memcpy(&descriptor, memory_.data() + (fetch.addresses[lane] - kBase), sizeof descriptor);
            const std::uint32_t point[3] = {fetch.data[0][lane], fetch.data[1][lane], 0};
            const isa::TextureSample sample = isa::locate(descriptor, instruction_, point);
            std::byte texels[isa::kMaximumTexels][isa::kMaximumTexelBytes];
            for (unsigned i = 0; i < sample.texels; ++i) {
                std::memcpy(texels[i], memory_.data() + (sample.address[i] - kBase), 4);
            }
            std::uint32_t words[4];
            isa::filter(descriptor, instruction_, sample, texels, words);
            for (unsigned i = 0; i < 4; ++i) { REQUIRE(registers_.row(context * kRowsEach + i)[lane] == words[i]); }
        }
        expected_.erase(context);
        completions.push_back(now);
        ++completed_;
    }

    std::mt19937 random_, latency_{7};
    bool jumps_;
    std::vector<std::byte> memory_;
    AllocationMap allocations_;
    RegisterFile registers_{64};
    isa::Instruction instruction_;
    std::unique_ptr<TextureUnit> unit_;
    std::map<std::uint16_t, MemoryInstruction> expected_;
    std::map<Cycle, std::vector<ReadRequest>> replies_;
    Cycle now_ = 0, next_ = 0;
    unsigned accepted_ = 0, completed_ = 0;
};

TextureParameters smallest() {
    return {.sets = 1,
            .ways = 1,
            .lanes_per_cycle = 32,
            .instructions = 2,
            .accesses = 1,
            .miss_queue = 1,
            .descriptors = 1};
}

}  // namespace

TEST_CASE("Every lane gets its texels, whatever comes back when, with the cache of a GTX480 and the smallest one") {
    for (const TextureParameters& parameters : {TextureParameters{}, smallest()}) {
        for (const std::uint32_t seed : {1u, 2u, 3u}) {
            Bench bench(parameters, seed, false);
            bench.add_texture(0, 64, 60);
            bench.add_texture(1, 16, 16);
            bench.add_texture(2, 32, 100);
            bench.run(40, 3, 70);
            CHECK(bench.unit().idle());
        }
    }
}

TEST_CASE("Calling the unit only when it has work changes nothing") {
    std::vector<Cycle> completions[2];
    std::uint64_t hashes[2];
    for (const bool jumps : {false, true}) {
        Bench bench({}, 11, jumps);
        bench.add_texture(0, 64, 60);
        bench.add_texture(1, 16, 16);
        bench.run(60, 2, 64);
        completions[jumps] = bench.completions;
        hashes[jumps] = bench.hash();
    }
    CHECK(completions[0] == completions[1]);
    CHECK(hashes[0] == hashes[1]);
}

TEST_CASE("A unit that is saved and loaded in the middle goes on as if it had not been") {
    std::uint64_t hashes[2];
    for (const bool restarts : {false, true}) {
        Bench bench({}, 12, false);
        bench.add_texture(0, 64, 60);
        for (unsigned count = 1; count <= 30; ++count) {
            bench.run(count, 1, 64);
            if (restarts) { bench.restart({}); }
        }
        hashes[restarts] = bench.hash();
    }
    CHECK(hashes[0] == hashes[1]);
}

TEST_CASE("A fetch whose lines are there takes a cycle for four lanes, and the filter's latency") {
    Bench bench({}, 13, false);
    bench.add_texture(0, 4, 4);  // one line
    bench.run(1, 1, 1);
    for (int i = 0; i < 300; ++i) { bench.step(); }
    const Cycle begin = bench.now();
    bench.accept(isa::kFullMask, 1, 4);
    while (bench.completed() < 2) { bench.step(); }
    // Accepted before the cycle; ready up to two cycles later; eight groups; the last one is served a cycle later.
    const Cycle least = 8 + TextureParameters{}.filter_latency;
    CHECK(bench.completions.back() - begin >= least);
    CHECK(bench.completions.back() - begin <= least + 2);
}

TEST_CASE("What is no texture object is a fault, when it is accepted or when its descriptor comes") {
    Bench bench({}, 14, false);
    bench.add_texture(0, 4, 4).magic = 5;
    bench.accept(1, 1, 1);
    CHECK_THROWS_WITH_AS(
        [&] {
            for (;;) { bench.step(); }
        }(),
        doctest::Contains("is not a texture object"), MemoryFault);

    Bench other({}, 14, false);
    other.add_texture(0, 4, 4);
    MemoryInstruction fetch;
    fetch.instruction = &other.instruction();
    fetch.active = 4;
    fetch.addresses[2] = 0x1000;
    CHECK_THROWS_WITH_AS(other.unit().accept(fetch, 0), doctest::Contains("lane 2"), MemoryFault);
}
