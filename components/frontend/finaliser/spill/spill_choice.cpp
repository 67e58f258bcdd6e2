#include "components/frontend/finaliser/spill/spill_choice.h"

#include <algorithm>
#include <optional>
#include <ranges>

namespace lookahead::finaliser {

namespace {

/// The cost of an access to local memory, in arithmetic instructions: an estimate between the L1's latency of some 30
/// cycles, which other warps hide, and one issue slot.
constexpr double kAccessCost = 8;
/// Crowded instructions during which a value made by spilling may live: those that make an instruction's sources.
constexpr double kShortLife = 8;
/// Instructions times missing registers beyond which many groups are spilled at once. A round's time grows with the
/// instructions, and the number of rounds with the missing registers; spilling one by one gives a few per cent fewer
/// accesses to local memory. At this product it takes about a second.
constexpr std::size_t kPatience = std::size_t{1} << 18;

/// The best way to remove a group from its registers.
struct Way {
    double cost = 0;
    bool by_recipe = false;
};

struct Candidate {
    Victim victim;
    double freed = 0;   ///< room that it makes where room is needed
    double gain = 0;    ///< the same, divided by its cost
    bool first = true;  ///< preferred to others whatever they gain
};

class Chooser {
  public:
    Chooser(const SpillView& view, const Allocation& allocation, unsigned limit, const SpilledValues& values)
        : view_(view),
          kernel_(view.kernel()),
          values_(values),
          registers_(allocation.registers),
          limit_(limit),
          needed_(view.instructions() + 1, 0),
          crowded_(view.instructions() + 1) {
        find_crowded(allocation, limit);
    }

    SpillChoice run() {
        SpillChoice result{{}, crowded_};
        std::vector<Candidate> candidates = rated(false);
        const bool anywhere = candidates.empty();
        if (anywhere) {
            // No group makes room at the crowded places: alignment costs the registers, so room anywhere helps.
            for (std::uint32_t i = 0; i < needed_.size(); ++i) { result.crowded.insert(i); }
            candidates = rated(true);
        }
        const bool many = !anywhere && std::size_t{view_.instructions()} * (registers_ - limit_) > kPatience;
        result.victims = many ? many_victims(std::move(candidates)) : one_for_each_place(candidates);
        return result;
    }

  private:
    /// Calls `visit(first, end)` for the instructions of every range of every row of the group.
    template <typename Visit>
    void for_each_range(std::uint32_t group, Visit visit) const {
        for (const RangeSet& row : view_.rows_of(group)) {
            for (const LiveRange& range : row.ranges()) { visit(range.start / 2, (range.end - 1) / 2 + 1); }
        }
    }

    /// Calls `visit(position)` for every instruction that accesses the group, once and in order.
    template <typename Visit>
    void for_each_access(std::uint32_t group, Visit visit) const {
        const std::span<const Access> reads = view_.reads(group), writes = view_.writes(group);
        std::uint32_t last = kNone;
        for (std::size_t read = 0, write = 0; read < reads.size() || write < writes.size();) {
            const bool is_read =
                write == writes.size() || (read < reads.size() && reads[read].position <= writes[write].position);
            const std::uint32_t position = is_read ? reads[read++].position : writes[write++].position;
            if (position != last) { visit(position); }
            last = position;
        }
    }

    /// Finds where registers beyond the limit are in use. If many are missing, this round is to free half of them.
    void find_crowded(const Allocation& allocation, unsigned limit) {
        for (std::uint32_t group = 0; group < kernel_.groups.size(); ++group) {
            if (!is_beyond_limit(allocation, limit, group)) { continue; }
            beyond_.push_back(group);
            for_each_range(group, [&](std::uint32_t first, std::uint32_t end) {
                for (std::uint32_t i = first; i < end; ++i) { ++needed_[i]; }
            });
        }
        for (std::uint32_t i = 0; i < needed_.size(); ++i) {
            if (needed_[i] == 0) { continue; }
            crowded_.insert(i);
            needed_[i] = (needed_[i] + 1) / 2;
        }
    }

    bool is_beyond_limit(const Allocation& allocation, unsigned limit, std::uint32_t group) const {
        const RowGroup& rows = kernel_.groups[group];
        for (std::uint32_t i = 0; i < rows.rows; ++i) {
            if (!view_.rows_of(group)[i].empty() && allocation.register_of[rows.first + i] >= limit) { return true; }
        }
        return false;
    }

