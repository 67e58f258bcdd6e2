#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

#include "components/isa/address_space.h"
#include "components/isa/memory_access.h"
#include "components/isa/module_image.h"
#include "components/isa/texture.h"
#include "components/sm/lsu/lane_data.h"
#include "components/sm/lsu/load_store_unit.h"
#include "components/sm/multiprocessor/streaming_multiprocessor.h"
#include "core/error/error.h"
#include "core/state/archives.h"

namespace lookahead::test {

/// A FakeLoadStoreUnit's constants: word i holds 100 + i.
inline isa::ModuleImage constant_image() {
    isa::ModuleVariable variable{
        .name = "constants", .address = isa::kConstantBase, .bytes = 256, .is_constant = true, .contents = {}};
    variable.contents.resize(variable.bytes);
    for (std::uint32_t i = 0; i < variable.bytes / 4; ++i) {
        const std::uint32_t value = 100 + i;
        std::memcpy(&variable.contents[4 * i], &value, sizeof value);
    }
    return {variable};
}

struct FakeMemory {
    Cycle global_latency = 100;  ///< also of local memory and textures
    Cycle line_latency = 0;      ///< of lines for fetch and constants; 0: as global_latency
    Cycle shared_latency = 26;
    Cycle store_latency = 60;  ///< until the store is acknowledged
    Cycle fence_latency = 40;
    unsigned capacity = 16;      ///< instructions in flight
    Cycle element_interval = 0;  ///< above 0: a vector load completes element by element, at this interval
};

/// A load/store unit with fixed latencies and flat memories: each access takes place when its latency is over.
/// Pre-loads are only recorded.
class FakeLoadStoreUnit final : public gpu::LoadStoreUnit {
  public:
    static constexpr std::uint64_t kGlobalBytes = 1 << 16;
    std::vector<gpu::L1Listener*> subscribers;

    FakeLoadStoreUnit(const FakeMemory& memory, const gpu::LoadStoreServices& services)
        : memory_(memory),
          registers_(services.registers),
          constants_(services.constants),
          listener_(services.listener),
          global_(kGlobalBytes),
          shared_(services.shared_bytes) {}

    bool can_accept() const override { return entries_.size() < memory_.capacity; }
    void accept(const gpu::MemoryInstruction& instruction, Cycle now) override {
        LOOKAHEAD_ASSERT(can_accept() && instruction.active != 0 && now > last_accept_, "contract of accept");
        last_accept_ = now;
        if (instruction.pre_load) {
            note_pre_load(instruction);
        } else if (instruction.elements == 1) {
            check_addresses(instruction);
        }
        const Cycle due = std::max(now, instruction.ready) + latency_of(*instruction.instruction);
        if (memory_.element_interval == 0 || instruction.instruction->destination_rows <= 1) {
            entries_.push_back({instruction, due});
            return;
        }
        for (std::int8_t element = 0; element < instruction.instruction->vector; ++element) {
            entries_.push_back({instruction, due + element * memory_.element_interval, element});
        }
    }
    void accept_fence(std::uint16_t context, const isa::Instruction& instruction, Cycle now) override {
        LOOKAHEAD_ASSERT(can_accept() && now > last_accept_, "contract of accept_fence");
        last_accept_ = now;
        gpu::MemoryInstruction fence;
        fence.instruction = &instruction;
        fence.context = context;
        entries_.push_back({fence, now + memory_.fence_latency});
    }
    bool can_request_line() const override { return lines_.size() < 4; }
    void request_line(std::uint64_t line, gpu::SectorMask, std::uint32_t reader, Cycle) override {
        lines_.push_back({line, reader, kUnknown});
    }
    void subscribe(gpu::L1Listener& listener) override { subscribers.push_back(&listener); }
    void receive(const MessageHeader&, Cycle) override { ++received_; }
    void cycle(Cycle now) override {
        LOOKAHEAD_ASSERT(now > last_cycle_ && now <= next_, "contract of cycle");
        last_cycle_ = now;
        std::vector<Entry> due;
        const auto later = std::stable_partition(entries_.begin(), entries_.end(),
                                                 [now](const Entry& entry) { return entry.due > now; });
        due.assign(later, entries_.end());
        entries_.erase(later, entries_.end());
        for (const Entry& entry : due) {
            if (entry.instruction.pre_load) { continue; }
            if (entry.element >= 0) {
                complete_element(entry, now);
                continue;
            }
            perform(entry.instruction);
            if (entry.instruction.token != 0) {
                listener_.extension_completed(entry.instruction.token, *entry.instruction.instruction, now);
                continue;
            }
            if (entry.instruction.instruction->destination_rows > 0 ||
                entry.instruction.instruction->operation == isa::Operation::membar) {
                listener_.memory_completed(entry.instruction.context, *entry.instruction.instruction, now);
            }
        }
        for (RequestedLine& each : lines_) { each.due = each.due == kUnknown ? now + line_latency() : each.due; }
        while (!lines_.empty() && lines_.front().due <= now) {
            const RequestedLine came = lines_.front();
            lines_.erase(lines_.begin());
            requested_.push_back(came.line);
            if ((came.reader & gpu::ConstantCache::kReader) != 0) {
                const std::byte line[gpu::ConstantCache::kBytes] = {};
                constants_.fill(came.reader, line, [](const gpu::ConstantCache::Waiter&) {});
            }
            listener_.line_came(came.reader, now);
        }
        next_ = next_event(now);
    }
    Cycle next_event(Cycle) const override {
        Cycle next = lines_.empty() ? gpu::kNever : lines_.front().due;
        for (const Entry& entry : entries_) { next = std::min(next, entry.due); }
        return next;
    }
    void begin_kernel() override { ++kernels_; }
    bool drained() const override { return entries_.empty() && lines_.empty(); }
    std::string waiting_for() const override { return std::to_string(entries_.size()) + " accesses"; }

