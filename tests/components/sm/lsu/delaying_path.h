#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>

#include "components/sm/lsu/request_path.h"
#include "core/state/state_archive.h"

namespace lookahead::gpu::test {

/// A path for tests of the slot: it gathers requests by blocks of 1 KB in four entries of six requests. It releases an
/// entry, in the order of its requests, when the entry is full, for an atomic, at an age of 200 cycles, or, for the
/// oldest entry, when all are taken.
class DelayingPath final : public RequestPath {
  public:
    static constexpr unsigned kEntries = 4;
    static constexpr unsigned kMost = 6;
    static constexpr Cycle kAge = 200;

    explicit DelayingPath(const RequestPathArguments&) {}

    bool can_take(const QueuedRequest& request) const override {
        const Entry* entry = entry_of(request.line);
        return entry != nullptr ? entry->requests.size() < kMost && !entry->goes : free_entry() < kEntries;
    }
    void take(const QueuedRequest& request, Cycle now) override {
        Entry* entry = const_cast<Entry*>(entry_of(request.line));
        if (entry == nullptr) {
            entry = &entries_[free_entry()];
            *entry = {.block = block_of(request.line), .since = now};
        }
        entry->requests.push_back(request);
        entry->goes = entry->requests.size() == kMost || request.type == GpuMessage::atomic_request;
    }
    const QueuedRequest* next(Cycle now, bool drain) override {
        const unsigned entry = leaving(now, drain);
        return entry < kEntries ? &entries_[entry].requests.front() : nullptr;
    }
    void sent(Cycle) override {
        Entry& entry = entries_[given_];
        entry.goes = true;
        entry.requests.pop_front();
    }
    Cycle next_event(Cycle now, bool drain) const override {
        Cycle next = kCycleInfinity;
        for (const Entry& entry : entries_) {
            if (!entry.requests.empty()) {
                const bool at_once = drain || entry.goes || free_entry() == kEntries;
                next = std::min(next, at_once ? now + 1 : std::max(now + 1, entry.since + kAge));
            }
        }
        return next;
    }
    unsigned size() const override {
        std::size_t count = 0;
        for (const Entry& entry : entries_) { count += entry.requests.size(); }
        return static_cast<unsigned>(count);
    }
    void fields(StateArchive& archive) override { archive& entries_; }

  private:
    struct Entry {
        std::uint64_t block = 0;
        Cycle since = 0;
        bool goes = false;
        std::deque<QueuedRequest> requests{};  ///< empty: the entry is free

        void fields(StateArchive& archive) { archive& block& since& goes& requests; }
    };

    static std::uint64_t block_of(std::uint64_t line) { return line / 1024; }
    const Entry* entry_of(std::uint64_t line) const {
        for (const Entry& entry : entries_) {
            if (!entry.requests.empty() && entry.block == block_of(line)) { return &entry; }
        }
        return nullptr;
    }
    unsigned free_entry() const {
        unsigned entry = 0;
        while (entry < kEntries && !entries_[entry].requests.empty()) { ++entry; }
        return entry;
    }
    /// The oldest entry to release; kEntries: none.
    unsigned leaving(Cycle now, bool drain) {
        given_ = kEntries;
        const bool full = free_entry() == kEntries;
        for (unsigned i = 0; i < kEntries; ++i) {
            const Entry& entry = entries_[i];
            if (entry.requests.empty()) { continue; }
            if (!(drain || entry.goes || full || now >= entry.since + kAge)) { continue; }
            if (given_ == kEntries || entry.since < entries_[given_].since) { given_ = i; }
        }
        return given_;
    }

    std::array<Entry, kEntries> entries_{};
    unsigned given_ = kEntries;  // returned by the last `next`
};

}  // namespace lookahead::gpu::test
