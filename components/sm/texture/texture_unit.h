#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "components/cache/set_index.h"
#include "components/isa/texture.h"
#include "components/protocols/memory.h"
#include "components/sm/lsu/allocation_map.h"
#include "components/sm/lsu/load_store_unit.h"
#include "components/sm/lsu/miss_samples.h"
#include "core/param/parameters.h"
#include "core/stats/statistics.h"

namespace lookahead::gpu {

/// `texture.*`: an SM's texture unit and its cache. Defaults: GTX480.
struct TextureParameters {
    LOOKAHEAD_PARAMETER(std::int64_t, sets, 4, {1, 1 << 12, "set"},
                        {.help = "Sets of the texture cache.",
                         .source = "GPGPU-Sim's GTX480 configuration (12 KB; the Fermi white paper names 12 KB too)"});
    LOOKAHEAD_PARAMETER(std::int64_t, ways, 24, {1, 64, "line"},
                        {.help = "Lines of 128 bytes in a set.", .source = "GPGPU-Sim's GTX480 configuration"});
    LOOKAHEAD_PARAMETER(
        std::int64_t, lanes_per_cycle, 4, {1, 32, "thread"},
        {.help = "Threads whose texels are addressed in a cycle.",
         .source =
             "NVIDIA Fermi white paper: four texture units per SM, each of one address and four samples per clock"});
    LOOKAHEAD_PARAMETER(std::int64_t, instructions, 8, {1, 64, "instruction"},
                        {.help = "Warp instructions in the unit, from acceptance to the last texel.",
                         .source = "estimate: hides a miss to DRAM at the unit's throughput"});
    LOOKAHEAD_PARAMETER(std::int64_t, accesses, 128, {1, 4096, "access"},
                        {.help = "Accesses to lines between the tags and the data (the fragment FIFO).",
                         .source = "GPGPU-Sim's GTX480 configuration, fragment FIFO"});
    LOOKAHEAD_PARAMETER(std::int64_t, miss_queue, 8, {1, 256, "request"},
                        {.help = "Requests between the texture cache and the network.", .source = "as l1d.miss_queue"});
    LOOKAHEAD_PARAMETER(std::int64_t, descriptors, 16, {1, 64, "texture"},
                        {.help = "Descriptors of texture objects that the unit keeps.",
                         .source = "estimate: not published"});
    LOOKAHEAD_PARAMETER(std::int64_t, filter_latency, 60, {1, 1000, "cycle"},
                        {.help = "From the last texel's arrival at the data to the result in the registers.",
                         .source = "estimate: with the addressing of a warp and the tags, a hit takes about half of "
                                   "the 200 and more hot clocks that Wong et al., ISPASS 2010, measure on a GT200"});
    LOOKAHEAD_ALL_DECLARED;
};

struct TextureCounters {
    LOOKAHEAD_COUNTER(instructions, "instruction", "Warp texture fetches.");
    LOOKAHEAD_COUNTER(texels, "texel", "Texels read, except those of the border.");
    LOOKAHEAD_COUNTER(accesses, "access", "Accesses to lines: each serves lanes that are addressed together.");
    LOOKAHEAD_COUNTER(hits, "access", "Accesses whose line was present.");
    LOOKAHEAD_COUNTER(merges, "access", "Accesses whose line was on its way.");
    LOOKAHEAD_COUNTER(misses, "access", "Accesses that fetched their line.");
    LOOKAHEAD_COUNTER(descriptor_misses, "access", "Descriptors that were fetched.");
    LOOKAHEAD_COUNTER(instruction_cycles, "cycle", "From acceptance to completion, over all instructions.");
    LOOKAHEAD_ALL_DECLARED;
};

/// The texture unit of an SM, with its cache, after Igehy, Eldridge and Proudfoot, "Prefetching in a texture cache
/// architecture" (1998): the tags run ahead of the data. In issue order, instructions are
/// 1. addressed: the unit reads the object's descriptor (from memory, as a line), then locates the texels of
/// `lanes_per_cycle` lanes per cycle. Each needed line is an access; accesses look up the tags, one per cycle, which
/// reserves and fetches missing lines at once;
/// 2. served: accesses wait in a FIFO; the oldest one takes its texels when its line is present, one access per cycle;
/// 3. filtered: `filter_latency` cycles after its last access, the instruction's result is in the registers.
/// A reserved line stays until the accesses that refer to it are served, so that they read the line that they fetched.
/// The cache is read-only and is emptied when a kernel begins.
class TextureUnit {
  public:
    TextureUnit(const TextureParameters& parameters, std::string name, RegisterFile& registers,
                LoadStoreListener& listener, const AllocationMap& allocations);

    bool can_accept() const { return accepted_ - completed_ < static_cast<std::uint64_t>(parameters_.instructions); }
    /// The instruction's `data` rows are the coordinates, its addresses the objects.
    void accept(const MemoryInstruction& instruction, Cycle now);
    bool idle() const { return accepted_ == completed_; }

    /// Throws MemoryFault for an object without a descriptor, or whose memory is not allocated.
    void cycle(Cycle now);
    Cycle next_event(Cycle now) const;