    void visit_statistics(StatisticsVisitor&) const override {}
    void fields(StateArchive& archive, std::span<const isa::Instruction> code) override {
        archive& lines_& requested_& pre_loaded_& global_& shared_& local_& received_& kernels_& last_accept_&
            last_cycle_& next_;
        std::uint64_t count = entries_.size();
        archive& count;
        entries_.resize(count);
        for (Entry& entry : entries_) {
            gpu::MemoryInstruction& memory = entry.instruction;
            archive.pointer_into(code, memory.instruction);
            archive& entry.due& entry.element& memory.ready& memory.pc& memory.context& memory.cta_slot& memory.active;
            archive& memory.destination_rows& memory.token& memory.pre_load& memory.shared_base& memory
                .shared_bytes& memory.local_base& memory.local_bytes;
            for (isa::LaneMask left = memory.active; left != 0; left &= left - 1) {
                const int lane = std::countr_zero(left);
                archive& memory.addresses[lane];
                for (unsigned row = 0; row < gpu::data_rows(*memory.instruction); ++row) {
                    if (gpu::holds_value(*memory.instruction, row)) { archive& memory.data[row][lane]; }
                }
            }
        }
    }

    /// Lines requested that have come, in this order.
    const std::vector<std::uint64_t>& requested_lines() const { return requested_; }
    /// Addresses of pre-loads, lane by lane in order of arrival.
    const std::vector<std::uint64_t>& pre_loaded() const { return pre_loaded_; }

    std::uint32_t global_word(std::uint64_t offset) const { return word(global_, offset); }
    void set_global_word(std::uint64_t offset, std::uint32_t value) {
        std::memcpy(global_.data() + offset, &value, sizeof value);
    }
    /// Sets word i from `offset` on to value(i).
    template <class Value>
    void fill_global_words(std::uint64_t offset, unsigned count, Value value) {
        for (unsigned i = 0; i < count; ++i) { set_global_word(offset + 4 * i, value(i)); }
    }
    std::uint64_t received() const { return received_; }

  private:
    struct Entry {
        gpu::MemoryInstruction instruction;
        Cycle due = 0;
        std::int8_t element = -1;  ///< number; -1: all
    };

