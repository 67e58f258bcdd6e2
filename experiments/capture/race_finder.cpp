#include "experiments/capture/race_finder.h"

#include <fmt/core.h>

#include <algorithm>

#include "components/isa/address_space.h"
#include "components/isa/instruction.h"
#include "core/text/readable_name.h"

namespace lookahead {

namespace {

constexpr std::uint32_t kWarpSize = 32;
/// Bytes accessed singly are separate places.
constexpr std::uint64_t kByteFlag = std::uint64_t{1} << 63;

/// Whether results depend on the order: floating-point sums round after each term, and an atomic returns the value that
/// it finds.
bool hangs_on_order(const isa::Instruction& instruction) {
    return isa::is_floating(instruction.type) ||
           (instruction.operation == isa::Operation::atomic && instruction.destination_rows != 0);
}

/// Whether the register differs between machines whatever the program does: the time, or the warp's location.
bool tells_of_the_machine(isa::SpecialRegister special) {
    using enum isa::SpecialRegister;
    return special == clock || special == clock64 || special == globaltimer || special == smid;
}

bool is_shared(std::uint64_t address) {
    return address - isa::kSharedWindowBase < isa::kSharedWindowBytes;
}

}  // namespace

void RaceFinder::begin_launch(std::uint64_t number) {
    launch_ = number;
    places_.clear();
}

void RaceFinder::look_at_code(const isa::Kernel& kernel) {
    if (looked_at_ == launch_) { return; }
    looked_at_ = launch_;
    if (!machine_.empty()) { return; }
    const auto found = std::ranges::find_if(
        kernel.code, [](const isa::Instruction& instruction) { return tells_of_the_machine(instruction.special); });
    if (found == kernel.code.end()) { return; }
    machine_ = fmt::format("kernel {} (launch {}) reads the {} in {}:{}", short_name(kernel.name), launch_,
                           found->special == isa::SpecialRegister::smid ? "number of its SM" : "clock",
                           kernel.source_file, found->line);
}

std::string RaceFinder::describe(const ExecutionPlace& place, const Actor& actor) const {
    return fmt::format("thread {} of CTA {} in {}:{}", actor.thread, actor.cta, place.kernel.source_file, actor.line);
}

void RaceFinder::compare(const ExecutionPlace& place, const Actor& earlier, const Actor& later, const char* how,
                         std::uint64_t address) {
    if (earlier.cta == later.cta) {
        const bool same_warp = earlier.thread / kWarpSize == later.thread / kWarpSize;
        if (same_warp || earlier.barriers != later.barriers) { return; }
    }
    const bool atomics = earlier.atomic && later.atomic;
    if (atomics && !later.in_free_order) { return; }
    const bool at_watch = !is_shared(address) && address / 4 == watched_ / 4;
    std::string& sentence = atomics ? (at_watch ? order_at_watch_ : order_) : (at_watch ? race_at_watch_ : race_);
    if (!sentence.empty()) { return; }
    if (atomics) { how = "atomics"; }
    sentence = fmt::format("kernel {} (launch {}): {} at {:#x} by {} and {}", short_name(place.kernel.name), launch_,
                           how, address, describe(place, earlier), describe(place, later));
}

void RaceFinder::touch(const ExecutionPlace& place, const Actor& actor, Kind kind, std::uint64_t key,
                       std::uint64_t address) {
    if (places_.size() >= kMostPlaces && !places_.contains(key)) {
        incomplete_ = true;
        return;
    }
    Place& found = places_[key];
    // A CTA's shared memory is its own, and CTAs run one after another.
    if (is_shared(address) && found.writer && found.writer->cta != actor.cta) { found.writer.reset(); }
    if (is_shared(address) && found.reader && found.reader->cta != actor.cta) { found.reader.reset(); }
    if (found.writer) {
        compare(place, *found.writer, actor, kind == Kind::read ? "a write and then a read" : "two writes", address);
    }
    if (kind == Kind::read) {
        found.reader = actor;
        return;
    }
    if (found.reader) { compare(place, *found.reader, actor, "a read and then a write", address); }
    found.writer = actor;
}

void RaceFinder::access(const ExecutionPlace& place, unsigned lane, Kind kind, std::uint64_t address, unsigned bytes) {
    look_at_code(place.kernel);
    const isa::Dim3& cta = place.ctaid;
    Actor actor;
    actor.launch = launch_;
    actor.cta = cta.x + (std::uint64_t{cta.y} << 20) + (std::uint64_t{cta.z} << 40);
    actor.thread = place.first_thread + lane;
    actor.barriers = place.barriers;
    actor.line = place.kernel.code[place.pc].line;
    actor.atomic = kind == Kind::atomic;
    actor.in_free_order = actor.atomic && hangs_on_order(place.kernel.code[place.pc]);
    if (bytes < 4) {
        touch(place, actor, kind, address | kByteFlag, address);
    } else {
        for (unsigned offset = 0; offset < bytes; offset += 4) {
            touch(place, actor, kind, address + offset, address + offset);
        }
    }
    if (kind == Kind::read || watched_ - address >= bytes) { return; }
    writer_ = fmt::format("it was last written by kernel {} (launch {}), CTA ({}, {}, {}), thread {}, {}:{}",
                          short_name(place.kernel.name), launch_, cta.x, cta.y, cta.z, actor.thread,
                          place.kernel.source_file, actor.line);
}

void RaceFinder::host_write(std::uint64_t address, std::uint64_t bytes, std::uint64_t call) {
    if (watched_ - address < bytes) { writer_ = fmt::format("it was last written by the host, in call {}", call); }
}

std::string RaceFinder::explain() const {
    const std::string rest = incomplete_ ? " (the accesses to a part of memory were not checked)" : "";
    if (!race_at_watch_.empty()) { return fmt::format("a race explains it: {}; {}", race_at_watch_, writer_); }
    if (!order_at_watch_.empty()) {
        return fmt::format("the order of atomics, which is free, explains it: {}; {}", order_at_watch_, writer_);
    }
    std::string causes;
    if (!race_.empty()) { causes += fmt::format("a race may explain it: {}; ", race_); }
    if (!order_.empty()) { causes += fmt::format("the order of atomics, which is free, may explain it: {}; ", order_); }
    if (!machine_.empty()) { causes += fmt::format("it may depend on the machine: {}; ", machine_); }
    return (causes.empty() ? "no race was found; " : causes) + writer_ + rest;
}

}  // namespace lookahead
