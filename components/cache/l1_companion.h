#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>

#include "components/cache/byte_mask.h"
#include "components/protocols/memory.h"
#include "core/component/slot.h"
#include "core/time/time.h"

namespace lookahead {
class Audit;
class StateArchive;
class StatisticsVisitor;
}  // namespace lookahead

namespace lookahead::gpu {

struct L1Access;

/// 32-bit words of a line, a bit a word, the lowest for the lowest address.
using WordMask = std::uint32_t;

/// All bytes of the words.
inline ByteMask bytes_of_words(WordMask words) {
    const auto half = [](std::uint32_t sixteen) { return _pdep_u64(sixteen, 0x1111111111111111u) * 0xf; };
    return {{half(words & 0xffff), half(words >> 16)}};
}
/// The words of which every byte is in the mask.
inline WordMask whole_words_of(const ByteMask& mask) {
    const ByteMask others = {{~mask.bits[0], ~mask.bits[1]}};
    return ~words_of(others);
}

/// What a companion may have L1 do.
class L1CompanionPort {
  public:
    virtual ~L1CompanionPort() = default;
    /// Writes words of the line to L2, together with those dirty bytes of L1's copy that are not among them; the copy
    /// is dropped, and a fill of it that is under way serves those who wait and is not installed. Nothing is sent where
    /// there is neither. False, and nothing is done: there is no place in the miss queue, or a fill is under way whose
    /// waiters are to see dirty bytes.
    virtual bool write_back(std::uint64_t line, WordMask words, const std::byte* data) = 0;
};

/// Slot "l1d.companion": a structure in front of L1 for the threads' private (local) memory, of which it may hold words
/// in a form of its own. Affine vectors are what it was made for: Collange and Kouyoumdjian, "Affine Vector Cache for
/// memory bandwidth savings", 2011, section 4.3, whose algorithm 1 is `load` and `fill` here and algorithm 2 `store`.
///
/// The load/store unit shows it every demand access to a line of local memory before L1 sees it, one a cycle. `data` is
/// always that of a whole line, of which the words or bytes of the mask beside it hold.
///
/// Contract:
/// - a word that the companion holds goes before L1's copy of it, which may be stale (a set valid bit of an affine
///   vector says so). So a word that it absorbed with a store, or took from L1's eviction, leaves it only by
///   L1CompanionPort::write_back, by `passed`, or dead (`begin_kernel`, `flush`). A word that it took from a fill and
///   that has not been stored to since may be forgotten at any time.
/// - a load that finds some of its words is served in part: the lanes that ask for the others come again, in a later
///   cycle, as a load of their own. Where L1 has no room for what the companion lacks, the load comes again too, as
///   often as need be: `load` counts what it serves, `missed` is called once for what L1 has taken on.
/// - a store is absorbed, passed to L1, or stalled. It may be stalled only if a write_back for it was refused, and it
///   comes again when that may have changed. With one that is passed L1 gets, under the store's bytes, the words
///   `with_it` of the companion's own: at least those that the store changes in part, and others that it gives up. The
///   companion may have absorbed some of the store's words, `absorbed`, which L1 does not get then. After L1 has taken
///   it, `passed` names all words that L1 got, which the companion then no longer holds. Until then nothing else has
///   changed: a store that L1 has no room for is shown again.
/// - a fill that comes while the companion holds newer words of the line changes none of them. A fill may be taken:
///   then L1 does not install it. It is offered after all who wait for it have been served, and only where L1 holds or
///   awaits nothing else of the line. The companion may write the line back then.
/// - `L1Access::as_vector` tells accesses that are one vector from those that are not: of parts of words, of lanes at
///   different addresses, of an element of a vector memory instruction. Every load looks the companion up.
/// - all calls of one cycle come in the order of the unit's work; the companion's choices depend on them alone.
/// - all state is in `fields`.
class L1Companion {
  public:
    enum class StoreAnswer : std::uint8_t { absorbed, passed, stalled };
    struct StoreResult {
        StoreAnswer answer;
        WordMask with_it = 0;   ///< of a store that is passed: words that were put into `own`
        WordMask absorbed = 0;  ///< of a store that is passed: words that L1 does not get
    };

    virtual ~L1Companion() = default;

    /// Cycles that every load from private memory takes longer, wherever it is served.
    virtual Cycle latency() const { return 0; }

    /// Puts those of the `wanted` words that it holds into `data`, and returns them.
    virtual WordMask load(const L1Access& access, WordMask wanted, std::byte* data) = 0;
    /// L1 has taken on a load of these words: it holds them, awaits them, or has asked for them.
    virtual void missed(const L1Access&, WordMask) {}
    virtual StoreResult store(const L1Access& access, const ByteMask& mask, const std::byte* data, std::byte* own) = 0;
    virtual void passed(std::uint64_t line, WordMask words) = 0;
    /// A line, or those of its sectors that `access` names, has come; `asked`: words for which loads waited that were
    /// vectors. True: taken.
    virtual bool fill(const L1Access& access, WordMask asked, const std::byte* data) = 0;
    /// L1 is about to write dirty bytes of a line back, which makes room. Returns the bytes that go to L2: without
    /// those that the companion takes, which are its own then, and those that it knows to be stale, and with words that
    /// it puts into `data` of its own, which need not be written back again.
    virtual ByteMask evicting(std::uint64_t /*line*/, const ByteMask& dirty, std::byte* /*data*/) { return dirty; }
    /// Before an atomic on the line, which L2 performs: writes back what it absorbed of the line, and holds nothing of
    /// it afterwards; what L1 then writes back for the atomic goes to L2 as it is. False: write_back was refused.
    virtual bool give_up(std::uint64_t line) = 0;

    /// A kernel begins: everything is forgotten. L1's dirty bytes of private memory are, too.
    virtual void begin_kernel() = 0;
    /// After `begin_kernel`: each thread of the kernel has so many words of private memory, so that a warp's lie in as
    /// many lines (isa::local_memory_per_warp), one warp's after another's.
    virtual void begin_launch(std::uint32_t /*words_of_thread*/) {}
    /// The kernel's threads have ended; called every cycle until it returns true: it holds nothing any more. Private
    /// memory is dead by then, so that nothing need be written back.
    virtual bool flush() = 0;

    virtual void audit(Audit&, const std::string& sm) const { static_cast<void>(sm); }
    virtual void visit_statistics(StatisticsVisitor&, const std::string& sm) const { static_cast<void>(sm); }
    virtual void fields(StateArchive& archive) = 0;
};

/// What a companion is built from; the port outlives it.
struct L1CompanionArguments {
    const Configuration& configuration;
    L1CompanionPort& port;
    unsigned contexts = 0;  ///< stream contexts of the SM
};

/// Null for the variant "none", which costs a test of that pointer an access.
std::unique_ptr<L1Companion> make_companion(const L1CompanionArguments& arguments);

}  // namespace lookahead::gpu

template <>
struct lookahead::SlotTraits<lookahead::gpu::L1Companion> {
    static constexpr std::string_view name = "l1d.companion";
    static constexpr std::string_view default_variant = "none";
    static constexpr std::string_view description = "Holds words of the threads' private memory in front of L1D.";
    using Arguments = std::tuple<const lookahead::gpu::L1CompanionArguments&>;
};