    struct RequestedLine {
        std::uint64_t line;
        std::uint32_t reader;
        Cycle due;

        void fields(StateArchive& archive) { archive& line& reader& due; }
    };
    static constexpr Cycle kUnknown = -1;

    static std::uint32_t word(const std::vector<char>& bytes, std::uint64_t offset) {
        std::uint32_t value = 0;
        std::memcpy(&value, bytes.data() + offset, sizeof value);
        return value;
    }
    Cycle line_latency() const { return memory_.line_latency > 0 ? memory_.line_latency : memory_.global_latency; }
    Cycle latency_of(const isa::Instruction& instruction) const {
        if (instruction.space == isa::Space::shared || instruction.space == isa::Space::constant) {
            return memory_.shared_latency;
        }
        return instruction.destination_rows > 0 ? memory_.global_latency : memory_.store_latency;
    }
    char* place_of(const gpu::MemoryInstruction& access, unsigned lane) {
        return place_at(access, lane, access.addresses[lane]);
    }
    char* place_at(const gpu::MemoryInstruction& access, unsigned lane, std::uint64_t address) {
        if (access.instruction->space == isa::Space::constant) {
            return reinterpret_cast<char*>(variables_.front().contents.data()) + (address - isa::kConstantBase);
        }
        if (access.instruction->space == isa::Space::local) {
            const std::size_t thread = access.context * isa::kWarpSize + lane;
            local_.resize(std::max(local_.size(), (thread + 1) * access.local_bytes));
            return local_.data() + thread * access.local_bytes + address;
        }
        return access.instruction->space == isa::Space::shared ? shared_.data() + access.shared_base + address
                                                               : global_.data() + (address - isa::kGlobalBase);
    }
    void check_addresses(const gpu::MemoryInstruction& access) const {
        for (unsigned lane = 0; lane < isa::kWarpSize; ++lane) {
            const std::uint64_t end = access.addresses[lane] + isa::lane_bytes(*access.instruction);
            const bool good =
                access.instruction->space == isa::Space::shared ? end <= access.shared_bytes
                : access.instruction->space == isa::Space::constant
                    ? isa::is_in_constant(variables_, access.addresses[lane], end - access.addresses[lane])
                : access.instruction->space == isa::Space::local
                    ? end <= access.local_bytes
                    : access.addresses[lane] >= isa::kGlobalBase && end <= isa::kGlobalBase + kGlobalBytes;
            if ((access.active >> lane & 1) != 0 && !good) {
                throw ProgramError("lane " + std::to_string(lane) + " accesses an address that is not allocated");
            }
        }
    }
    void note_pre_load(const gpu::MemoryInstruction& access) {
        for (unsigned lane = 0; lane < isa::kWarpSize; ++lane) {
            if ((access.active >> lane & 1) != 0) { pre_loaded_.push_back(access.addresses[lane]); }
        }
    }
    void complete_element(const Entry& entry, Cycle now) {
        const gpu::MemoryInstruction& access = entry.instruction;
        const auto element = static_cast<unsigned>(entry.element);
        for (unsigned lane = 0; lane < isa::kWarpSize; ++lane) {
            if ((access.active >> lane & 1) != 0) {
                const std::uint64_t address =
                    access.elements > 1 ? access.element_address(element, lane) : access.addresses[lane] + 4 * element;
                std::memcpy(&registers_.row(access.destination_rows[element])[lane], place_at(access, lane, address),
                            4);
            }
        }
        listener_.element_completed(access.context, *access.instruction, element,
                                    element + 1 == access.instruction->vector, now);
    }
    void perform(const gpu::MemoryInstruction& access) {
        const isa::Instruction& instruction = *access.instruction;
        if (instruction.operation == isa::Operation::texture) {
            for (unsigned lane = 0; lane < isa::kWarpSize; ++lane) {
                if ((access.active >> lane & 1) != 0) { fetch_texels(access, lane); }
            }
            return;
        }
        if (!isa::is_memory(instruction.operation)) { return; }
        if (access.elements > 1) { return perform_elements(access); }
        for (unsigned lane = 0; lane < isa::kWarpSize; ++lane) {
            if ((access.active >> lane & 1) != 0) { perform_lane(access, lane); }
        }
    }
    void perform_elements(const gpu::MemoryInstruction& access) {
        for (unsigned element = 0; element < access.elements; ++element) {
            for (unsigned lane = 0; lane < isa::kWarpSize; ++lane) {
                if ((access.active >> lane & 1) == 0) { continue; }
                char* place = place_at(access, lane, access.element_address(element, lane));
                if (isa::is_load(access.instruction->operation)) {
                    std::memcpy(&registers_.row(access.destination_rows[element])[lane], place, 4);
                } else {
                    std::memcpy(place, &access.data[element][lane], 4);
                }
            }
        }
    }
    void fetch_texels(const gpu::MemoryInstruction& access, unsigned lane) {
        isa::TextureDescriptor descriptor;
        std::memcpy(&descriptor, place_of(access, lane), sizeof descriptor);
        std::uint32_t point[isa::kMaximumCoordinates];
        for (unsigned i = 0; i < isa::kMaximumCoordinates; ++i) { point[i] = access.data[i][lane]; }
        const isa::TextureSample sample = isa::locate(descriptor, *access.instruction, point);
        std::byte texels[isa::kMaximumTexels][isa::kMaximumTexelBytes] = {};
        for (unsigned i = 0; i < sample.texels; ++i) {
            if (sample.address[i] != isa::TextureSample::kBorder) {
                std::memcpy(texels[i], global_.data() + (sample.address[i] - isa::kGlobalBase),
                            descriptor.texel_bytes());
            }
        }
        std::uint32_t words[4];
        isa::filter(descriptor, *access.instruction, sample, texels, words);
        for (unsigned i = 0; i < 4; ++i) { registers_.row(access.destination_rows[i])[lane] = words[i]; }
    }
    void perform_lane(const gpu::MemoryInstruction& access, unsigned lane) {
        const isa::Instruction& instruction = *access.instruction;
        char* place = place_of(access, lane);
        if (instruction.operation == isa::Operation::load) {
            std::uint32_t* rows[gpu::kMaximumRows];
            for (unsigned i = 0; i < instruction.destination_rows; ++i) {
                rows[i] = registers_.row(access.destination_rows[i]);
            }
            isa::write_loaded(instruction, lane, reinterpret_cast<const std::byte*>(place), rows);
        } else if (instruction.operation == isa::Operation::store) {
            const std::uint32_t* rows[gpu::kMaximumRows];
            for (unsigned i = 0; i < gpu::data_rows(instruction); ++i) { rows[i] = access.data[i]; }
            std::byte bytes[4 * gpu::kMaximumRows];
            isa::read_stored(instruction, lane, rows, bytes);
            std::memcpy(place, bytes, isa::lane_bytes(instruction));
        } else {
            std::uint32_t old_value = 0;
            std::memcpy(&old_value, place, sizeof old_value);
            const auto result = static_cast<std::uint32_t>(isa::apply_atomic(
                instruction.atomic, instruction.type, old_value, access.data[0][lane], access.data[2][lane]));
            std::memcpy(place, &result, sizeof result);
            if (instruction.destination_rows > 0) { registers_.row(access.destination_rows[0])[lane] = old_value; }
        }
    }

    FakeMemory memory_;
    gpu::RegisterFile& registers_;
    gpu::ConstantCache& constants_;
    gpu::LoadStoreListener& listener_;
    isa::ModuleImage variables_ = constant_image();
    std::vector<char> global_;
    std::vector<char> shared_;
    std::vector<char> local_;
    std::vector<Entry> entries_;
    std::vector<RequestedLine> lines_;
    std::vector<std::uint64_t> requested_;
    std::vector<std::uint64_t> pre_loaded_;
    std::uint64_t received_ = 0;
    std::uint64_t kernels_ = 0;
    Cycle last_accept_ = -1;
    Cycle last_cycle_ = -1;
    Cycle next_ = gpu::kNever;
};

}  // namespace lookahead::test
