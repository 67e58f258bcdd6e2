#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>

#include "components/protocols/byte_mask.h"
#include "components/protocols/memory.h"
#include "core/component/slot.h"
#include "core/time/time.h"

namespace lookahead {
class Audit;
class StateArchive;
}  // namespace lookahead

namespace lookahead::gpu {

struct L1Access;

/// 32-bit words of a line, one bit per word, lowest address first.
using WordMask = std::uint32_t;

inline ByteMask bytes_of_words(WordMask words) {
    const auto half = [](std::uint32_t sixteen) { return _pdep_u64(sixteen, 0x1111111111111111u) * 0xf; };
    return {{half(words & 0xffff), half(words >> 16)}};
}
/// The words with every byte in the mask.
inline WordMask whole_words_of(const ByteMask& mask) {
    const ByteMask others = {{~mask.bits[0], ~mask.bits[1]}};
    return ~words_of(others);
}

/// L1's services to its companion.
class L1CompanionPort {
  public:
    virtual ~L1CompanionPort() = default;
    /// Sends the given words of the line to L2, with the other dirty bytes of L1's copy, and drops the copy. A fill
    /// under way serves its waiters and is not installed. Sends nothing if there is nothing to write. Returns false,
    /// without any change, if the miss queue is full or the waiters of a fill under way need dirty bytes.
    virtual bool write_back(std::uint64_t line, WordMask words, const std::byte* data) = 0;
};

/// Arguments for a companion's construction; the port outlives it.
struct L1CompanionArguments {
    const Configuration& configuration;
    L1CompanionPort& port;
    unsigned contexts = 0;  ///< stream contexts of the SM
};

/// Slot "l1d.companion": a structure in front of L1 that may hold words of the threads' private (local) memory in its
/// own form. Designed for affine vectors: Collange and Kouyoumdjian, "Affine Vector Cache for memory bandwidth
/// savings", 2011, section 4.3; `load` and `fill` are algorithm 1, `store` is algorithm 2.
///
/// The load/store unit passes it every demand access to a line of local memory before L1, one per cycle. `data` always
/// has the size of a line; only the words or bytes of the accompanying mask are valid.
///
/// Contract:
/// - a word that the companion holds supersedes L1's copy, which may be stale (the paper's valid bit of an affine
///   vector). So a word that it absorbed from a store or took from an eviction leaves it only by
///   L1CompanionPort::write_back, by `passed`, or dead (`begin_kernel`, `flush`). It may forget a word from a fill at
///   any time if no store has changed it.
/// - a load that finds only some of its words is served in part: the other lanes come again in a later cycle as a load
///   of their own. If L1 has no room for the missing words, the load comes again as often as necessary: `load` counts
///   what it serves, and `missed` is called once, for the words that L1 has accepted.
/// - a store is absorbed, passed to L1, or stalled. It may stall only if a write_back for it was refused, and comes
///   again when that may have changed. If it is passed, L1 receives beneath its bytes the companion's own words
///   `with_it`: at least those that the store changes in part, and others that the companion gives up. L1 does not
///   receive the words `absorbed`. After L1 has accepted the store, `passed` names all words that L1 received, and the
///   companion drops them. Until then nothing else changes: a store for which L1 has no room is passed again.
/// - a fill changes no newer words that the companion holds. The companion may take a fill, and L1 then does not
///   install it. A fill is offered after all its waiters have been served, and only if L1 holds and awaits nothing else
///   of the line. The companion may write the line back during the call.
/// - `L1Access::as_vector` marks accesses that are one vector. Accesses to parts of words, by lanes at different
///   addresses, or by an element of a vector memory instruction are not. Every load looks the companion up.
/// - all calls of a cycle come in the order of the unit's work, and the companion's choices depend on them alone.
/// - `fields` lists all state.
class L1Companion {
  public:
    static constexpr SlotDeclaration kSlot{"l1d.companion", "none",
                                           "Holds words of the threads' private memory in front of L1D."};
    using Arguments = std::tuple<const L1CompanionArguments&>;

    enum class StoreAnswer : std::uint8_t { absorbed, passed, stalled };
    struct StoreResult {
        StoreAnswer answer;
        WordMask with_it = 0;   ///< if passed: words put into `own`
        WordMask absorbed = 0;  ///< if passed: words that L1 does not receive
    };

    virtual ~L1Companion() = default;

    /// Cycles added to every load from private memory, wherever it is served.
    virtual Cycle latency() const { return 0; }

    /// Puts the words that it holds, out of `wanted`, into `data` and returns them.
    virtual WordMask load(const L1Access& access, WordMask wanted, std::byte* data) = 0;
    /// Called when L1 has accepted a load of these words: L1 holds, awaits or has requested them.
    virtual void missed(const L1Access&, WordMask) {}
    virtual StoreResult store(const L1Access& access, const ByteMask& mask, const std::byte* data, std::byte* own) = 0;
    virtual void passed(std::uint64_t line, WordMask words) = 0;
    /// Called when the sectors in `access` have come. `asked`: words for which vector loads waited. Returns true if the
    /// companion takes the sectors.
    virtual bool fill(const L1Access& access, WordMask asked, const std::byte* data) = 0;
    /// Called when L1 writes back dirty bytes of a line that makes room. Returns the bytes to send to L2: without those
    /// that the companion takes over or knows to be stale, and with words of its own that it puts into `data` and no
    /// longer needs to write back.
    virtual ByteMask evicting(std::uint64_t /*line*/, const ByteMask& dirty, std::byte* /*data*/) { return dirty; }
    /// Called before L2 performs an atomic on the line: writes back the words absorbed from stores and drops the line.
    /// What L1 then writes back for the atomic goes to L2 unchanged. Returns false if write_back was refused.
    virtual bool give_up(std::uint64_t line) = 0;

    /// Called when a kernel begins: forgets everything, as L1 forgets the dirty bytes of private memory.
    virtual void begin_kernel() = 0;
    /// Called after `begin_kernel` with the size of a thread's private memory. A warp's words fill that many lines
    /// (isa::local_memory_per_warp), and the warps' memories are consecutive.
    virtual void begin_launch(std::uint32_t /*words_of_thread*/) {}
    /// Called every cycle after the kernel's threads have ended, until it returns true because it holds nothing.
    /// Private memory is dead by then and need not be written back.
    virtual bool flush() = 0;

    virtual void audit(Audit&, const std::string& sm) const { static_cast<void>(sm); }
    virtual void visit_statistics(StatisticsVisitor&, const std::string& sm) const { static_cast<void>(sm); }
    virtual void fields(StateArchive& archive) = 0;
};

/// Null for the variant "none", which costs one test of the pointer per access.
std::unique_ptr<L1Companion> make_companion(const L1CompanionArguments& arguments);

}  // namespace lookahead::gpu
