#include "components/memory_partition/mshr_file.h"

#include <cstring>

#include "core/error/error.h"
#include "core/state/state_archive.h"

namespace lookahead::gpu {

MshrFile::MshrFile(unsigned registers, unsigned merges)
    : merges_(merges),
      registers_(registers),
      waiters_(std::size_t{registers} * merges),
      slots_(std::make_unique_for_overwrite<std::uint64_t[]>(waiters_.size() * kSlotWords)) {
    free_registers_.reserve(registers);
    free_waiters_.reserve(waiters_.size());
    for (unsigned i = registers; i-- > 0;) { free_registers_.push_back(static_cast<std::uint16_t>(i)); }
    for (std::size_t i = waiters_.size(); i-- > 0;) { free_waiters_.push_back(static_cast<std::uint32_t>(i)); }
}

std::uint16_t MshrFile::allocate(std::uint32_t line_index) {
    const std::uint16_t mshr = free_registers_.back();
    free_registers_.pop_back();
    registers_[mshr] = {.line_index = line_index, .count = 0, .first = kNone, .last = kNone, .fetching = 0};
    ++in_use_;
    return mshr;
}

void MshrFile::append(std::uint16_t mshr, const MessageHeader& message, unsigned source) {
    LOOKAHEAD_ASSERT(message.total_bytes() <= kSlotWords * 8, "a request is larger than an atomic of a whole warp");
    const std::uint32_t waiter = free_waiters_.back();
    free_waiters_.pop_back();
    waiters_[waiter] = {.next = kNone, .source = source};
    std::memcpy(slots_.get() + waiter * kSlotWords, &message, message.total_bytes());
    Register& entry = registers_[mshr];
    (entry.count == 0 ? entry.first : waiters_[entry.last].next) = waiter;
    entry.last = waiter;
    ++entry.count;
}

void MshrFile::pop(std::uint16_t mshr) {
    Register& entry = registers_[mshr];
    const std::uint32_t waiter = entry.first;
    entry.first = waiters_[waiter].next;
    free_waiters_.push_back(waiter);
    --entry.count;
}

void MshrFile::release(std::uint16_t mshr) {
    LOOKAHEAD_DEBUG_ASSERT(registers_[mshr].count == 0 && registers_[mshr].fetching == 0,
                           "a miss register is given back while something waits for it");
    free_registers_.push_back(mshr);
    --in_use_;
}

void MshrFile::fields(StateArchive& archive) {
    // The free lists are saved unsorted: they decide which register comes next, and with it the tags in the DRAM.
    archive& in_use_& free_registers_& free_waiters_;
    for (Register& entry : registers_) {
        archive& entry.line_index& entry.count& entry.first& entry.last& entry.fetching;
        std::uint32_t waiter = entry.first;
        for (std::uint32_t i = 0; i < entry.count; ++i, waiter = waiters_[waiter].next) {
            archive& waiters_[waiter].next& waiters_[waiter].source;
            auto* head = reinterpret_cast<MessageHeader*>(slots_.get() + waiter * kSlotWords);
            archive.plain(*head);
            archive.plain(reinterpret_cast<std::byte*>(head + 1), head->payload_bytes());
        }
    }
}

}  // namespace lookahead::gpu
