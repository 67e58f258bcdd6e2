// Hashing, saving, loading, auditing, statistics.
#include <boost/archive/binary_iarchive.hpp>
#include <boost/archive/binary_oarchive.hpp>
#include <boost/serialization/array.hpp>
#include <boost/serialization/vector.hpp>

#include "components/mechanisms/pmode/pmode.h"
#include "core/lp/audit.h"
#include "core/param/parameter_registry.h"
#include "core/stats/state_hasher.h"
#include "core/stats/statistics_registry.h"

namespace lookahead::gpu {

LOOKAHEAD_REGISTER_STATISTICS(PmodeCounters, "pmode", "Warped pre-execution on an SM.")

void Pmode::audit(Audit& audit, const std::string& sm) const {
    audit.leak(sm, "renaming registers that are not free", pool_.size() - pool_.free());
    audit.leak(sm, "pre-executed instructions under way", operations_.size() - free_operations_.size());
    audit.leak(sm, "warps in pre-execution", pre_executing_.count());
    audit.balance(sm, "reusable results", counters_.queued, counters_.reused + counters_.flushed);
}

void Pmode::hash_state(StateHasher& hasher) const {
    for (const PreStream& stream : streams_) {
        hasher.add(static_cast<std::uint64_t>(stream.state) | std::uint64_t{stream.episode} << 32);
        stream.queue.hash(hasher);
        hasher.add(stream.own_epoch | std::uint64_t{stream.renamed} << 32 | std::uint64_t{stream.exited} << 48);
        hasher.add(stream.processed | std::uint64_t{stream.own_processed} << 32);
        if (stream.state == PreState::none) {
            continue;
        }
        stream.stack.hash(hasher);
        for (unsigned predicate = 0; predicate < isa::kPredicateRegisters; ++predicate) {
            hasher.add(stream.predicates[predicate]);
        }
        hasher.add(stream.buffered | std::uint64_t{stream.scratchpad_stale} << 8 |
                   std::uint64_t{stream.blocked_pc} << 32);
        hasher.add(stream.epoch);
        hasher.add(static_cast<std::uint64_t>(stream.entered));
    }
    for (const ContextBits* bits : {&pending_, &poison_, &redefined_}) {
        for (const std::uint64_t word : bits->words()) {
            hasher.add(word);
        }
    }
    fetch_under_way_.hash(hasher);
    pool_.hash(hasher);
    for (const Operation& operation : operations_) {
        hasher.add(operation.used
                       ? operation.pc | std::uint64_t{operation.context} << 32 | std::uint64_t{operation.place} << 48
                       : 0);
    }
    for (const std::uint32_t context : last_) {
        hasher.add(context);
    }
    hash(hasher, counters_);
}

void Pmode::visit_statistics(StatisticsVisitor& visitor, const std::string& sm) const {
    visit(visitor, sm, "pmode", counters_);
}

template <class Archive>
void Pmode::exchange(Archive& archive) {
    for (PreStream& stream : streams_) {
        archive& stream;
    }
    archive& pre_executing_& fetch_under_way_& map_.rows();
    archive& pending_.words() & poison_.words() & redefined_.words();
    archive& writers_& operations_& free_operations_& pool_& last_& pool_charged_;
    serialize_counters(archive, counters_);
}

/// Which follow from the streams' states.
void Pmode::find_masks() {
    masks_.fill(0);
    for (unsigned context = 0; context < streams_.size(); ++context) {
        masks_[static_cast<unsigned>(streams_[context].state)] |= context_bit(context);
    }
}

void Pmode::save(boost::archive::binary_oarchive& archive) const {
    const_cast<Pmode&>(*this).exchange(archive);  // Boost's operator& serves both ways; here it only reads
}

void Pmode::load(boost::archive::binary_iarchive& archive) {
    exchange(archive);
    find_masks();
}

}  // namespace lookahead::gpu
