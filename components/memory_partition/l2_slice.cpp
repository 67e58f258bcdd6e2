#include "components/memory_partition/l2_slice.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "components/isa/memory_access.h"
#include "components/memory_partition/line_bytes.h"
#include "core/error/error.h"
#include "core/lp/audit.h"
#include "core/param/parameter_registry.h"
#include "core/state/state_archive.h"
#include "core/stats/statistics_registry.h"

namespace lookahead::gpu {
namespace {

const AtomicLane* lanes_of(const AtomicRequest& request) {
    return reinterpret_cast<const AtomicLane*>(&request + 1);
}

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

unsigned most_lanes_at_one_word(const AtomicRequest& request) {
    std::array<std::uint8_t, kLineWords> lanes{};
    unsigned most = 0;
    for (unsigned i = 0; i < request.lanes; ++i) {
        most = std::max<unsigned>(most, ++lanes[lanes_of(request)[i].offset / 4]);
    }
    return most;
}

/// Requests are of a sector, half a line, or a line (CUDA C Programming Guide, compute capability 1.2 to 2.x).
SectorMask sectors_moved(SectorMask sectors) {
    constexpr unsigned kLower = 0b0011;
    constexpr unsigned kUpper = 0b1100;
    if (std::popcount(sectors) <= 1) { return sectors; }
    return (sectors & kUpper) == 0 ? kLower : (sectors & kLower) == 0 ? kUpper : kAllSectors;
}

}  // namespace

L2Slice::L2Slice(const L2Parameters& parameters, const Environment& environment)
    : parameters_(parameters),
      sectored_(parameters.sector_bytes == kSectorBytes),
      narrow_port_(parameters.port_bytes < kLineBytes),
      mapping_(environment.mapping),
      clock_(environment.clock),
      image_(environment.image),
      requests_(environment.crossbar, environment.crossbar.reply_latency, environment.clock, environment.replies,
                environment.requesters),
      replies_(environment.crossbar, environment.crossbar.reply_latency, environment.clock, environment.replies,
               environment.requesters),
      cache_(static_cast<unsigned>(parameters.sets), static_cast<unsigned>(parameters.ways)),
      mshrs_(static_cast<unsigned>(parameters.mshrs), static_cast<unsigned>(parameters.merges)),
      queue_(static_cast<std::size_t>(parameters.miss_queue)),
      fills_(static_cast<std::size_t>(parameters.mshrs) * (sectored_ ? kSectors : 1)) {
    if (environment.crossbar.row_grants > 0) {
        requests_.hold_grants(*this, static_cast<unsigned>(environment.crossbar.row_grants));
    }
}

std::uint64_t L2Slice::row_of(const MessageHeader& request) const {
    const DramAddress place = mapping_.decode(mapping_.local_address(line_of(request)));
    return place.row * mapping_.banks() + place.bank;
}

[[gnu::hot]] void L2Slice::receive(const MessageHeader& message, unsigned source, Cycle now) {
    if (message.type == Credit::kType) {
        replies_.receive_credit(source, message.as<Credit>().flits, now);
        if (draining_ != L2Cache::kNoMshr || stall_ == L2Stall::reply_port) { wake(now); }
        return;
    }
    requests_.receive(message, source, now);
    if (draining_ == L2Cache::kNoMshr && stall_ == L2Stall::none) { wake(requests_.next_event(now - 1)); }
}

void L2Slice::receive_fill(std::uint16_t mshr, SectorMask sectors, Cycle ready) {
    const std::size_t at = fill_head_ + fill_count_;
    fills_[at >= fills_.size() ? at - fills_.size() : at] = {.mshr = mshr, .sectors = sectors, .ready = ready};
    ++fill_count_;
    if (draining_ == L2Cache::kNoMshr) { wake(ready); }
}

void L2Slice::pop_dram_access(Cycle now) {
    queue_head_ = queue_head_ + 1 == queue_.size() ? 0 : queue_head_ + 1;
    --queued_;
    if (draining_ == L2Cache::kNoMshr && stall_ == L2Stall::miss_queue) { wake(now); }
}

void L2Slice::pop_dram_sector() {
    DramAccess& access = queue_[queue_head_];
    access.sectors = static_cast<SectorMask>(access.sectors & (access.sectors - 1));
    ++books_.dram_reads;
}

[[gnu::hot]] bool L2Slice::cycle(Cycle now) {
    bool took_fill = false;
    bool freed = false;
    if (draining_ == L2Cache::kNoMshr && fill_count_ > 0 && fills_[fill_head_].ready <= now) {
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
    if (draining_ != L2Cache::kNoMshr) { return std::max(busy_until_, replies_.next_acceptance(now)); }
    Cycle next = fill_count_ > 0 ? std::max(fills_[fill_head_].ready, now + 1) : kCycleInfinity;
    if (stall_ == L2Stall::none || freed) {
        next = std::min(next, requests_.next_event(now));
    } else if (stall_ == L2Stall::reply_port) {
        next = std::min(next, replies_.next_acceptance(now));
    }
    return std::max(next, busy_until_);
}

[[gnu::hot]] void L2Slice::serve_port(Cycle now) {
    const MessageHeader* request = requests_.front(now);
    if (request == nullptr) { return; }
    const std::uint64_t written = counters_.written_sectors;
    const L2Stall stall = access(*request, requests_.front_source(), now);
    note_stall(stall, now);
    if (stall == L2Stall::none) {
        if (narrow_port_) { hold_port(*request, written, now); }
        requests_.pop(now);
    }
}

/// Takes the port for one cycle per piece of the request's data and of the line that it wrote back.
void L2Slice::hold_port(const MessageHeader& request, std::uint64_t written_before, Cycle now) {
    SectorMask sectors = kAllSectors;
    if (request.type == ReadRequest::kType) {
        sectors = request.as<ReadRequest>().sectors;
    } else if (request.type == WriteRequest::kType) {
        sectors = sectors_of(request.as<WriteRequest>().mask);
    } else {
        sectors = sectors_of(needed_bytes(request));
    }
    const auto pieces = [&](std::uint64_t count) {
        return (count * kSectorBytes + static_cast<unsigned>(parameters_.port_bytes) - 1) /
               static_cast<unsigned>(parameters_.port_bytes);
    };
    const std::uint64_t cycles = pieces(static_cast<unsigned>(std::popcount(sectors_moved(sectors)))) +
                                 pieces(counters_.written_sectors - written_before);
    busy_until_ = std::max(busy_until_, now + static_cast<Cycle>(cycles));
}

void L2Slice::note_stall(L2Stall stall, Cycle now) {
    if (stall == stall_) { return; }
    if (stall_ != L2Stall::none) {
        counters_.stall_cycles[static_cast<std::size_t>(stall_) - 1] += static_cast<std::uint64_t>(now - stall_since_);
    }
    stall_ = stall;
    stall_since_ = now;
}

[[gnu::hot]] L2Stall L2Slice::access(const MessageHeader& request, unsigned source, Cycle now) {
    const std::uint64_t local = mapping_.local_address(line_of(request));
    const unsigned set = cache_.set_of(mapping_.address_in_slice(local));
    const std::uint32_t line = cache_.find(set, local);
    if (line != L2Cache::kNoLine && cache_.pending(line)) { return merge(line, request, source, now); }
    if (line != L2Cache::kNoLine && covers(cache_.valid(line), needed_bytes(request))) {
        if (!replies_.can_accept(now)) { return L2Stall::reply_port; }
        count(request, true);
        sample(request, source, RequestSamples::Served::hit, now);
        cache_.touch(line);
        perform(line, request, source, now);
        return L2Stall::none;
    }
    if (request.type == WriteRequest::kType) { return allocate_and_write(set, local, request, source, now); }
    return fetch(line, set, local, request, source, now);
}

L2Stall L2Slice::merge(std::uint32_t line, const MessageHeader& request, unsigned source, Cycle now) {
    const std::uint16_t mshr = cache_.mshr(line);
    if (!mshrs_.can_merge(mshr)) { return L2Stall::merges; }
    if (sectored_) {
        const auto more = static_cast<SectorMask>(missing_sectors(line, request) & ~mshrs_.fetching(mshr));
        if (more != 0 && queue_room() < 1) { return L2Stall::miss_queue; }
        if (more != 0) { fetch_sectors(mshr, cache_.local_address(line), more); }
    }
    count(request, false);
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
    if (queue_room() < (!partial && cache_.dirty(line).any() ? 2u : 1u)) { return L2Stall::miss_queue; }
    if (partial) {
        ++counters_.partial_fetches;
    } else {
        replace(line, local);
    }
    count(request, false);
    const std::uint16_t mshr = mshrs_.allocate(line);
    fetch_sectors(mshr, local, sectored_ ? missing_sectors(line, request) : kAllSectors);
    sample(request, source, RequestSamples::Served::dram, now, mshr);
    cache_.await_fill(line, mshr);
    mshrs_.append(mshr, request, source);
    return L2Stall::none;
}

/// The sectors with a byte that the request needs and the line does not have.
SectorMask L2Slice::missing_sectors(std::uint32_t line, const MessageHeader& request) const {
    return sectors_of(needed_bytes(request) & ~cache_.valid(line));
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
    if (!replies_.can_accept(now)) { return L2Stall::reply_port; }
    count(request, false);
    replace(line, local);
    perform(line, request, source, now);
    return L2Stall::none;
}

/// Gives a line to another address and sends its dirty bytes to the DRAM. Its bytes are in the image at once; the
/// DRAM's queue models only the time, so a later fetch of them cannot come too early.
void L2Slice::replace(std::uint32_t line, std::uint64_t local) {
    if (cache_.occupied(line)) {
        ++counters_.evictions;
        if (cache_.dirty(line).any()) {
            const SectorMask sectors = sectored_ ? sectors_of(cache_.dirty(line)) : kAllSectors;
            ++counters_.write_backs;
            counters_.written_sectors += static_cast<unsigned>(std::popcount(sectors));
            write_back_contents(line);
            enqueue({.local = cache_.local_address(line), .mshr = 0, .sectors = sectors, .write = true});
        }
    }
    cache_.install(line, local);
}

void L2Slice::write_back_contents(std::uint32_t line) {
    const std::uint64_t local = cache_.local_address(line);
    copy_bytes(image_.place(local), cache_.data(line), cache_.dirty(line));
    books_.written_back_bytes += bytes_in(cache_.dirty(line));
}

/// Marks a request's written bytes as dirty.
void L2Slice::make_dirty(std::uint32_t line, const ByteMask& bytes) {
    books_.written_bytes += bytes_in(bytes);
    books_.overwritten_bytes += bytes_in(bytes & cache_.dirty(line));
    cache_.dirty(line) = cache_.dirty(line) | bytes;
}

/// The host has written the bytes to the image too.
void L2Slice::overwritten_by_host(std::uint32_t line, const ByteMask& bytes) {
    books_.host_bytes += bytes_in(bytes & cache_.dirty(line));
    cache_.valid(line) = cache_.valid(line) | bytes;
    cache_.dirty(line) = cache_.dirty(line) & ~bytes;
}

void L2Slice::enqueue(const DramAccess& access) {
    ++(access.write ? books_.dram_writes : books_.dram_reads);
    const std::size_t at = queue_head_ + queued_;
    queue_[at >= queue_.size() ? at - queue_.size() : at] = access;
    ++queued_;
}

void L2Slice::begin_fill() {
    const Fill fill = fills_[fill_head_];
    draining_ = fill.mshr;
    fill_head_ = fill_head_ + 1 == fills_.size() ? 0 : fill_head_ + 1;
    --fill_count_;
    const std::uint32_t line = mshrs_.line_index(draining_);
    const ByteMask came = bytes_of(fill.sectors);
    copy_bytes(cache_.data(line), image_.read(cache_.local_address(line)), came & ~cache_.valid(line));
    cache_.valid(line) = cache_.valid(line) | came;
    mshrs_.fetched(draining_, fill.sectors);
}

/// Performs the next request that waits for the line; returns true if no more can be performed now.
bool L2Slice::drain_fill(Cycle now) {
    if (!replies_.can_accept(now)) { return false; }
    const std::uint32_t line = mshrs_.line_index(draining_);
    if (can_perform_front(line)) {
        perform(line, mshrs_.front(draining_), mshrs_.front_source(draining_), now);
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

void L2Slice::count(const MessageHeader& request, bool hit) {
    const std::uint64_t one = hit ? 1 : 0;
    if (request.type == ReadRequest::kType) {
        ++counters_.reads;
        counters_.read_hits += one;
    } else if (request.type == WriteRequest::kType) {
        ++counters_.writes;
        counters_.write_hits += one;
    } else {
        ++counters_.atomics;
        counters_.atomic_hits += one;
    }
}

/// Starts recording a request that its SM has chosen as a sample, when it is taken from the port.
void L2Slice::sample(const MessageHeader& request, unsigned source, RequestSamples::Served served, Cycle now,
                     std::uint16_t mshr) {
    if (request.type == ReadRequest::kType && request.as<ReadRequest>().sample != 0) [[unlikely]] {
        samples_.take({.requester = static_cast<std::uint16_t>(source),
                       .number = request.as<ReadRequest>().sample,
                       .mshr = mshr,
                       .sectors = served == RequestSamples::Served::dram ? mshrs_.fetching(mshr) : SectorMask{0},
                       .served = served,
                       .taken = clock_.edge(now)});
    }
}

void L2Slice::perform(std::uint32_t line, const MessageHeader& request, unsigned source, Cycle now) {
    switch (request.type) {
        case ReadRequest::kType:
            perform_read(line, request.as<ReadRequest>(), source, now);
            break;
        case WriteRequest::kType:
            perform_write(line, request.as<WriteRequest>(), source, now);
            break;
        case AtomicRequest::kType:
            perform_atomic(line, request.as<AtomicRequest>(), source, now);
            break;
        default:
            throw InternalError("a message of type " + std::to_string(request.type) + " came to an L2 slice");
    }
}

[[gnu::hot]] void L2Slice::perform_read(std::uint32_t line, const ReadRequest& request, unsigned source, Cycle now) {
    ++books_.reads;
    const auto bytes = static_cast<std::size_t>(std::popcount(request.sectors)) * kSectorBytes;
    auto& reply = replies_.push<ReadReply>(source, now + parameters_.data_latency, bytes);
    reply.line = request.line;
    reply.tag = request.tag;
    reply.client = request.client;
    reply.sectors = request.sectors;
    reply.sample = request.sample;
    if (request.sample != 0) [[unlikely]] { samples_.reply(source, request.sample, clock_.edge(now)); }
    pack_sectors(reinterpret_cast<std::byte*>(&reply + 1), cache_.data(line), request.sectors);
}

[[gnu::hot]] void L2Slice::perform_write(std::uint32_t line, const WriteRequest& request, unsigned source, Cycle now) {
    write_words(cache_.data(line), request.mask, reinterpret_cast<const std::byte*>(&request + 1));
    cache_.valid(line) = cache_.valid(line) | request.mask;
    make_dirty(line, request.mask);
    ++books_.writes;
    acknowledge(request.tag, source, now + parameters_.data_latency);
}

void L2Slice::perform_atomic(std::uint32_t line, const AtomicRequest& request, unsigned source, Cycle now) {
    counters_.atomic_lanes += request.lanes;
    ++(request.returns_value != 0 ? books_.atomics : books_.writes);
    busy_until_ = now + std::max<Cycle>(1, parameters_.atomic_cycles * most_lanes_at_one_word(request));
    const Cycle ready = busy_until_ - 1 + parameters_.data_latency;
    AtomicValue* values = nullptr;
    if (request.returns_value) {
        auto& reply = replies_.push<AtomicReply>(source, ready, request.lanes * sizeof(AtomicValue));
        reply.tag = request.tag;
        reply.lanes = request.lanes;
        values = reinterpret_cast<AtomicValue*>(&reply + 1);
    } else {
        acknowledge(request.tag, source, ready);
    }
    const unsigned bytes = isa::type_bytes(request.type);
    for (unsigned i = 0; i < request.lanes; ++i) {
        const AtomicLane& lane = lanes_of(request)[i];
        std::byte* place = cache_.data(line) + lane.offset;
        std::uint64_t old = 0;
        std::memcpy(&old, place, bytes);
        const std::uint64_t changed = isa::apply_atomic(request.op, request.type, old, lane.operand, lane.operand2);
        std::memcpy(place, &changed, bytes);
        make_dirty(line, byte_range(lane.offset, bytes));
        if (values != nullptr) { values[i] = {.value = old, .lane = lane.lane}; }
    }
}

void L2Slice::acknowledge(std::uint32_t tag, unsigned source, Cycle ready) {
    replies_.push<WriteAcknowledge>(source, ready) = {.tag = tag, .unused = 0};
}

/// Calls f(line address, first byte in the line, bytes, bytes before) for each line of a piece.
template <class F>
void L2Slice::for_each_line(std::uint64_t local, unsigned count, F&& f) {
    counters_.host_bytes += count;
    for (unsigned done = 0; done < count;) {
        const auto first = static_cast<unsigned>((local + done) % kLineBytes);
        const unsigned bytes = std::min(kLineBytes - first, count - done);
        f(local + done - first, first, bytes, done);
        done += bytes;
    }
}

void L2Slice::host_write(std::uint64_t local, const std::byte* bytes, unsigned count, bool fill_l2) {
    image_.write(local, bytes, count);
    for_each_line(local, count, [&](std::uint64_t address, unsigned first, unsigned length, unsigned before) {
        std::uint32_t line = find(address);
        if (line == L2Cache::kNoLine && fill_l2) {
            line = cache_.victim(cache_.set_of(mapping_.address_in_slice(address)));
            if (line != L2Cache::kNoLine) {
                if (cache_.occupied(line)) {
                    ++counters_.evictions;
                    write_back_contents(line);
                }
                cache_.install(line, address);
            }
        }
        if (line != L2Cache::kNoLine) {
            const ByteMask range = byte_range(first, length);
            std::memcpy(cache_.data(line) + first, bytes + before, length);
            overwritten_by_host(line, range);
        }
    });
}

void L2Slice::host_fill(std::uint64_t local, std::byte value, unsigned count) {
    image_.fill(local, value, count);
    for_each_line(local, count, [&](std::uint64_t address, unsigned first, unsigned length, unsigned) {
        const std::uint32_t line = find(address);
        if (line != L2Cache::kNoLine) {
            const ByteMask range = byte_range(first, length);
            std::memset(cache_.data(line) + first, static_cast<int>(value), length);
            overwritten_by_host(line, range);
        }
    });
}

void L2Slice::host_read(std::uint64_t local, std::byte* bytes, unsigned count) {
    for_each_line(local, count, [&](std::uint64_t address, unsigned first, unsigned length, unsigned before) {
        std::array<std::byte, kLineBytes> contents;
        std::memcpy(contents.data(), image_.read(address), kLineBytes);
        const std::uint32_t line = find(address);
        if (line != L2Cache::kNoLine) { copy_bytes(contents.data(), cache_.data(line), cache_.dirty(line)); }
        std::memcpy(bytes + before, contents.data() + first, length);
    });
}

bool L2Slice::idle() const {
    return requests_.empty() && replies_.empty() && mshrs_.empty() && queued_ == 0;
}

std::string L2Slice::waiting_for() const {
    if (!replies_.empty()) { return "credits of a requester for a reply"; }
    if (!mshrs_.empty()) { return std::to_string(mshrs_.in_use()) + " lines from DRAM"; }
    return requests_.empty() ? "nothing" : "its next request";
}

/// Every byte that a request wrote is still dirty in the slice, was written to DRAM, or was overwritten in the slice by
/// a later request or by the host.
void L2Slice::audit(Audit& audit, const std::string& name, std::uint32_t slice) const {
    audit.account("line reads", -static_cast<std::int64_t>(books_.reads));
    audit.account("stores and reductions", -static_cast<std::int64_t>(books_.writes));
    audit.account("atomics", -static_cast<std::int64_t>(books_.atomics));
    audit.account("written bytes", -static_cast<std::int64_t>(books_.written_bytes));
    const std::uint64_t gone = books_.overwritten_bytes + books_.written_back_bytes + books_.host_bytes;
    const std::uint64_t kept = cache_.dirty_bytes();
    if (books_.written_bytes != gone + kept) {
        audit.fault(name, std::to_string(books_.written_bytes) + " bytes were written, but " + std::to_string(kept) +
                              " are dirty, " + std::to_string(books_.written_back_bytes) + " went to DRAM and " +
                              std::to_string(books_.overwritten_bytes + books_.host_bytes) + " were overwritten");
    }
    audit.leak(name, "miss registers that are not free", mshrs_.held_registers());
    audit.leak(name, "requests in miss registers", mshrs_.held_requests());
    audit.leak(name, "fills that were not taken", fill_count_);
    if (!idle()) { audit.fault(name, "waits for " + waiting_for()); }
    for (std::uint32_t requester = 0; requester < replies_.destinations(); ++requester) {
        audit.account("crossbar credits for replies", replies_.spent_credits(requester), slice, requester);
        audit.account("crossbar credits for requests", -std::int64_t{requests_.withheld_credits(requester)}, requester,
                      slice);
    }
}

void L2Slice::visit_statistics(StatisticsVisitor& visitor, const std::string& name) const {
    visit(visitor, name, "l2_slice", counters_);
    visit(visitor, name + ".requests", "ejection_port", requests_.counters());
    if (requests_.held_grants() != nullptr) {
        visit(visitor, name + ".requests", "held_grants", requests_.held_grants()->counters);
    }
    visit(visitor, name + ".replies", "injection_port", replies_.counters());
}

void L2Slice::fields(StateArchive& archive) {
    archive& requests_& replies_& cache_& mshrs_;
    for (DramAccess& access : queue_) { archive& access.local& access.mshr& access.sectors& access.write; }
    for (Fill& fill : fills_) { archive& fill.mshr& fill.sectors& fill.ready; }
    archive& queue_head_& queued_& fill_head_& fill_count_& draining_& next_cycle_& busy_until_& stall_& stall_since_;
    archive& counters_& samples_;
    archive& books_.reads& books_.writes& books_.atomics& books_.written_bytes& books_.overwritten_bytes& books_
        .written_back_bytes& books_.host_bytes& books_.dram_reads& books_.dram_writes;
}

LOOKAHEAD_REGISTER_PARAMETERS(L2Parameters, "l2", "A slice of the L2 cache.")
LOOKAHEAD_REGISTER_STATISTICS(L2Counters, "l2_slice", "A slice of the L2 cache.")

}  // namespace lookahead::gpu
