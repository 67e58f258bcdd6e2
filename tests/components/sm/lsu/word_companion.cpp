#include "tests/components/sm/lsu/word_companion.h"

namespace lookahead::gpu::test {

void WordCompanion::take(Line& slot, WordMask words, const std::byte* data) {
    for (WordMask left = words; left != 0; left &= left - 1) {
        const int word = std::countr_zero(left);
        std::memcpy(&slot.words[static_cast<unsigned>(word)], data + 4 * word, 4);
    }
    slot.valid |= words;
}

void WordCompanion::give(const Line& slot, WordMask words, std::byte* data) {
    for (WordMask left = words; left != 0; left &= left - 1) {
        const int word = std::countr_zero(left);
        std::memcpy(data + 4 * word, &slot.words[static_cast<unsigned>(word)], 4);
    }
}

/// Returns false if there is no room for its written-back words.
bool WordCompanion::empty(Line& slot) {
    if (slot.dirty != 0) {
        std::byte data[kLineBytes] = {};
        give(slot, slot.dirty, data);
        if (!port_.write_back(slot.line, slot.dirty, data)) { return false; }
    }
    slot = {};
    return true;
}

/// Makes room for words of the line with that key: conflicting words go.
bool WordCompanion::make_room(Line& slot, std::uint64_t line, WordMask words, std::uint32_t key) {
    const bool conflicts = slot.line != line || ((slot.valid & ~words) != 0 && slot.key != key);
    if (slot.valid != 0 && conflicts && !empty(slot)) { return false; }
    slot.line = line;
    slot.key = key;
    return true;
}

WordMask WordCompanion::load(const L1Access& access, WordMask wanted, std::byte* data) {
    const Line& slot = slot_of(access.line);
    const WordMask words = slot.line == access.line ? slot.valid & wanted : 0;
    give(slot, words, data);
    served_words += count(words);
    return words;
}

L1Companion::StoreResult WordCompanion::store(const L1Access& access, const ByteMask& mask, const std::byte* data,
                                              std::byte* own) {
    Line& slot = slot_of(access.line);
    const WordMask whole = whole_words_of(mask);
    const WordMask parts = words_of(mask) & ~whole;
    if (parts != 0 || !encodes(whole, data)) {
        const WordMask with_it = slot.line == access.line ? slot.valid & parts : 0;
        give(slot, with_it, own);
        return {StoreAnswer::passed, with_it};
    }
    if (!make_room(slot, access.line, whole, key_of(whole, data))) { return {StoreAnswer::stalled}; }
    take(slot, whole, data);
    slot.dirty |= whole;
    ++absorbed;
    return {StoreAnswer::absorbed};
}

void WordCompanion::passed(std::uint64_t line, WordMask words) {
    Line& slot = slot_of(line);
    if (slot.line == line) {
        slot.valid &= ~words;
        slot.dirty &= ~words;
    }
}

bool WordCompanion::fill(const L1Access& access, WordMask asked, const std::byte* data) {
    Line& slot = slot_of(access.line);
    const WordMask older = slot.line == access.line ? asked & ~slot.valid : asked;
    if (!encodes(older, data) || (slot.line == access.line && slot.key != key_of(older, data)) ||
        !make_room(slot, access.line, older, key_of(older, data))) {
        return false;
    }
    take(slot, older, data);
    ++taken;
    return true;
}

ByteMask WordCompanion::evicting(std::uint64_t line, const ByteMask& dirty, std::byte* data) {
    Line& slot = slot_of(line);
    if (slot.line == line && slot.valid != 0) {
        give(slot, slot.dirty, data);
        const ByteMask newer = bytes_of_words(slot.dirty);
        merged += slot.dirty != 0;
        const ByteMask stale = without(bytes_of_words(slot.valid), newer);
        slot.dirty = 0;
        return without(dirty, stale) | newer;
    }
    const WordMask words = words_of(dirty);
    if (slot.valid == 0 && whole_words_of(dirty) == words && encodes(words, data)) {
        slot = {.line = line, .key = key_of(words, data)};
        take(slot, words, data);
        slot.dirty = words;
        ++taken;
        return {};
    }
    return dirty;
}

bool WordCompanion::give_up(std::uint64_t line) {
    Line& slot = slot_of(line);
    return slot.line != line || empty(slot);
}

/// Flushes one line per cycle.
bool WordCompanion::flush() {
    for (Line& slot : lines_) {
        if (slot.dirty != 0) {
            empty(slot);
            return false;
        }
    }
    lines_ = {};
    return true;
}

LOOKAHEAD_REGISTER_VARIANT(L1Companion, WordCompanion, "words", "Four lines of plain words.", "a test's")

}  // namespace lookahead::gpu::test
