// The affine vector cache: Collange and Kouyoumdjian, "Affine Vector Cache for memory bandwidth savings", 2011.
//
// `load`, `missed` and `fill` are algorithm 1, `store` and `passed` are algorithm 2. As printed, they return wrong
// values. Three corrections, each marked in the code:
// (a) a generic store clears the valid bits of its words, because L1 has their newest values from then on;
// (b) a vector that leaves takes L1's whole partial copy of the line with it, not only the words of the mask at hand:
// the copy's other words are just as stale (L1CompanionPort::write_back does it);
// (c) a fill is tested for a conflict as a store is: words of another base and stride leave before the fill is taken.
#include "components/mechanisms/avc/avc.h"

#include <bit>
#include <cstring>

#include "components/cache/l1_data.h"
#include "core/bits/set_bits.h"
#include "core/lp/audit.h"
#include "core/mutation/rule.h"

namespace lookahead::gpu {

namespace {

std::uint64_t count(std::uint32_t words) {
    return static_cast<std::uint64_t>(std::popcount(words));
}

}  // namespace

void AffineVectorCache::missed(const L1Access&, WordMask) {
    ++counters_.accesses;
    ++counters_.load_misses;
}

/// Writes those of `words` that the vectors hold to their places in `data`.
void AffineVectorCache::decode(const CompactVector* vectors, WordMask words, std::byte* data) const {
    for (const unsigned word : SetBits(words)) {
        const std::uint32_t value = vectors[word / lines_.lanes()].affine.word(word % lines_.lanes());
        std::memcpy(data + 4 * word, &value, sizeof value);
    }
}

/// Algorithm 1 up to its miss: "if hit_a and (m and valid) != 0". The remaining lanes come again (Replay); if no lane
/// is served, L1 is looked up in the same cycle.
WordMask AffineVectorCache::load(const L1Access& access, WordMask wanted, std::byte* data) {
    const AvcPlace place = lines_.place_of(access.line);
    const std::uint32_t at = lines_.find(place.group);
    if (at == kNoAvcLine) { return 0; }
    const CompactVector* vectors = lines_.vectors(at) + place.first;
    const WordMask valid = words_that_are(&CompactVector::valid, vectors);
    if ((wanted & valid) == 0) { return 0; }
    const WordMask served = wanted & valid;
    decode(vectors, served, data);
    lines_.touch(at);
    ++counters_.accesses;
    ++(served == wanted ? counters_.load_hits : counters_.partial_hits);
    return served;
}

/// With word masks, encodes the stored lanes, whatever the others have. With read-modify-write, the ablation, a store
/// of some lanes needs the others, which only the cache itself has at once, and all lanes together must be affine.
std::optional<AffineVector> AffineVectorCache::encode_store(const CompactVector* vectors, const Words& words,
                                                            unsigned vector, std::uint32_t lanes) const {
    const std::uint32_t* first = words.data() + vector * lines_.lanes();
    const std::uint32_t all = lanes_of(~WordMask{0}, vector);
    if (!modifies_ || lanes == all) { return encode(first, lanes, lines_.lanes()); }
    if (vectors == nullptr || vectors[vector].valid != all) { return std::nullopt; }
    Words together{};
    for (unsigned lane = 0; lane < lines_.lanes(); ++lane) {
        together[lane] = (lanes >> lane & 1) != 0 ? first[lane] : vectors[vector].affine.word(lane);
    }
    return encode(together.data(), all, lines_.lanes());
}

AffineVectorCache::Encoded AffineVectorCache::encode_store(const CompactVector* vectors, WordMask stored,
                                                           const std::byte* data) const {
    Words words;
    std::memcpy(words.data(), data, kLineBytes);
    Encoded result;
    for (unsigned i = 0; i < lines_.vectors_of_line(); ++i) {
        const std::uint32_t lanes = result.lanes[i] = lanes_of(stored, i);
        if (lanes == 0) { continue; }
        result.vectors[i] = encode_store(vectors, words, i, lanes);
        result.generic |= !result.vectors[i];
        result.words |= result.vectors[i] ? words_of_lanes(lanes, i) : WordMask{0};
    }
    return result;
}

/// "hit and (valid and not m) != 0 and (b, s) != (b', s')" by vector. A read-modify-write leaves no other words.
unsigned AffineVectorCache::conflicts_of_store(const CompactVector* vectors, const Encoded& encoded) const {
    unsigned conflicts = 0;
    for (unsigned i = 0; !modifies_ && i < lines_.vectors_of_line(); ++i) {
        const std::uint32_t others = vectors[i].valid & ~encoded.lanes[i];
        const bool equal = encoded.vectors[i] == vectors[i].affine;
        conflicts |= static_cast<unsigned>(encoded.vectors[i].has_value() && others != 0 && !equal) << i;
    }
    return conflicts;
}

/// AVC.Write(a, m, b, s).
void AffineVectorCache::put(CompactVector* vectors, const Encoded& encoded) {
    const std::uint32_t all = lanes_of(~WordMask{0}, 0);
    for (unsigned i = 0; i < lines_.vectors_of_line(); ++i) {
        if (!encoded.vectors[i]) { continue; }
        CompactVector& each = vectors[i];
        const std::uint32_t lanes = encoded.lanes[i];
        counters_.added_words += each.valid != 0 && each.affine == *encoded.vectors[i];
        counters_.dirtied_words += count(lanes & ~each.dirty);
        each.affine = *encoded.vectors[i];
        each.valid |= modifies_ ? all : lanes;
        each.dirty |= lanes;
    }
}

/// Algorithm 2. Its L1.Invalidate and AVC.Invalidate are one: the older words leave, together with L1's (b).
L1Companion::StoreResult AffineVectorCache::store(const L1Access& access, const ByteMask& mask, const std::byte* data,
                                                  std::byte* own) {
    if (!encodes_) { return {StoreAnswer::passed}; }
    const AvcPlace place = lines_.place_of(access.line);
    CompactVector* vectors = find(place);
    const WordMask whole = whole_words_of(mask);
    const WordMask parts = words_of(mask) & ~whole;
    const bool vector = access.as_vector && parts == 0;
    const Encoded encoded = vector ? encode_store(vectors, whole, data) : Encoded{.vectors = {}, .generic = true};
    if (encoded.words == 0) { return {StoreAnswer::passed, give_along(vectors, words_of(mask), parts, own)}; }
    if (vectors == nullptr && (vectors = place_for(place)) == nullptr) { return {StoreAnswer::stalled}; }
    const unsigned conflicts = conflicts_of_store(vectors, encoded);
    if (LOOKAHEAD_RULE(store_conflict_makes_room) && conflicts != 0) {
        if (!write_back(access.line, vectors, conflicts)) { return {StoreAnswer::stalled}; }
        counters_.store_conflicts += count(conflicts);
    }
    put(vectors, encoded);
    lines_.touch(lines_.find(place.group));
    if (encoded.generic) {
        return {StoreAnswer::passed, give_along(vectors, whole & ~encoded.words, 0, own), encoded.words};
    }
    ++counters_.accesses;
    ++counters_.affine_stores;
    return {StoreAnswer::absorbed};
}

/// Copies to `own` the words that L1 takes over with a store to `stored`: words of which the store has a part, and, if
/// a read-modify-write has made a vector generic, the whole vector.
WordMask AffineVectorCache::give_along(const CompactVector* vectors, WordMask stored, WordMask parts,
                                       std::byte* own) const {
    if (vectors == nullptr) { return 0; }
    WordMask words = 0;
    for (unsigned i = 0; i < lines_.vectors_of_line(); ++i) {
        const bool whole = modifies_ && lanes_of(stored, i) != 0;
        words |= words_of_lanes(vectors[i].valid, i) & (whole ? parts | ~stored : parts);
    }
    decode(vectors, words, own);
    return words;
}

/// Correction (a).
void AffineVectorCache::passed(std::uint64_t line, WordMask words) {
    ++counters_.accesses;
    ++counters_.generic_stores;
    CompactVector* vectors = find(lines_.place_of(line));
    if (vectors == nullptr) { return; }
    for (unsigned i = 0; i < lines_.vectors_of_line(); ++i) {
        const std::uint32_t lanes = lanes_of(words, i);
        counters_.superseded_words += count(vectors[i].dirty & lanes);
        vectors[i].valid &= ~lanes;
        vectors[i].dirty &= ~lanes;
        if (vectors[i].valid == 0) { vectors[i] = {}; }
    }
}

/// The mask of a fill: the words that loads requested and the cache does not hold. Requested words that it holds were
/// stored during the fill and are newer.
AffineVectorCache::Encoded AffineVectorCache::encode_fill(const CompactVector* vectors, const L1Access& access,
                                                          WordMask asked, const std::byte* data) const {
    Words words;
    std::memcpy(words.data(), data, kLineBytes);
    Encoded result;
    for (unsigned i = 0; i < lines_.vectors_of_line(); ++i) {
        const std::uint32_t valid = vectors == nullptr ? 0 : vectors[i].valid;
        std::uint32_t lanes = lanes_of(asked, i) & ~valid;
        if (modifies_ && lanes != 0) {  // a vector is valid as a whole or absent
            const WordMask whole = words_of_lanes(lanes_of(~WordMask{0}, i), i);
            const bool comes = without(bytes_of_words(whole), bytes_of(access.sectors)) == ByteMask{};
            lanes = comes && valid == 0 ? lanes_of(~WordMask{0}, i) : 0;
            result.generic |= lanes == 0;
        }
        result.lanes[i] = lanes;
        if (lanes == 0) { continue; }
        result.vectors[i] = encode(words.data() + i * lines_.lanes(), lanes, lines_.lanes());
        result.generic |= !result.vectors[i];
        result.words |= words_of_lanes(lanes, i);
    }
    return result;
}

/// Algorithm 1, its miss. With half warps the fill is taken if each requested half is affine.
bool AffineVectorCache::fill(const L1Access& access, WordMask asked, const std::byte* data) {
    if (!encodes_) { return false; }
    const AvcPlace place = lines_.place_of(access.line);
    CompactVector* vectors = find(place);
    const Encoded encoded = encode_fill(vectors, access, asked, data);
    if (encoded.words == 0 || encoded.generic) {
        counters_.generic_fills += encoded.generic;
        return false;
    }
    if (vectors == nullptr && (vectors = place_for(place)) == nullptr) {
        ++counters_.refused_fills;
        return false;
    }
    unsigned conflicts = 0;
    for (unsigned i = 0; i < lines_.vectors_of_line(); ++i) {
        const bool conflict =
            encoded.vectors[i].has_value() && vectors[i].valid != 0 && encoded.vectors[i] != vectors[i].affine;
        conflicts |= static_cast<unsigned>(conflict) << i;
    }
    if (LOOKAHEAD_RULE(fill_conflict_makes_room) && conflicts != 0) {  // correction (c)
        if (!write_back(access.line, vectors, conflicts)) {
            ++counters_.refused_fills;
            return false;
        }
        counters_.fill_conflicts += count(conflicts);
    }
    for (unsigned i = 0; i < lines_.vectors_of_line(); ++i) {
        if (encoded.vectors[i]) {
            vectors[i].affine = *encoded.vectors[i];
            vectors[i].valid |= encoded.lanes[i];
        }
    }
    lines_.touch(lines_.find(place.group));
    ++counters_.affine_fills;
    return true;
}

/// The vectors of a line whose group is not in the cache; null if no room can be made.
CompactVector* AffineVectorCache::place_for(const AvcPlace& place) {
    const std::uint32_t at = lines_.choose(place.group);
    if (lines_.group(at) != kNoLine && !evict(at)) { return nullptr; }
    lines_.assign(at, place.group);
    return lines_.vectors(at) + place.first;
}

/// All vectors leave, each as a separate line to L2: bandwidth amplification (section 5.1). If the miss queue takes
/// only some of them, the others leave at the next attempt.
bool AffineVectorCache::evict(std::uint32_t at) {
    CompactVector* vectors = lines_.vectors(at);
    const std::uint64_t group = lines_.group(at);
    for (unsigned which = 0; which < lines_.memory_lines(); ++which) {
        CompactVector* each = vectors + which * lines_.vectors_of_line();
        if (words_that_are(&CompactVector::valid, each) != 0 && !write_back(lines_.line_of(group, which), each, ~0u)) {
            return false;
        }
    }
    lines_.release(at);
    ++counters_.evictions;
    return true;
}

/// Writes the dirty words of a line of memory to L2 together with L1's dirty ones, and removes L1's copy (correction
/// b). The vectors in `leaving` leave the cache; the others stay, clean.
bool AffineVectorCache::write_back(std::uint64_t line, CompactVector* vectors, unsigned leaving) {
    const WordMask words = words_that_are(&CompactVector::dirty, vectors);
    alignas(64) std::byte data[kLineBytes] = {};
    decode(vectors, words, data);
    if (!port_.write_back(line, words, data)) { return false; }
    counters_.write_backs += words != 0;
    counters_.written_back_words += count(words);
    for (unsigned i = 0; i < lines_.vectors_of_line(); ++i) {
        vectors[i].dirty = 0;
        if ((leaving >> i & 1) != 0) {
            counters_.evicted_vectors += vectors[i].valid != 0;
            vectors[i] = {};
        }
    }
    return true;
}

/// "Partial vectors from the AVC and L1 cache are merged together when written back" (section 4.3); here for L1's
/// write-backs, so that the words travel in one message. L1's copy of a word that is valid here is stale. If L1 has
/// nothing else to write, nothing travels, and the words stay here.
ByteMask AffineVectorCache::evicting(std::uint64_t line, const ByteMask& dirty, std::byte* data) {
    CompactVector* vectors = find(lines_.place_of(line));
    if (vectors == nullptr) { return dirty; }
    const WordMask valid = words_that_are(&CompactVector::valid, vectors);
    const ByteMask rest = without(dirty, bytes_of_words(valid));
    const WordMask own = words_that_are(&CompactVector::dirty, vectors);
    if (own == 0 || !rest.any()) { return rest; }
    const WordMask along = own & ~words_of(rest);
    decode(vectors, along, data);
    for (unsigned i = 0; i < lines_.vectors_of_line(); ++i) { vectors[i].dirty &= ~lanes_of(along, i); }
    ++counters_.merged_evictions;
    counters_.written_back_words += count(along);
    return rest | bytes_of_words(along);
}

bool AffineVectorCache::give_up(std::uint64_t line) {
    CompactVector* vectors = find(lines_.place_of(line));
    return vectors == nullptr || words_that_are(&CompactVector::valid, vectors) == 0 || write_back(line, vectors, ~0u);
}

/// No live thread can ask for these words: frames of ended threads cause no traffic.
void AffineVectorCache::forget() {
    counters_.discarded_words += lines_.dirty_words();
    lines_.clear();
}

void AffineVectorCache::audit(Audit& audit, const std::string& sm) const {
    audit.balance(
        sm, "words of local memory that were stored as affine vectors", counters_.dirtied_words,
        counters_.written_back_words + counters_.superseded_words + counters_.discarded_words + lines_.dirty_words());
}

LOOKAHEAD_REGISTER_STATISTICS(AvcCounters, "avc", "Affine vector cache of an SM.")
LOOKAHEAD_REGISTER_VARIANT(L1Companion, AffineVectorCache, "avc",
                           "Affine vector cache: private memory as base and stride, with a valid bit per word.",
                           "Collange and Kouyoumdjian, 2011")

}  // namespace lookahead::gpu