    /// All groups whose spilling makes room, the best first.
    std::vector<Candidate> rated(bool anywhere) const {
        std::vector<Candidate> result;
        for (std::uint32_t group = 0; group < kernel_.groups.size(); ++group) {
            const double freed = freed_by(group, anywhere);
            if (freed <= 0) { continue; }
            if (anywhere && values_.is_backed(kernel_.groups[group])) { continue; }
            if (const auto way = way_of(group)) {
                result.push_back(
                    {{group, way->by_recipe}, freed, freed / (1 + way->cost), goes_first(group, way->by_recipe)});
            }
        }
        std::ranges::stable_sort(result, better);
        return result;
    }

    /// Recipes and affine groups take no room among the generic vectors in local memory.
    bool goes_first(std::uint32_t group, bool by_recipe) const {
        return !values_.affine_first || by_recipe || values_.is_affine(kernel_.groups[group]);
    }
    static bool better(const Candidate& a, const Candidate& b) {
        return a.first != b.first ? a.first : a.gain > b.gain;
    }

    /// The number of crowded instructions at which the group lives but is not accessed, times its rows there.
    double freed_by(std::uint32_t group, bool anywhere) const {
        const double lived = life_of(group, anywhere);
        // A value made for one instruction lives beside that instruction's other sources, in whatever order.
        if (lived == 0 || (group >= values_.originals && lived <= kShortLife * kernel_.groups[group].rows)) {
            return 0;
        }
        return lived - accessed_life_of(group, anywhere);
    }

    /// The number of crowded instructions, or of all, at which the group lives, times its rows.
    double life_of(std::uint32_t group, bool anywhere) const {
        double life = 0;
        for_each_range(group, [&](std::uint32_t first, std::uint32_t end) {
            life += anywhere ? end - first : crowded_.count(first, end);
        });
        return life;
    }

    /// The same for instructions that access the group: with all rows, because some access them one after another.
    double accessed_life_of(std::uint32_t group, bool anywhere) const {
        double life = 0;
        for_each_access(group, [&](std::uint32_t position) {
            if (anywhere || crowded_.contains(position)) { life += kernel_.groups[group].rows; }
        });
        return life;
    }

    std::optional<Way> way_of(std::uint32_t group) const {
        const RowGroup& rows = kernel_.groups[group];
        std::optional<Way> best;
        if (values_.is_backed(rows)) {
            best = Way{cost_of(view_.reads(group)), false};
        } else if (!view_.is_fixed(group) && !values_.is_pinned(group)) {
            best = Way{cost_of(view_.reads(group)) + cost_of(view_.writes(group)), false};
        }
        if (!values_.rematerialise) { return best; }
        double again = 0;
        for (const Access& read : view_.reads(group)) {
            const auto recipe = view_.recipes().recipe(read.operand, rows, read.place, read.position);
            if (!recipe) { return best; }
            again += read.weight * static_cast<double>(recipe->size());
        }
        if (!best || again < best->cost) { best = Way{again, true}; }
        return best;
    }

    static double cost_of(std::span<const Access> accesses) {
        double cost = 0;
        for (const Access& access : accesses) { cost += kAccessCost * access.weight * access.operand.rows; }
        return cost;
    }

    bool overlap(std::uint32_t a, std::uint32_t b) const {
        return std::ranges::any_of(view_.rows_of(a), [&](const RangeSet& one) {
            return std::ranges::any_of(view_.rows_of(b), [&](const RangeSet& other) { return one.overlaps(other); });
        });
    }

    /// Chooses for each place the group that is cheapest for its room. Recipes are valid only for the present code, so
    /// at most one is used.
    std::vector<Victim> one_for_each_place(std::span<const Candidate> candidates) const {
        std::vector<Victim> victims;
        for (const std::uint32_t crowded : beyond_) {
            const auto relieves = [&](const Victim& victim) { return overlap(victim.group, crowded); };
            if (std::ranges::any_of(victims, relieves)) { continue; }
            const auto best = std::ranges::find_if(candidates, relieves, &Candidate::victim);
            if (best == candidates.end()) { continue; }
            if (!best->victim.by_recipe) {
                victims.push_back(best->victim);
            } else if (victims.empty() || !victims.front().by_recipe) {
                victims.insert(victims.begin(), best->victim);
            }
        }
        return victims;
    }

