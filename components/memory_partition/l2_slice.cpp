#include "components/memory_partition/l2_slice.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "components/protocols/byte_mask.h"
#include "core/lp/audit.h"
#include "core/param/parameter_registry.h"
#include "core/stats/statistics_registry.h"

namespace lookahead::gpu {
namespace {

std::uint64_t line_of(const MessageHeader& request) {
    static_assert(offsetof(ReadRequest, line) == 0 && offsetof(WriteRequest, line) == 0 &&
                  offsetof(AtomicRequest, line) == 0);
    std::uint64_t line;
    std::memcpy(&line, request.payload(), sizeof line);
    return line;
}

/// The bytes that must be valid before the request can be performed.
[[gnu::hot]] ByteMask needed_bytes(const MessageHeader& request) {
    if (request.type == ReadRequest::kType) { return bytes_of(request.as<ReadRequest>().sectors); }
    ByteMask mask;
    if (request.type == AtomicRequest::kType) {
        const auto& atomic = request.as<AtomicRequest>();
        for (unsigned i = 0; i < atomic.lanes; ++i) {
            mask = mask | byte_range(lanes_of(atomic)[i].offset, isa::type_bytes(atomic.type));
        }
    }
    return mask;
}

/// A request moves a sector, half a line, or a line (CUDA C Programming Guide, compute capability 1.2 to 2.x).
SectorMask sectors_moved(SectorMask sectors) {
    constexpr unsigned kLower = 0b0011;
    constexpr unsigned kUpper = 0b1100;
    if (std::popcount(sectors) <= 1) { return sectors; }
    return (sectors & kUpper) == 0 ? kLower : (sectors & kLower) == 0 ? kUpper : kAllSectors;
}

std::uint64_t hits_of(const L2Counters& counters) {
    return counters.read_hits + counters.write_hits + counters.atomic_hits;
}

bool is_write(const MessageHeader& request) {
    return request.type == WriteRequest::kType;
}

/// The sectors with a byte that the request needs and the line does not have.
SectorMask missing_sectors(const L2Cache& cache, std::uint32_t line, const MessageHeader& request) {
    return sectors_of(needed_bytes(request) & ~cache.valid(line));
}

void count(L2Counters& counters, const MessageHeader& request, bool hit) {
    const std::uint64_t one = hit ? 1 : 0;
    if (request.type == ReadRequest::kType) {
        ++counters.reads;
        counters.read_hits += one;
    } else if (request.type == WriteRequest::kType) {
        ++counters.writes;
        counters.write_hits += one;
    } else {
        ++counters.atomics;
        counters.atomic_hits += one;
    }
}

}  // namespace

L2Slice::L2Slice(const L2Parameters& parameters, const Environment& environment)
    : port_bytes_(static_cast<unsigned>(parameters.port_bytes)),
      sectored_(parameters.sector_bytes == kSectorBytes),
      fetch_on_write_(parameters.fetch_on_write),
      mapping_(environment.mapping),
      clock_(environment.clock),
      contents_(static_cast<unsigned>(parameters.sets), static_cast<unsigned>(parameters.ways), environment.mapping,
                environment.image, counters_),
      operations_(parameters,
                  {.crossbar = environment.crossbar,
                   .clock = environment.clock,
                   .replies = environment.replies,
                   .requesters = environment.requesters,
                   .channel = environment.channel},
                  contents_, counters_),
      cache_(contents_.lines()),
      input_(parameters, environment.crossbar, environment.clock, environment.replies, environment.requesters),
      mshrs_(static_cast<unsigned>(parameters.mshrs), static_cast<unsigned>(parameters.merges)),
      queue_(static_cast<std::size_t>(parameters.miss_queue)),
      fills_(static_cast<std::size_t>(parameters.mshrs) * (sectored_ ? kSectors : 1)) {
    if (environment.crossbar.row_grants > 0) {
        input_.port().hold_grants(*this, static_cast<unsigned>(environment.crossbar.row_grants));
    }
}

std::uint64_t L2Slice::row_of(const MessageHeader& request) const {
    const DramAddress place = mapping_.decode(mapping_.local_address(line_of(request)));
    return place.row * mapping_.banks() + place.bank;
}

[[gnu::hot]] void L2Slice::receive(const MessageHeader& message, unsigned source, Cycle now) {
    if (message.type == Credit::kType) {
        operations_.replies().receive_credit(source, message.as<Credit>().flits, now);
        if (draining_ != L2Cache::kNoMshr || stall_.cause == L2Stall::reply_port) { wake(now); }
        return;
    }
    input_.port().receive(message, source, now);
    if (input_.delays()) { next_cycle_ = std::min(next_cycle_, input_.port().next_event(now - 1)); }
    if (draining_ == L2Cache::kNoMshr && stall_.cause == L2Stall::none) { wake(input_.next_front(now - 1)); }
}

void L2Slice::receive_fill(std::uint16_t mshr, SectorMask sectors, Cycle ready) {
    fills_.push() = {.mshr = mshr, .sectors = sectors, .ready = ready};
    if (draining_ == L2Cache::kNoMshr) { wake(ready); }
}

void L2Slice::pop_dram_access(Cycle now) {
    queue_.pop();
    if (draining_ == L2Cache::kNoMshr && stall_.cause == L2Stall::miss_queue) { wake(now); }
}

void L2Slice::pop_dram_sector() {
    DramAccess& access = queue_.front();
    access.sectors = static_cast<SectorMask>(access.sectors & (access.sectors - 1));
    ++dram_reads_;
}

[[gnu::hot]] bool L2Slice::cycle(Cycle now) {
    bool took_fill = false;
    bool freed = false;
    input_.enter(now);
    if (now < busy_until_) {  // the cycle only takes a request from the port
        next_cycle_ = plan(now, true);
        return false;
    }
    if (draining_ == L2Cache::kNoMshr && !fills_.empty() && fills_.front().ready <= now) {
        begin_fill();
        took_fill = true;
    }
    if (draining_ != L2Cache::kNoMshr) {
        freed = drain_fill(now);
    } else {
        serve_port(now);
    }
    next_cycle_ = plan(now, freed);
    return took_fill;
}

/// The next cycle with work, after cycle `now`. `freed`: a register was freed, so a waiting request may find room.
[[gnu::hot]] Cycle L2Slice::plan(Cycle now, bool freed) const {
    const Cycle enters = input_.next_entry(now);
    if (draining_ != L2Cache::kNoMshr) {
        return std::min(enters, std::max(busy_until_, operations_.replies().next_acceptance(now)));
    }
    Cycle next = !fills_.empty() ? std::max(fills_.front().ready, now + 1) : kCycleInfinity;
    if (stall_.cause == L2Stall::none || freed) {
        next = std::min(next, input_.next_front(now));
    } else if (stall_.cause == L2Stall::reply_port) {
        next = std::min(next, operations_.replies().next_acceptance(now));
    }
    return std::min(enters, std::max(next, busy_until_));
}

[[gnu::hot]] void L2Slice::serve_port(Cycle now) {
    const MessageHeader* request = input_.front(now);
    if (request == nullptr) { return; }
    const unsigned source = SliceInput::source_of(*request);
    const std::uint64_t written = counters_.written_sectors;
    const bool narrow = port_bytes_ < kLineBytes;
    const std::uint64_t hits = narrow ? hits_of(counters_) : 0;
    const L2Stall stall = access(*request, source, now);
    stall_.note(stall, now, counters_);
    if (stall == L2Stall::none) {
        if (narrow) { hold_port(*request, hits_of(counters_) > hits, written, now); }
        input_.pop(now);
    }
}

/// Takes the port for one cycle per piece of the request's data and of the line that it wrote back. Whole lines that
/// miss move no data yet.
void L2Slice::hold_port(const MessageHeader& request, bool hits, std::uint64_t written_before, Cycle now) {
    SectorMask sectors = kAllSectors;
    if (request.type == ReadRequest::kType) {
        sectors = request.as<ReadRequest>().sectors;
    } else if (request.type == WriteRequest::kType) {
        sectors = sectors_of(request.as<WriteRequest>().mask);
    } else {
        sectors = sectors_of(needed_bytes(request));
    }
    const auto pieces = [&](std::uint64_t count) { return (count * kSectorBytes + port_bytes_ - 1) / port_bytes_; };
    const unsigned moved = sectored_ || hits ? static_cast<unsigned>(std::popcount(sectors_moved(sectors))) : 0;
    const std::uint64_t cycles = pieces(moved) + pieces(counters_.written_sectors - written_before);
    busy_until_ = std::max(busy_until_, now + static_cast<Cycle>(cycles));
}

[[gnu::hot]] L2Stall L2Slice::access(const MessageHeader& request, unsigned source, Cycle now) {
    const std::uint64_t local = mapping_.local_address(line_of(request));
    const unsigned set = cache_.set_of(mapping_.address_in_slice(local));
    const std::uint32_t line = cache_.find(set, local);
    if (line != L2Cache::kNoLine && cache_.pending(line)) { return merge(line, request, source, now); }
    if (line != L2Cache::kNoLine && covers(cache_.valid(line), needed_bytes(request))) {
        if (!operations_.replies().can_accept(now)) { return L2Stall::reply_port; }
        count(counters_, request, true);
        sample(request, source, RequestSamples::Served::hit, now);
        cache_.touch(line);
        perform(line, request, source, now);
        return L2Stall::none;
    }
    if (is_write(request) && !fetch_on_write_) { return allocate_and_write(set, local, request, source, now); }
    return fetch(line, set, local, request, source, now);
}

L2Stall L2Slice::merge(std::uint32_t line, const MessageHeader& request, unsigned source, Cycle now) {
    const std::uint16_t mshr = cache_.mshr(line);
    if (!mshrs_.can_merge(mshr)) { return L2Stall::merges; }
    if (sectored_) {
        const auto more = static_cast<SectorMask>(missing_sectors(cache_, line, request) & ~mshrs_.fetching(mshr));
        if (more != 0 && queue_room() < 1) { return L2Stall::miss_queue; }
        if (more != 0) { fetch_sectors(mshr, cache_.local_address(line), more); }
    }
    if (fetch_on_write_ && is_write(request)) {
        if (queue_room() < 1) { return L2Stall::miss_queue; }
        pass_on(request, cache_.local_address(line));
    }
    count(counters_, request, false);
    ++counters_.merges;
    sample(request, source, RequestSamples::Served::merge, now);
    mshrs_.append(mshr, request, source);
    return L2Stall::none;
}

/// Fetches the line (`line` is kNoLine), or the missing bytes of a partly held line.
L2Stall L2Slice::fetch(std::uint32_t line, unsigned set, std::uint64_t local, const MessageHeader& request,
                       unsigned source, Cycle now) {
    if (mshrs_.full()) { return L2Stall::mshrs; }
    const bool partial = line != L2Cache::kNoLine;
    if (!partial) {
        line = cache_.victim(set);
        if (line == L2Cache::kNoLine) { return L2Stall::set; }
    }
    const bool writes_back = !partial && cache_.dirty(line).any();
    if (queue_room() < 1u + (writes_back ? 1 : 0) + ((fetch_on_write_ && is_write(request)) ? 1 : 0)) {
        return L2Stall::miss_queue;
    }
    if (fetch_on_write_ && is_write(request)) { pass_on(request, local); }
    if (partial) {
        ++counters_.partial_fetches;
    } else {
        replace(line, local);
    }
    count(counters_, request, false);
    const std::uint16_t mshr = mshrs_.allocate(line);
    fetch_sectors(mshr, local, sectored_ ? missing_sectors(cache_, line, request) : kAllSectors);
    sample(request, source, RequestSamples::Served::dram, now, mshr);
    cache_.await_fill(line, mshr);
    mshrs_.append(mshr, request, source);
    return L2Stall::none;
}

void L2Slice::fetch_sectors(std::uint16_t mshr, std::uint64_t local, SectorMask sectors) {
    ++counters_.fetches;
    counters_.fetched_sectors += static_cast<unsigned>(std::popcount(sectors));
    mshrs_.fetch(mshr, sectors);
    enqueue({.local = local, .mshr = mshr, .sectors = sectors, .write = false});
}

L2Stall L2Slice::allocate_and_write(unsigned set, std::uint64_t local, const MessageHeader& request, unsigned source,
                                    Cycle now) {
    const std::uint32_t line = cache_.victim(set);
    if (line == L2Cache::kNoLine) { return L2Stall::set; }
    if (cache_.dirty(line).any() && queue_room() < 1) { return L2Stall::miss_queue; }
    if (!operations_.replies().can_accept(now)) { return L2Stall::reply_port; }
    count(counters_, request, false);
    replace(line, local);
    perform(line, request, source, now);
    return L2Stall::none;
}

/// Gives a line to another address and sends its dirty bytes to the DRAM. They are in the image at once, because the
/// DRAM's queue models only the time; so a later fetch of them cannot come too early.
void L2Slice::replace(std::uint32_t line, std::uint64_t local) {
    if (cache_.occupied(line)) {
        ++counters_.evictions;
        if (cache_.dirty(line).any()) {
            const SectorMask sectors = sectored_ ? sectors_of(cache_.dirty(line)) : kAllSectors;
            ++counters_.write_backs;
            counters_.written_sectors += static_cast<unsigned>(std::popcount(sectors));
            contents_.write_back(line);
            enqueue({.local = cache_.local_address(line), .mshr = 0, .sectors = sectors, .write = true});
        }
    }
    cache_.install(line, local);
}

/// The DRAM's queue models only the time: the bytes are in the image when the line has come.
void L2Slice::pass_on(const MessageHeader& request, std::uint64_t local) {
    const SectorMask sectors = sectors_moved(sectors_of(request.as<WriteRequest>().mask));
    enqueue({.local = local, .mshr = 0, .sectors = sectors, .write = true});
}

void L2Slice::enqueue(const DramAccess& access) {
    ++(access.write ? dram_writes_ : dram_reads_);
    queue_.push() = access;
}

void L2Slice::begin_fill() {
    const Fill fill = fills_.front();
    fills_.pop();
    draining_ = fill.mshr;
    contents_.fill(mshrs_.line_index(draining_), fill.sectors);
    mshrs_.fetched(draining_, fill.sectors);
}

/// Performs the next request that waits for the line; returns true if no more can be performed now.
bool L2Slice::drain_fill(Cycle now) {
    if (!operations_.replies().can_accept(now)) { return false; }
    const std::uint32_t line = mshrs_.line_index(draining_);
    if (can_perform_front(line)) {
        const MessageHeader& request = mshrs_.front(draining_);
        perform(line, request, mshrs_.front_source(draining_), now);
        if (fetch_on_write_ && is_write(request)) { contents_.write_through(line, request.as<WriteRequest>().mask); }
        mshrs_.pop(draining_);
        if (can_perform_front(line)) { return false; }
    }
    if (!mshrs_.has_waiters(draining_) && mshrs_.fetching(draining_) == 0) {
        mshrs_.release(draining_);
        cache_.fill_done(line);
    }
    draining_ = L2Cache::kNoMshr;
    return true;
}

/// Whether all bytes are present for the first request of the register that drains.
bool L2Slice::can_perform_front(std::uint32_t line) const {
    return mshrs_.has_waiters(draining_) &&
           (!sectored_ || covers(cache_.valid(line), needed_bytes(mshrs_.front(draining_))));
}

/// Starts recording a request that its SM has chosen as a sample, when it is taken from the port.
void L2Slice::sample(const MessageHeader& request, unsigned source, RequestSamples::Served served, Cycle now,
                     std::uint16_t mshr) {
    if (request.type == ReadRequest::kType && request.as<ReadRequest>().sample != 0) [[unlikely]] {
        operations_.samples().take(
            {.requester = static_cast<std::uint16_t>(source),
             .number = request.as<ReadRequest>().sample,
             .mshr = mshr,
             .sectors = served == RequestSamples::Served::dram ? mshrs_.fetching(mshr) : SectorMask{0},
             .served = served,
             .taken = clock_.edge(now)});
    }
}

void L2Slice::perform(std::uint32_t line, const MessageHeader& request, unsigned source, Cycle now) {
    busy_until_ = std::max(busy_until_, operations_.perform(line, request, source, now));
}

std::string L2Slice::waiting_for() const {
    if (!operations_.replies().empty()) { return "credits of a requester for a reply"; }
    if (!mshrs_.empty()) { return fmt::format("{} lines from DRAM", mshrs_.in_use()); }
    return input_.empty() ? "nothing" : "its next request";
}

void L2Slice::audit(Audit& audit, const std::string& name, std::uint32_t slice) const {
    contents_.audit(audit, name);
    operations_.audit(audit);
    audit.leak(name, "miss registers that are not free", mshrs_.held_registers());
    audit.leak(name, "requests in miss registers", mshrs_.held_requests());
    audit.leak(name, "fills that were not taken", fills_.size());
    if (!idle()) { audit.fault(name, fmt::format("waits for {}", waiting_for())); }
    const InjectionPort& replies = operations_.replies();
    for (std::uint32_t requester = 0; requester < replies.destinations(); ++requester) {
        audit.account("crossbar credits for replies", replies.spent_credits(requester), slice, requester);
        audit.account("crossbar credits for requests", -std::int64_t{input_.port().withheld_credits(requester)},
                      requester, slice);
    }
}

void L2Slice::visit_statistics(StatisticsVisitor& visitor, const std::string& name) const {
    visit(visitor, name, "l2_slice", counters_);
    visit(visitor, fmt::format("{}.requests", name), "ejection_port", input_.port().counters());
    if (input_.port().held_grants() != nullptr) {
        visit(visitor, fmt::format("{}.requests", name), "held_grants", input_.port().held_grants()->counters);
    }
    if (const FarCopies& copies = operations_.far_copies(); copies.enabled()) {
        visit(visitor, fmt::format("{}.far", name), "far_copies", copies.counters());
    }
    visit(visitor, fmt::format("{}.replies", name), "injection_port", operations_.replies().counters());
}

void L2Slice::fields(StateArchive& archive) {
    archive& counters_& contents_& operations_& input_& mshrs_;
    queue_.fields(archive, [&](DramAccess& each) { archive& each; });
    fills_.fields(archive, [&](Fill& each) { archive& each; });
    archive& draining_& next_cycle_& busy_until_& stall_& dram_reads_& dram_writes_;
}

LOOKAHEAD_REGISTER_PARAMETERS(L2Parameters, "l2", "A slice of the L2 cache.")
LOOKAHEAD_REGISTER_STATISTICS(FarCopyCounters, "far_copies", "What a half of L2 keeps of the other one.")
LOOKAHEAD_REGISTER_STATISTICS(L2Counters, "l2_slice", "A slice of the L2 cache.")

}  // namespace lookahead::gpu
