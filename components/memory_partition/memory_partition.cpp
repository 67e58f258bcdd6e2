#include "components/memory_partition/memory_partition.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "components/protocols/byte_mask.h"
#include "components/protocols/host_memory.h"
#include "components/protocols/launch.h"
#include "core/error/error.h"
#include "core/lp/audit.h"
#include "core/param/configuration.h"

namespace lookahead::gpu {
namespace {

// A read's tag in the DRAM: slice, sectors, miss register.
constexpr std::uint32_t kMshrBits = 16;
constexpr std::uint32_t kSliceShift = kMshrBits + kSectors;

/// The number of bursts for each mask of sectors, if each piece of `piece_bytes` takes its own.
std::array<std::uint8_t, kAllSectors + 1> bursts_of_sectors(unsigned burst_bytes, unsigned piece_bytes) {
    std::array<std::uint8_t, kAllSectors + 1> bursts{};
    const unsigned step = std::min({burst_bytes, piece_bytes, kLineBytes});
    for (unsigned sectors = 1; sectors <= kAllSectors; ++sectors) {
        const ByteMask bytes = bytes_of(static_cast<SectorMask>(sectors));
        for (unsigned first = 0; first < kLineBytes; first += step) {
            bursts[sectors] += (bytes & byte_range(first, step)).any() ? 1 : 0;
        }
    }
    return bursts;
}

std::unique_ptr<DramScheduler> make_scheduler(const MemoryPartitionArguments& arguments, const AddressMapping& mapping,
                                              const Configuration& configuration) {
    const DramSchedulerShape shape{.entries = static_cast<unsigned>(arguments.dram.queue_entries),
                                   .banks = mapping.banks() / static_cast<unsigned>(arguments.dram.pseudo_channels)};
    return make_variant<DramScheduler>(arguments.dram_scheduler, configuration, shape);
}

void check(const MemoryPartitionArguments& arguments, const AddressMapping& mapping) {
    const auto require = [](const char* key, std::int64_t bytes, bool may_be_64) {
        if (bytes != 32 && bytes != 128 && !(may_be_64 && bytes == 64)) {
            throw ConfigurationError("{} is {}; it must be 32{} or 128", key, bytes, may_be_64 ? ", 64" : "");
        }
    };
    require("dram.read_bytes", arguments.dram.read_bytes, true);
    if (mapping.burst_bytes() != arguments.dram.burst_bytes()) {
        throw ConfigurationError(
            "address_mapping.expression gives a burst {} bytes (its letters S), but the DRAM's chips, chip_bytes and "
            "burst_length give {}",
            mapping.burst_bytes(), arguments.dram.burst_bytes());
    }
    require("l2.port_bytes", arguments.l2.port_bytes, true);
    if (arguments.l2.fetch_on_write && arguments.l2.sector_bytes != kLineBytes) {
        throw ConfigurationError("l2.fetch_on_write fetches whole lines: it needs l2.sector_bytes = 128, not {}",
                                 arguments.l2.sector_bytes);
    }
    if (arguments.l2.fetch_on_write && arguments.l2.miss_queue < 3) {
        throw ConfigurationError(
            "l2.miss_queue is {}; with l2.fetch_on_write a write takes up to 3 places: its own, its line's and that of "
            "the evicted line",
            arguments.l2.miss_queue);
    }
    require("dram.entry_bytes", arguments.dram.entry_bytes, false);
    if (arguments.dram.entry_bytes == kSectorBytes && arguments.l2.sector_bytes != kSectorBytes) {
        throw ConfigurationError(
            "dram.entry_bytes = 32 needs an L2 that takes the sectors of a line as they arrive; set l2.sector_bytes = "
            "32");
    }
    require("l2.sector_bytes", arguments.l2.sector_bytes, false);
    const auto pseudo_channels = static_cast<std::uint64_t>(arguments.dram.pseudo_channels);
    if (!std::has_single_bit(pseudo_channels) || pseudo_channels > mapping.slices_per_channel()) {
        throw ConfigurationError(
            "dram.pseudo_channels is {} for {} L2 slices per channel; give a power of two up to the number of slices",
            pseudo_channels, mapping.slices_per_channel());
    }
    if (arguments.requesters == 0 || arguments.requesters > kMaximumRequesters) {
        throw ConfigurationError("a memory partition serves 1 to {} requesters, not {}", kMaximumRequesters,
                                 arguments.requesters);
    }
}

}  // namespace

MemoryPartition::MemoryPartition(const MemoryPartitionArguments& arguments, const Configuration& configuration)
    : arguments_(arguments),
      mapping_(arguments.mapping),
      clock_(arguments.frequency),
      dram_clock_(arguments.dram.frequency),
      bursts_to_read_(bursts_of_sectors(mapping_.burst_bytes(), static_cast<unsigned>(arguments.dram.read_bytes))),
      bursts_to_write_(bursts_of_sectors(mapping_.burst_bytes(), kLineBytes)),
      one_sector_an_entry_(arguments.dram.entry_bytes == kSectorBytes),
      pseudo_bits_(
          static_cast<unsigned>(std::countr_zero(static_cast<std::uint64_t>(arguments.dram.pseudo_channels)))) {
    check(arguments, mapping_);
    for (std::int64_t i = 0; i < arguments.dram.pseudo_channels; ++i) {
        drams_.push_back(std::make_unique<DramChannel>(arguments.dram, mapping_.banks() >> pseudo_bits_,
                                                       make_scheduler(arguments, mapping_, configuration)));
    }
    for (unsigned i = 0; i < mapping_.slices_per_channel(); ++i) {
        slices_.push_back(std::make_unique<L2Slice>(
            arguments_.l2, L2Slice::Environment{.crossbar = arguments_.crossbar,
                                                .mapping = mapping_,
                                                .clock = clock_,
                                                .image = image_,
                                                .replies = add_out_port(fmt::format("slice{}", i)),
                                                .requesters = arguments_.requesters,
                                                .channel = arguments_.channel}));
    }
    host_ = &add_out_port("host");
}

void MemoryPartition::advance(Inbox inbox, Time horizon) {
    auto message = inbox.begin();
    while (true) {
        const Time arrival = message == inbox.end() ? kTimeInfinity : (*message)->time;
        if (std::min({arrival, dram_time_, time_}) >= horizon) { return; }
        if (arrival <= dram_time_ && arrival <= time_) {
            receive(**message);
            ++message;
        } else if (dram_time_ <= time_) {
            run_dram(dram_cycle_);
        } else {
            run_slices(cycle_);
        }
    }
}

[[gnu::hot]] void MemoryPartition::receive(const MessageHeader& message) {
    const Cycle now = clock_.cycle_at_or_after(message.time);
    if (message.in_port == kPartitionHostPort) {
        receive_from_host(message, now);
        return;
    }
    if (message.in_port == kPartitionDispatcherPort) {
        phases_.end_phase(message.as<KernelMark>().launch,
                          [this](StatisticsVisitor& visitor) { visit_statistics(visitor); });
        return;
    }
    L2Slice& slice = *slices_[message.in_port >> kPartitionRequesterBits];
    slice.receive(message, message.in_port & (kMaximumRequesters - 1), now);
    if (slice.next_cycle() < cycle_) { find_next_l2_cycle(); }
}

[[gnu::hot]] void MemoryPartition::run_slices(Cycle now) {
    bool wants_dram = false;
    for (unsigned i = 0; i < slices_.size(); ++i) {
        L2Slice& slice = *slices_[i];
        if (slice.next_cycle() <= now && slice.cycle(now)) {
            dram_of(i).release_return(dram_clock_.cycle_at_or_after(time_ + 1));
        }
        wants_dram |= slice.wants_dram();
    }
    if (wants_dram && any_dram_accepts()) {
        // The DRAM sees this event in its first cycle after now, because its cycle at this time has passed.
        feed_dram(dram_clock_.cycle_at_or_after(time_ + 1), now + 1);
    }
    find_next_dram_cycle();
    find_next_l2_cycle();
}

bool MemoryPartition::any_dram_accepts() const {
    return std::any_of(drams_.begin(), drams_.end(), [](const auto& dram) { return dram->can_accept(); });
}

[[gnu::hot]] void MemoryPartition::run_dram(Cycle now) {
    bool slices_changed = false;
    for (const auto& dram : drams_) {
        if (dram->next_event() <= now) { slices_changed |= step_dram(*dram, now); }
    }
    if (any_dram_accepts()) {
        const bool wanted = std::any_of(slices_.begin(), slices_.end(), [](const auto& s) { return s->wants_dram(); });
        if (wanted) {
            feed_dram(now + 1, clock_.cycle_at_or_after(dram_time_));
            slices_changed = true;
        }
    }
    find_next_dram_cycle();
    if (slices_changed) { find_next_l2_cycle(); }
}

/// Returns whether a slice got a fill.
[[gnu::hot]] bool MemoryPartition::step_dram(DramChannel& dram, Cycle now) {
    const DramChannel::Step step = dram.step(now);
    if (step.read_done) {
        const Cycle ready = clock_.cycle_at_or_after(dram_clock_.edge(step.data_end)) + arguments_.dram.fixed_latency;
        L2Slice& slice = *slices_[step.tag >> kSliceShift];
        const auto mshr = static_cast<std::uint16_t>(step.tag);
        const auto sectors = static_cast<SectorMask>(step.tag >> kMshrBits & kAllSectors);
        slice.receive_fill(mshr, sectors, ready);
        if (slice.samples().any_open()) [[unlikely]] {
            slice.samples().fetched(mshr, sectors, dram_clock_.edge(step.arrival), dram_clock_.edge(step.taken),
                                    clock_.edge(ready));
        }
    }
    return step.read_done;
}

[[gnu::hot]] void MemoryPartition::feed_dram(Cycle dram_now, Cycle l2_now) {
    const auto count = static_cast<unsigned>(slices_.size());
    for (unsigned without = 0; without < count;) {
        L2Slice& slice = *slices_[next_slice_];
        DramChannel& dram = dram_of(next_slice_);
        if (slice.wants_dram() && dram.can_accept()) {
            L2Slice::DramAccess access = slice.dram_access();
            const SectorMask all = access.sectors;
            if (one_sector_an_entry_ && !access.write) {
                access.sectors = static_cast<SectorMask>(all & -unsigned{all});
            }
            const DramAddress place = mapping_.decode(access.local);
            const std::uint32_t tag =
                next_slice_ << kSliceShift | std::uint32_t{access.sectors} << kMshrBits | access.mshr;
            dram.accept(place.row, place.bank >> pseudo_bits_, access.write, tag,
                        (access.write ? bursts_to_write_ : bursts_to_read_)[access.sectors], dram_now);
            if (access.sectors == all) {
                slice.pop_dram_access(l2_now);
            } else {
                slice.pop_dram_sector();
            }
            without = 0;
        } else {
            ++without;
        }
        next_slice_ = next_slice_ + 1 == count ? 0 : next_slice_ + 1;
    }
}

[[gnu::hot]] void MemoryPartition::find_next_l2_cycle() {
    Cycle next = kCycleInfinity;
    for (const auto& slice : slices_) { next = std::min(next, slice->next_cycle()); }
    if (next != cycle_) {
        cycle_ = next;
        time_ = next == kCycleInfinity ? kTimeInfinity : clock_.edge(next);
    }
}

[[gnu::hot]] void MemoryPartition::find_next_dram_cycle() {
    Cycle next = kCycleInfinity;
    for (const auto& dram : drams_) { next = std::min(next, dram->next_event()); }
    if (next != dram_cycle_) {
        dram_cycle_ = next;
        dram_time_ = next == kCycleInfinity ? kTimeInfinity : dram_clock_.edge(next);
    }
}

/// Calls f(slice, local address, bytes, bytes before) for each slice's part of the host's bytes.
void MemoryPartition::for_each_slice(std::uint64_t local, std::uint32_t bytes, auto f) {
    const unsigned run = mapping_.interleave_bytes();
    for (std::uint32_t done = 0; done < bytes;) {
        const std::uint64_t at = local + done;
        const std::uint32_t length = std::min(bytes - done, run - static_cast<std::uint32_t>(at % run));
        f(*slices_[mapping_.slice_in_channel(at)], at, length, done);
        done += length;
    }
}

void MemoryPartition::receive_from_host(const MessageHeader& message, Cycle now) {
    const auto local_of = [this](std::uint64_t address) {
        LOOKAHEAD_ASSERT(mapping_.channel(address) == arguments_.channel, "{}: a host copy's bytes belong elsewhere",
                         name());
        return mapping_.local_address(address);
    };
    const auto acknowledge = [this, now](std::uint64_t address) {
        const HostAcknowledge answer{.address = address};
        std::memcpy(answer_host(HostAcknowledge::kType, sizeof answer, now), &answer, sizeof answer);
    };
    if (message.type == HostWrite::kType) {
        const auto& write = message.as<HostWrite>();
        const auto* bytes = reinterpret_cast<const std::byte*>(&write + 1);
        for_each_slice(local_of(write.address), write.bytes,
                       [&](L2Slice& slice, std::uint64_t local, std::uint32_t length, std::uint32_t before) {
                           slice.contents().host_write(local, bytes + before, length, write.fill_l2 != 0);
                       });
        if (write.asks != 0) { acknowledge(write.address); }
    } else if (message.type == HostFill::kType) {
        const auto& fill = message.as<HostFill>();
        for_each_slice(local_of(fill.address), fill.bytes,
                       [&](L2Slice& slice, std::uint64_t local, std::uint32_t length, std::uint32_t) {
                           slice.contents().host_fill(local, std::byte{fill.value}, length, fill.fill_l2 != 0);
                       });
        if (fill.asks != 0) { acknowledge(fill.address); }
    } else {
        const auto& read = message.as<HostRead>();
        const std::uint64_t begin = local_of(read.address);
        for_each_host_piece(begin, read.bytes, [&](std::uint64_t done, std::uint32_t piece) {
            const HostReadReply answer{.address = mapping_.address(arguments_.channel, begin + done),
                                       .bytes = piece,
                                       .is_last = done + piece == read.bytes};
            std::byte* place = answer_host(HostReadReply::kType, sizeof answer + piece, now);
            std::memcpy(place, &answer, sizeof answer);
            for_each_slice(begin + done, piece,
                           [&](L2Slice& slice, std::uint64_t local, std::uint32_t length, std::uint32_t before) {
                               slice.contents().host_read(local, place + sizeof answer + before, length);
                           });
        });
    }
}

std::byte* MemoryPartition::answer_host(MessageType type, std::size_t payload_bytes, Cycle now) {
    return host_->reserve(0, clock_.edge(now), clock_.edge(now + arguments_.l2.host_latency), type, payload_bytes);
}

bool MemoryPartition::finished() const {
    return std::all_of(drams_.begin(), drams_.end(), [](const auto& dram) { return dram->idle(); }) &&
           std::all_of(slices_.begin(), slices_.end(), [](const auto& s) { return s->idle(); });
}

std::string MemoryPartition::waiting_for() const {
    for (unsigned i = 0; i < slices_.size(); ++i) {
        if (!slices_[i]->idle()) { return fmt::format("slice {}: {}", i, slices_[i]->waiting_for()); }
    }
    return finished() ? "nothing" : "writes to DRAM";
}

void MemoryPartition::audit(Audit& audit) const {
    std::uint64_t reads = 0;
    std::uint64_t writes = 0;
    for (unsigned i = 0; i < slices_.size(); ++i) {
        const L2Slice& slice = *slices_[i];
        const auto number = static_cast<std::uint32_t>(arguments_.channel * slices_.size() + i);
        slice.audit(audit, fmt::format("{}.slice{}", name(), i), number);
        reads += slice.dram_reads();
        writes += slice.dram_writes();
    }
    DramCounters dram;
    bool idle = true;
    for (const auto& each : drams_) {
        accumulate(dram, each->counters());
        idle &= each->idle();
    }
    audit.balance(fmt::format("{}.dram", name()), "reads", reads, dram.reads);
    audit.balance(fmt::format("{}.dram", name()), "writes", writes, dram.writes);
    if (!idle) { audit.fault(fmt::format("{}.dram", name()), "requests wait"); }
}

void MemoryPartition::visit_statistics(StatisticsVisitor& visitor) const {
    for (unsigned i = 0; i < slices_.size(); ++i) {
        slices_[i]->visit_statistics(visitor, fmt::format("{}.slice{}", name(), i));
    }
    for (std::size_t i = 0; i < drams_.size(); ++i) {
        const std::string number = drams_.size() == 1 ? "" : std::to_string(i);
        visit(visitor, fmt::format("{}.dram{}", name(), number), "dram", drams_[i]->counters());
    }
}

void MemoryPartition::fields(StateArchive& archive) {
    for (const auto& slice : slices_) { slice->fields(archive); }
    for (const auto& dram : drams_) { dram->fields(archive); }
    archive& image_& phases_& next_slice_& cycle_& time_& dram_cycle_& dram_time_;
}

}  // namespace lookahead::gpu
