#include "components/sm/texture/texture_unit.h"

#include <algorithm>
#include <bit>
#include <boost/archive/binary_iarchive.hpp>
#include <boost/archive/binary_oarchive.hpp>
#include <boost/serialization/array.hpp>
#include <boost/serialization/binary_object.hpp>
#include <cstring>
#include <utility>

#include "components/isa/memory_access.h"
#include "components/sm/lsu/memory_fault.h"
#include "components/sm/register_file.h"
#include "core/error/error.h"
#include "core/lp/audit.h"
#include "core/param/parameter_registry.h"
#include "core/stats/state_hasher.h"
#include "core/stats/statistics_registry.h"

namespace lookahead::gpu {

LOOKAHEAD_REGISTER_PARAMETERS(TextureParameters, "texture", "The texture unit of an SM and its cache.")
LOOKAHEAD_REGISTER_STATISTICS(TextureCounters, "texture", "Texture unit of an SM")

namespace {

constexpr std::uint64_t line_of(std::uint64_t address) {
    return address & ~std::uint64_t{kLineBytes - 1};
}

}  // namespace

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
    to.destination_rows = instruction.destination_rows;
    to.open = 0;
    to.context = instruction.context;
    to.addressed = false;
    to.descriptors.clear();
    std::memcpy(to.objects, instruction.addresses, sizeof to.objects);
    std::memcpy(to.coordinates, instruction.data, sizeof to.coordinates);
    for (isa::LaneMask left = to.active; left != 0; left &= left - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(left));
        const std::uint64_t object = to.objects[lane];
        if (object % kLineBytes != 0 || !allocations_.contains(object, object + kLineBytes)) {
            fault(to, lane);
        }
    }
    ++accepted_;
    ++counters_.instructions;
}

void TextureUnit::fault(const Entry& entry, unsigned lane) const {
    throw MemoryFault(*entry.instruction, lane, entry.objects[lane],
                      "is no texture object, or the texture's memory is not allocated");
}

void TextureUnit::cycle(Cycle now) {
    now_ = now;
    complete(now);
    serve(now);
    if (addressed_ != accepted_ && !blocked_ && entry(addressed_).ready <= now) {
        address(now);
    }
}

Cycle TextureUnit::next_event(Cycle now) const {
    Cycle next = kNever;
    if (addressed_ != accepted_ && !blocked_) {
        next = std::max(now + 1, entry(addressed_).ready);
    }
    if (!accesses_.empty() && lines_[accesses_.front().slot].state == LineState::valid) {
        next = now + 1;
    }
    if (completed_ != accepted_ && entry(completed_).due != kNever) {
        next = std::min(next, std::max(now + 1, entry(completed_).due));
    }
    return next;
}

// ---- Addressing -----------------------------------------------------------------------------------------------------

/// One step: the next lanes are located when the needs of those before have been looked up; one need is looked up.
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