    /// Chooses, one after another, the group that is cheapest for the room that it makes where those chosen so far do
    /// not suffice, until they do.
    std::vector<Victim> many_victims(std::vector<Candidate> candidates) {
        std::vector<Victim> victims;
        // Rows that recipes read, and spilled groups.
        std::vector<bool> read_again(kernel_.rows(), false), gone(kernel_.groups.size(), false);
        const auto worse = [](const Candidate& a, const Candidate& b) {
            return better(a, b) || better(b, a) ? better(b, a) : a.victim.group > b.victim.group;
        };
        std::ranges::make_heap(candidates, worse);
        while (!candidates.empty()) {
            std::ranges::pop_heap(candidates, worse);
            Candidate& best = candidates.back();
            const std::uint32_t group = best.victim.group;
            // As freed_by, where the chosen groups do not suffice.
            const double freed = life_of(group, false) - accessed_life_of(group, false);
            if (freed > 0 && freed < best.freed) {
                best.gain *= freed / best.freed;
                best.freed = freed;
                std::ranges::push_heap(candidates, worse);
                continue;
            }
            const Victim victim = best.victim;
            candidates.pop_back();
            if (freed <= 0 || is_any(read_again, group)) { continue; }
            if (victim.by_recipe) {
                const std::vector<std::uint32_t> rows = rows_read_again(group);
                if (std::ranges::any_of(rows, [&](std::uint32_t row) { return gone[kernel_.group_of[row]]; })) {
                    continue;
                }
                for (const std::uint32_t row : rows) { read_again[row] = true; }
            }
            gone[group] = true;
            victims.push_back(victim);
            relieve(group);
        }
        return victims;
    }

    bool is_any(const std::vector<bool>& rows, std::uint32_t group) const {
        const RowGroup& all = kernel_.groups[group];
        return std::ranges::any_of(std::views::iota(all.first, all.first + all.rows),
                                   [&](std::uint32_t row) { return rows[row]; });
    }

    /// The rows that must stay in registers if the group is recomputed.
    std::vector<std::uint32_t> rows_read_again(std::uint32_t group) const {
        std::vector<std::uint32_t> rows;
        for (const Access& read : view_.reads(group)) {
            const auto recipe = *view_.recipes().recipe(read.operand, kernel_.groups[group], read.place, read.position);
            for (const VirtualInstruction& instruction : recipe) {
                for (const VirtualOperand& operand : instruction.source) {
                    for (std::uint32_t i = 0; operand.kind == isa::Operand::Kind::reg && i < operand.rows; ++i) {
                        if (std::ranges::none_of(recipe, [&](const VirtualInstruction& made) {
                                return operand.index + i - made.destination < made.destination_rows;
                            })) {
                            rows.push_back(operand.index + i);
                        }
                    }
                }
            }
        }
        return rows;
    }

    /// Accounts for a group that will live only where it is accessed.
    void relieve(std::uint32_t group) {
        std::vector<std::uint32_t> accesses;
        for_each_access(group, [&](std::uint32_t position) { accesses.push_back(position); });
        for_each_range(group, [&](std::uint32_t first, std::uint32_t end) {
            auto next = std::ranges::lower_bound(accesses, first);
            for (std::uint32_t i = first; i < end; ++i) {
                if (next != accesses.end() && *next == i) {
                    ++next;
                    continue;
                }
                if (needed_[i] != 0 && --needed_[i] == 0) { crowded_.erase(i); }
            }
        });
    }

    const SpillView& view_;
    const VirtualKernel& kernel_;
    const SpilledValues& values_;
    unsigned registers_;
    unsigned limit_;
    std::vector<std::uint32_t> beyond_;  ///< groups with registers beyond the limit
    std::vector<std::uint32_t> needed_;  ///< by instruction: registers to be freed there
    BitSet crowded_;                     ///< instructions with any
};

}  // namespace

SpillChoice choose_victims(const SpillView& view, const Allocation& allocation, unsigned limit,
                           const SpilledValues& values) {
    return Chooser(view, allocation, limit, values).run();
}

}  // namespace lookahead::finaliser