    /// The next request to memory; null: none. Call `sent` when it is sent.
    const ReadRequest* request() const { return requests_.empty() ? nullptr : &requests_.front(); }
    void sent();
    /// Takes a reply with the whole line.
    void receive(const ReadReply& reply);

    /// From now on `samples` may record misses.
    void sample_into(MissSamples& samples) { samples_ = &samples; }

    void begin_kernel();
    std::string waiting_for() const;
    void audit(Audit& audit) const;

    void visit_statistics(StatisticsVisitor& visitor) const { visit(visitor, name_, "texture", counters_); }
    void fields(StateArchive& archive, std::span<const isa::Instruction> code);

  private:
    friend struct AuditSabotage;
    static constexpr std::uint32_t kDescriptorTag = 0x8000'0000;
    static constexpr unsigned kMaskWords = isa::kWarpSize * isa::kMaximumTexels / 64;

    enum class LineState : std::uint8_t { empty, fetching, valid };
    struct Line {
        std::uint64_t address = 0;
        std::uint64_t used = 0;     ///< number of the last look-up that used it; the least is replaced
        std::uint32_t readers = 0;  ///< accesses that are not served yet
        LineState state = LineState::empty;
        std::uint8_t unused[3] = {};
        std::byte data[kLineBytes] = {};

        void fields(StateArchive& archive) { archive& address& used& readers& state& data; }
    };
    struct Descriptor {
        std::uint64_t object = 0;
        std::uint64_t used = 0;
        LineState state = LineState::empty;
        std::uint8_t unused[7] = {};
        isa::TextureDescriptor what;

        void fields(StateArchive& archive) {
            archive& object& used& state;
            archive.plain(reinterpret_cast<std::byte*>(&what), sizeof what);  // no padding, but floating point
        }
    };
    /// A line, and the texels in it that lanes addressed together need: bit 8 * lane + texel.
    struct Need {
        std::uint64_t line;
        std::uint64_t texels[kMaskWords];

        void fields(StateArchive& archive) { archive& line& texels; }
    };
    struct Access {
        Need need;
        std::uint64_t instruction;
        std::uint64_t slot;  ///< of the line

        void fields(StateArchive& archive) { archive& need& instruction& slot; }
    };
    static constexpr unsigned kTexelRows = 4;  ///< rows that a fetch writes
    /// An instruction in the unit, and the texels that its lanes need and have received.
    struct Entry {
        const isa::Instruction* instruction = nullptr;
        Cycle ready = 0;
        Cycle accepted = 0;
        Cycle due = kNever;  ///< of the result; kNever while an access is open
        isa::LaneMask active = 0;
        std::array<std::uint16_t, kTexelRows> destination_rows{};
        std::uint32_t open = 0;  ///< accesses that are not served
        std::uint16_t context = 0;
        bool addressed = false;
        std::vector<isa::TextureDescriptor> descriptors;  ///< of the lanes' objects, in the order of their lanes
        std::uint64_t objects[isa::kWarpSize];
        std::uint32_t coordinates[isa::kMaximumCoordinates][isa::kWarpSize];
        std::uint8_t descriptor[isa::kWarpSize];  ///< index into descriptors
        isa::TextureSample samples[isa::kWarpSize];
        std::byte texels[isa::kWarpSize][isa::kMaximumTexels][isa::kMaximumTexelBytes];

        void fields(StateArchive& archive, std::span<const isa::Instruction> code);
    };

    Entry& entry(std::uint64_t number) { return entries_[number % entries_.size()]; }
    const Entry& entry(std::uint64_t number) const { return entries_[number % entries_.size()]; }

    void address(Cycle now);
    bool locate_lanes(Entry& entry);
    const isa::TextureDescriptor* descriptor_of(const Entry& entry, unsigned lane);
    void need(std::uint64_t line, unsigned bit);
    bool look_up(const Need& need);
    void ask(std::uint64_t line, std::uint32_t tag);
    void end_addressing(Cycle now);
    void serve(Cycle now);
    void complete(Cycle now);
    void write_result(const Entry& entry);
    [[noreturn]] void fault(const Entry& entry, unsigned lane) const;

    TextureParameters parameters_;
    std::string name_;
    RegisterFile& registers_;
    LoadStoreListener& listener_;
    const AllocationMap& allocations_;
    SetIndex index_;
    TextureCounters counters_;

    std::vector<Line> lines_;  ///< created by the first instruction, because most programs have none
    std::vector<Descriptor> descriptors_;
    std::vector<Entry> entries_;
    std::uint64_t accepted_ = 0;  ///< instructions, numbered from 0
    std::uint64_t addressed_ = 0;
    std::uint64_t completed_ = 0;
    std::uint32_t next_lane_ = 0;  ///< of the instruction being addressed: its first lane not located
    std::vector<Need> needs_;      ///< of the lanes located last; those from next_need_ on are not looked up yet
    std::uint64_t next_need_ = 0;
    bool blocked_ = false;  ///< addressing must wait until something is served, sent or received
    std::uint64_t look_ups_ = 0;
    MissSamples* samples_ = nullptr;
    Cycle now_ = 0;  ///< the current cycle
    std::deque<Access> accesses_;
    std::deque<ReadRequest> requests_;
};

}  // namespace lookahead::gpu