/// Up to the first lane whose descriptor is missing. False if that is the very first: nothing has changed then but that
/// it is on its way.
bool TextureUnit::locate_lanes(Entry& current) {
    // Lanes that do not take part cost nothing.
    const isa::LaneMask left = current.active & (~isa::LaneMask{0} << next_lane_);
    const auto first = static_cast<unsigned>(std::countr_zero(left));
    const unsigned end = std::min(first + static_cast<unsigned>(parameters_.lanes_per_cycle), isa::kWarpSize);
    needs_.clear();
    next_need_ = 0;
    for (unsigned lane = first; lane < end; ++lane) {
        if ((current.active >> lane & 1) == 0) {
            continue;
        }
        const isa::TextureDescriptor* const descriptor = descriptor_of(current, lane);
        if (descriptor == nullptr) {
            next_lane_ = lane;
            return lane != first;
        }
        const bool is_new = current.descriptors.empty() ||
                            std::memcmp(&current.descriptors.back(), descriptor, sizeof *descriptor) != 0;
        if (is_new) {
            current.descriptors.push_back(*descriptor);
        }
        current.descriptor[lane] = static_cast<std::uint8_t>(current.descriptors.size() - 1);
        std::uint32_t point[isa::kMaximumCoordinates];
        for (unsigned i = 0; i < isa::kMaximumCoordinates; ++i) {
            point[i] = current.coordinates[i][lane];
        }
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

/// The lane's descriptor, or null if it is on its way.
const isa::TextureDescriptor* TextureUnit::descriptor_of(const Entry& current, unsigned lane) {
    const std::uint64_t object = current.objects[lane];
    Descriptor* victim = nullptr;
    for (Descriptor& each : descriptors_) {
        if (each.state != LineState::empty && each.object == object) {
            if (each.state == LineState::fetching) {
                return nullptr;
            }
            if (!each.fields.is_valid() ||
                !allocations_.contains(each.fields.base, each.fields.base + each.fields.bytes())) {
                fault(current, lane);
            }
            each.used = ++look_ups_;
            return &each.fields;
        }
        if (each.state != LineState::fetching && (victim == nullptr || each.used < victim->used)) {
            victim = &each;
        }
    }
    if (victim == nullptr || requests_.size() == static_cast<std::size_t>(parameters_.miss_queue)) {
        return nullptr;
    }
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

/// False if there is no room for the access, its line or its request: nothing has changed then.
bool TextureUnit::look_up(const Need& need) {
    if (accesses_.size() == static_cast<std::size_t>(parameters_.accesses)) {
        return false;
    }
    Line* const set = &lines_[index_.of(need.line) * static_cast<std::size_t>(parameters_.ways)];
    Line* const end = set + parameters_.ways;
    Line* line = std::find_if(
        set, end, [&need](const Line& each) { return each.state != LineState::empty && each.address == need.line; });
    if (line != end) {
        ++(line->state == LineState::valid ? counters_.hits : counters_.merges);
    } else {
        line = nullptr;
        for (Line* each = set; each != end; ++each) {
            if (each->readers == 0 && (line == nullptr || each->used < line->used)) {
                line = each;
            }
        }
        if (line == nullptr || requests_.size() == static_cast<std::size_t>(parameters_.miss_queue)) {
            return false;
        }
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
    if (current.open == 0) {
        current.due = now + parameters_.filter_latency;
    }
    ++addressed_;
    next_lane_ = 0;
    needs_.clear();
    next_need_ = 0;
}

// ---- Texels, results ------------------------------------------------------------------------------------------------

void TextureUnit::serve(Cycle now) {
    if (accesses_.empty() || lines_[accesses_.front().slot].state != LineState::valid) {
        return;
    }
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
    if (--to.open == 0 && to.addressed) {
        to.due = now + parameters_.filter_latency;
    }
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
    std::uint32_t* rows[4];
    for (unsigned i = 0; i < 4; ++i) {
        rows[i] = registers_.row(done.destination_rows[i]);
    }
    for (isa::LaneMask left = done.active; left != 0; left &= left - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(left));
        std::uint32_t words[4];
        isa::filter(done.descriptors[done.descriptor[lane]], *done.instruction, done.samples[lane], done.texels[lane],
                    words);
        for (unsigned i = 0; i < 4; ++i) {
            rows[i][lane] = words[i];
        }
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
        std::memcpy(&descriptor.fields, reply.data(), sizeof descriptor.fields);
        descriptor.state = LineState::valid;
    } else {
        Line& line = lines_[reply.tag];
        std::memcpy(line.data, reply.data(), kLineBytes);
        line.state = LineState::valid;
    }
    blocked_ = false;
}

void TextureUnit::begin_kernel() {
    LOOKAHEAD_ASSERT(idle(), name_ + ": a kernel begins while texture fetches are under way");
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
    return std::to_string(accepted_ - completed_) + " texture fetches with " + std::to_string(accesses_.size()) +
           " accesses to serve";
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

void TextureUnit::hash_state(StateHasher& hasher) const {
    hash(hasher, counters_);
    hasher.add(accepted_);
    hasher.add(addressed_);
    hasher.add(completed_);
    hasher.add(look_ups_);
    hasher.add(std::uint64_t{next_lane_} << 32 | blocked_);
    hasher.add(next_need_);
    hasher.add_bytes(needs_.data(), needs_.size() * sizeof(Need));
    for (const Line& line : lines_) {
        if (line.state == LineState::empty) {
            continue;
        }
        hasher.add(line.address);
        hasher.add(line.used);
        hasher.add(std::uint64_t{line.readers} << 8 | static_cast<std::uint64_t>(line.state));
        if (line.state == LineState::valid) {
            hasher.add_bytes(line.data, sizeof line.data);
        }
    }
    for (const Descriptor& descriptor : descriptors_) {
        if (descriptor.state != LineState::empty) {
            hasher.add(descriptor.object);
            hasher.add(descriptor.used);
            hasher.add(static_cast<std::uint64_t>(descriptor.state));
        }
    }
    for (std::uint64_t number = completed_; number != accepted_; ++number) {
        const Entry& each = entry(number);
        hasher.add(static_cast<std::uint64_t>(each.due));
        hasher.add(static_cast<std::uint64_t>(each.accepted));
        hasher.add(each.active);
        hasher.add(packed_rows(each.destination_rows));
        hasher.add(std::uint64_t{each.open} << 32 | each.context);
        hasher.add_bytes(each.objects, sizeof each.objects);
        hasher.add_bytes(each.coordinates, sizeof each.coordinates);
    }
    for (const Access& access : accesses_) {
        hasher.add_bytes(&access, sizeof access);
    }
    for (const ReadRequest& request : requests_) {
        hasher.add_bytes(&request, sizeof request);
    }
}

void TextureUnit::visit_statistics(StatisticsVisitor& visitor) const {
    visit(visitor, name_, "texture", counters_);
}

namespace {

template <class Archive, class T>
void exchange_raw(Archive& archive, T& value) {
    archive& boost::serialization::make_binary_object(&value, sizeof value);
}

/// A container of trivially copyable elements.
template <class Archive, class Container>
void exchange_all(Archive& archive, Container& container) {
    std::size_t size = container.size();
    archive& size;
    container.resize(size);
    for (auto& each : container) {
        exchange_raw(archive, each);
    }
}

}  // namespace

template <class Archive>
void TextureUnit::exchange(Archive& archive, Entry& each) {
    archive& each.ready& each.accepted& each.due& each.active& each.destination_rows& each.open& each.context& each
        .addressed;
    exchange_all(archive, each.descriptors);
    exchange_raw(archive, each.objects);
    exchange_raw(archive, each.coordinates);
    exchange_raw(archive, each.descriptor);
    exchange_raw(archive, each.samples);
    exchange_raw(archive, each.texels);
}

template <class Archive>
void TextureUnit::exchange(Archive& archive) {
    serialize_counters(archive, counters_);
    exchange_all(archive, lines_);
    exchange_all(archive, descriptors_);
    std::size_t entries = entries_.size();
    archive& entries;
    entries_.resize(entries);
    archive& accepted_& addressed_& completed_& next_lane_& next_need_& blocked_& look_ups_;
    for (std::uint64_t number = completed_; number != accepted_; ++number) {
        exchange(archive, entry(number));
    }
    exchange_all(archive, needs_);
    exchange_all(archive, accesses_);
    exchange_all(archive, requests_);
}

void TextureUnit::save(boost::archive::binary_oarchive& archive, const isa::Instruction* code) const {
    auto& self = const_cast<TextureUnit&>(*this);
    self.exchange(archive);
    for (std::uint64_t number = completed_; number != accepted_; ++number) {
        const std::int64_t place = entry(number).instruction - code;
        archive << place;
    }
}

void TextureUnit::load(boost::archive::binary_iarchive& archive, const isa::Instruction* code) {
    exchange(archive);
    for (std::uint64_t number = completed_; number != accepted_; ++number) {
        std::int64_t place = 0;
        archive >> place;
        entry(number).instruction = code + place;
    }
}

}  // namespace lookahead::gpu
