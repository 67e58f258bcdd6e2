#include "components/sm/texture/texture_unit.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "components/isa/instruction.h"
#include "components/sm/lsu/memory_fault.h"
#include "components/sm/register_file.h"
#include "core/bits/set_bits.h"
#include "core/error/error.h"
#include "core/lp/audit.h"
#include "core/param/parameter_registry.h"
#include "core/stats/statistics_registry.h"

namespace lookahead::gpu {

LOOKAHEAD_REGISTER_PARAMETERS(TextureParameters, "texture", "The texture unit of an SM and its cache.")
LOOKAHEAD_REGISTER_STATISTICS(TextureCounters, "texture", "Texture unit of an SM")

TextureUnit::TextureUnit(const TextureParameters& parameters, std::string name, RegisterFile& registers,
                         LoadStoreListener& listener, const AllocationMap& allocations)
    : parameters_(parameters),
      name_(std::move(name)),
      registers_(registers),
      listener_(listener),
      allocations_(allocations),
      index_(SetIndexing::linear, static_cast<unsigned>(parameters.sets)) {}

void TextureUnit::accept(const MemoryInstruction& instruction, Cycle now) {
    if (entries_.empty()) {
        entries_.resize(static_cast<std::size_t>(parameters_.instructions));
        lines_.resize(static_cast<std::size_t>(parameters_.sets * parameters_.ways));
        descriptors_.resize(static_cast<std::size_t>(parameters_.descriptors));
    }
    Entry& to = entry(accepted_);
    to.instruction = instruction.instruction;
    to.ready = instruction.ready;
    to.accepted = now;
    to.due = kNever;
    to.active = instruction.active;
    std::copy_n(instruction.destination_rows.begin(), kTexelRows, to.destination_rows.begin());
    to.open = 0;
    to.context = instruction.context;
    to.addressed = false;
    to.descriptors.clear();
    std::memcpy(to.objects, instruction.addresses, sizeof to.objects);
    for (unsigned i = 0; i < isa::kMaximumCoordinates; ++i) {
        std::memcpy(to.coordinates[i], instruction.data[i], sizeof to.coordinates[i]);
    }
    for (const unsigned lane : SetBits(to.active)) {
        const std::uint64_t object = to.objects[lane];
        if (object % kLineBytes != 0 || !allocations_.contains(object, object + kLineBytes)) { fault(to, lane); }
    }
    ++accepted_;
    ++counters_.instructions;
}

void TextureUnit::fault(const Entry& entry, unsigned lane) const {
    throw MemoryFault(*entry.instruction, lane, entry.objects[lane],
                      "is not a texture object, or the texture's memory is not allocated");
}

void TextureUnit::cycle(Cycle now) {
    now_ = now;
    complete(now);
    serve(now);
    if (addressed_ != accepted_ && !blocked_ && entry(addressed_).ready <= now) { address(now); }
}

Cycle TextureUnit::next_event(Cycle now) const {
    Cycle next = kNever;
    if (addressed_ != accepted_ && !blocked_) { next = std::max(now + 1, entry(addressed_).ready); }
    if (!accesses_.empty() && lines_[accesses_.front().slot].state == LineState::valid) { next = now + 1; }
    if (completed_ != accepted_ && entry(completed_).due != kNever) {
        next = std::min(next, std::max(now + 1, entry(completed_).due));
    }
    return next;
}

// ---- Addressing -----------------------------------------------------------------------------------------------------

/// One step: looks up one need; locates the next lanes when all earlier needs have been looked up.
void TextureUnit::address(Cycle now) {
    Entry& current = entry(addressed_);
    if (next_need_ == needs_.size() && !locate_lanes(current)) {
        blocked_ = true;
        return;
    }
    if (next_need_ < needs_.size()) {
        if (!look_up(needs_[next_need_])) {
            blocked_ = true;
            return;
        }
        ++next_need_;
    }
    if (next_need_ == needs_.size() && (next_lane_ >= isa::kWarpSize || current.active >> next_lane_ == 0)) {
        end_addressing(now);
    }
}

/// Locates lanes up to the first whose descriptor is missing. Returns false if that is the very first: then nothing has
/// changed except that the descriptor is requested.
bool TextureUnit::locate_lanes(Entry& current) {
    const isa::LaneMask left = current.active & (~isa::LaneMask{0} << next_lane_);
    const auto first = static_cast<unsigned>(std::countr_zero(left));
    const unsigned end = std::min(first + static_cast<unsigned>(parameters_.lanes_per_cycle), isa::kWarpSize);
    needs_.clear();
    next_need_ = 0;
    for (unsigned lane = first; lane < end; ++lane) {
        if ((current.active >> lane & 1) == 0) { continue; }
        const isa::TextureDescriptor* const descriptor = descriptor_of(current, lane);
        if (descriptor == nullptr) {
            next_lane_ = lane;
            return lane != first;
        }
        const bool is_new = current.descriptors.empty() ||
                            std::memcmp(&current.descriptors.back(), descriptor, sizeof *descriptor) != 0;
        if (is_new) { current.descriptors.push_back(*descriptor); }
        current.descriptor[lane] = static_cast<std::uint8_t>(current.descriptors.size() - 1);
        std::uint32_t point[isa::kMaximumCoordinates];
        for (unsigned i = 0; i < isa::kMaximumCoordinates; ++i) { point[i] = current.coordinates[i][lane]; }
        isa::TextureSample& sample = current.samples[lane];
        sample = isa::locate(*descriptor, *current.instruction, point);
        for (unsigned texel = 0; texel < sample.texels; ++texel) {
            if (sample.address[texel] != isa::TextureSample::kBorder) {
                need(line_of(sample.address[texel]), lane * isa::kMaximumTexels + texel);
            }
        }
    }
    next_lane_ = end;
    return true;
}

/// The lane's descriptor; null if it is under way.
const isa::TextureDescriptor* TextureUnit::descriptor_of(const Entry& current, unsigned lane) {
    const std::uint64_t object = current.objects[lane];
    Descriptor* victim = nullptr;
    for (Descriptor& each : descriptors_) {
        if (each.state != LineState::empty && each.object == object) {
            if (each.state == LineState::fetching) { return nullptr; }
            if (!each.what.is_valid() || !allocations_.contains(each.what.base, each.what.base + each.what.bytes())) {
                fault(current, lane);
            }
            each.used = ++look_ups_;
            return &each.what;
        }
        if (each.state != LineState::fetching && (victim == nullptr || each.used < victim->used)) { victim = &each; }
    }
    if (victim == nullptr || requests_.size() == static_cast<std::size_t>(parameters_.miss_queue)) { return nullptr; }
    victim->object = object;
    victim->used = ++look_ups_;
    victim->state = LineState::fetching;
    ++counters_.descriptor_misses;
    ask(object, kDescriptorTag | static_cast<std::uint32_t>(victim - descriptors_.data()));
    return nullptr;
}

void TextureUnit::need(std::uint64_t line, unsigned bit) {
    auto place = std::ranges::find(needs_, line, &Need::line);
    if (place == needs_.end()) {
        needs_.push_back({line, {}});
        place = std::prev(needs_.end());
    }
    place->texels[bit / 64] |= std::uint64_t{1} << (bit % 64);
    ++counters_.texels;
}

/// Returns false, without any change, if there is no room for the access, its line or its request.
bool TextureUnit::look_up(const Need& need) {
    if (accesses_.size() == static_cast<std::size_t>(parameters_.accesses)) { return false; }
    Line* const set = &lines_[index_.of(need.line) * static_cast<std::size_t>(parameters_.ways)];
    Line* const end = set + parameters_.ways;
    Line* line = std::find_if(
        set, end, [&need](const Line& each) { return each.state != LineState::empty && each.address == need.line; });
    if (line != end) {
        ++(line->state == LineState::valid ? counters_.hits : counters_.merges);
    } else {
        line = nullptr;
        for (Line* each = set; each != end; ++each) {
            if (each->readers == 0 && (line == nullptr || each->used < line->used)) { line = each; }
        }
        if (line == nullptr || requests_.size() == static_cast<std::size_t>(parameters_.miss_queue)) { return false; }
        line->address = need.line;
        line->state = LineState::fetching;
        ++counters_.misses;
        ask(need.line, static_cast<std::uint32_t>(line - lines_.data()));
    }
    line->used = ++look_ups_;
    ++line->readers;
    ++counters_.accesses;
    ++entry(addressed_).open;
    accesses_.push_back({need, addressed_, static_cast<std::uint64_t>(line - lines_.data())});
    return true;
}

void TextureUnit::ask(std::uint64_t line, std::uint32_t tag) {
    const auto sample = samples_ != nullptr ? samples_->take(MissSamples::Source::texture, now_) : std::uint16_t{0};
    requests_.push_back({.line = line, .tag = tag, .client = Client::texture, .sample = sample});
}

void TextureUnit::end_addressing(Cycle now) {
    Entry& current = entry(addressed_);
    current.addressed = true;
    if (current.open == 0) { current.due = now + parameters_.filter_latency; }
    ++addressed_;
    next_lane_ = 0;
    needs_.clear();
    next_need_ = 0;
}

// ---- Texels, results ------------------------------------------------------------------------------------------------

void TextureUnit::serve(Cycle now) {
    if (accesses_.empty() || lines_[accesses_.front().slot].state != LineState::valid) { return; }
    const Access& access = accesses_.front();
    Line& line = lines_[access.slot];
    Entry& to = entry(access.instruction);
    for (unsigned word = 0; word < kMaskWords; ++word) {
        for (std::uint64_t left = access.need.texels[word]; left != 0; left &= left - 1) {
            const unsigned bit = word * 64 + static_cast<unsigned>(std::countr_zero(left));
            const unsigned lane = bit / isa::kMaximumTexels;
            const unsigned texel = bit % isa::kMaximumTexels;
            std::memcpy(to.texels[lane][texel], line.data + (to.samples[lane].address[texel] - line.address),
                        to.descriptors[to.descriptor[lane]].texel_bytes());
        }
    }
    --line.readers;
    if (--to.open == 0 && to.addressed) { to.due = now + parameters_.filter_latency; }
    accesses_.pop_front();
    blocked_ = false;
}

/// Results come in the order of the instructions.
void TextureUnit::complete(Cycle now) {
    while (completed_ != accepted_ && entry(completed_).due <= now) {
        const Entry& done = entry(completed_);
        write_result(done);
        counters_.instruction_cycles += static_cast<std::uint64_t>(now - done.accepted);
        ++completed_;
        listener_.memory_completed(done.context, *done.instruction, now);
    }
}

void TextureUnit::write_result(const Entry& done) {
    std::uint32_t* rows[kTexelRows];
    for (unsigned i = 0; i < kTexelRows; ++i) { rows[i] = registers_.row(done.destination_rows[i]); }
    for (const unsigned lane : SetBits(done.active)) {
        std::uint32_t words[kTexelRows];
        isa::filter(done.descriptors[done.descriptor[lane]], *done.instruction, done.samples[lane], done.texels[lane],
                    words);
        for (unsigned i = 0; i < kTexelRows; ++i) { rows[i][lane] = words[i]; }
    }
}

// ---- Memory ---------------------------------------------------------------------------------------------------------

void TextureUnit::sent() {
    requests_.pop_front();
    blocked_ = false;
}

void TextureUnit::receive(const ReadReply& reply) {
    if ((reply.tag & kDescriptorTag) != 0) {
        Descriptor& descriptor = descriptors_[reply.tag & ~kDescriptorTag];
        std::memcpy(&descriptor.what, reply.data(), sizeof descriptor.what);
        descriptor.state = LineState::valid;
    } else {
        Line& line = lines_[reply.tag];
        std::memcpy(line.data, reply.data(), kLineBytes);
        line.state = LineState::valid;
    }
    blocked_ = false;
}

void TextureUnit::begin_kernel() {
    LOOKAHEAD_ASSERT(idle(), "{}: a kernel begins while texture fetches are under way", name_);
    for (Line& line : lines_) {
        line.state = LineState::empty;
        line.used = 0;
    }
    for (Descriptor& descriptor : descriptors_) {
        descriptor.state = LineState::empty;
        descriptor.used = 0;
    }
}

std::string TextureUnit::waiting_for() const {
    return fmt::format("{} texture fetches with {} accesses to serve", accepted_ - completed_, accesses_.size());
}

void TextureUnit::audit(Audit& audit) const {
    audit.balance(name_, "texture fetches", accepted_, completed_);
    for (const Line& line : lines_) {
        audit.leak(name_, "accesses that hold a line of the texture cache", line.readers);
        if (line.state == LineState::fetching) {
            audit.fault(name_, "a line of the texture cache awaits a fill that will not come");
        }
    }
    for (const Descriptor& descriptor : descriptors_) {
        if (descriptor.state == LineState::fetching) {
            audit.fault(name_, "a descriptor awaits a fill that will not come");
        }
    }
}

// ---- State ----------------------------------------------------------------------------------------------------------

/// Inactive lanes have values of an earlier instruction.
void TextureUnit::Entry::fields(StateArchive& archive, std::span<const isa::Instruction> code) {
    archive.pointer_into(code, instruction);
    archive& ready& accepted& due& active& destination_rows& open& context& addressed;
    std::uint64_t count = descriptors.size();
    archive& count;
    descriptors.resize(count);
    archive.plain(reinterpret_cast<std::byte*>(descriptors.data()), count * sizeof descriptors[0]);
    for (isa::LaneMask left = active; left != 0; left &= left - 1) {
        const int lane = std::countr_zero(left);
        archive& objects[lane];
        for (auto& row : coordinates) { archive& row[lane]; }
        archive& descriptor[lane] & samples[lane].address& samples[lane].texels& samples[lane].fraction& texels[lane];
    }
}

void TextureUnit::fields(StateArchive& archive, std::span<const isa::Instruction> code) {
    archive& counters_& lines_& descriptors_;
    std::uint64_t entries = entries_.size();
    archive& entries;
    entries_.resize(entries);
    archive& accepted_& addressed_& completed_& next_lane_& next_need_& blocked_& look_ups_;
    if (accepted_ - completed_ > entries_.size()) {
        throw std::length_error("there is no room for so many texture instructions");
    }
    for (std::uint64_t number = completed_; number != accepted_; ++number) { entry(number).fields(archive, code); }
    archive& needs_& accesses_;
    std::uint64_t requests = requests_.size();
    archive& requests;
    requests_.resize(requests);
    for (ReadRequest& request : requests_) { archive.plain(request); }
}

}  // namespace lookahead::gpu
