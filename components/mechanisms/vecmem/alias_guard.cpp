#include "components/mechanisms/vecmem/alias_guard.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

namespace lookahead::vecmem {

namespace {

/// Pairs with the same distance up to a number and a multiple of one word, the stride.
struct Distances {
    Form common;                       ///< without its constant
    std::int64_t least = 0, most = 0;  ///< range of the constants
    std::optional<Term> varying;
    std::uint64_t times = 0;                          ///< the largest multiple of the stride, unsigned
    bool always_varies = true;                        ///< the stride is in the distance of every pair
    std::uint64_t first_bytes = 0, second_bytes = 0;  ///< the largest accesses
};

/// Adds the distance, split into a fixed part and a multiple of the stride. Returns false if that is too large.
bool add(std::vector<Distances>& all, const Assumption& assumption, const std::optional<Term>& stride) {
    Form common(assumption.distance.rows());
    std::optional<Term> varying;
    std::int64_t times = 0;
    for (const auto& [term, coefficient] : assumption.distance.terms()) {
        const auto number = static_cast<std::int64_t>(coefficient);
        if (term != stride) {
            common.add(term, coefficient);
            continue;
        }
        if (std::llabs(number) > (std::int64_t{1} << 20)) { return false; }
        varying = term;
        times = number;
    }
    const std::int64_t constant = assumption.distance.signed_constant();
    const auto found = std::ranges::find_if(all, [&](const Distances& each) {
        return each.common == common && (!each.varying || !varying || each.varying == varying);
    });
    const bool is_new = found == all.end();
    Distances& distances = is_new ? all.emplace_back() : *found;
    if (is_new) {
        distances.common = common;
        distances.least = distances.most = constant;
    }
    distances.least = std::min(distances.least, constant);
    distances.most = std::max(distances.most, constant);
    if (varying) { distances.varying = varying; }
    distances.always_varies &= varying.has_value();
    distances.times = std::max(distances.times, static_cast<std::uint64_t>(std::llabs(times)));
    distances.first_bytes = std::max<std::uint64_t>(distances.first_bytes, assumption.first_bytes);
    distances.second_bytes = std::max<std::uint64_t>(distances.second_bytes, assumption.second_bytes);
    return true;
}

/// Sign-extended words whose multiples are in distances: the stride, if there is one, is among them.
std::vector<std::optional<Term>> possible_strides(const std::vector<Assumption>& assumptions) {
    std::vector<std::optional<Term>> strides{std::nullopt};
    for (const Assumption& assumption : assumptions) {
        for (const auto& [term, coefficient] : assumption.distance.terms()) {
            if (term.extension == Extension::sign && std::ranges::find(strides, std::optional(term)) == strides.end()) {
                strides.emplace_back(term);
            }
        }
    }
    return strides;
}

/// Whether one comparison for each pair of bases suffices.
bool can_tell(const std::vector<Distances>& all) {
    return std::ranges::all_of(all, [](const Distances& each) {
        if (!each.varying) { return true; }
        // With one base, accesses can only overlap if the stride is 0.
        const bool in_place = each.common.is_constant();
        return each.common.rows() == 2 && (!in_place || (each.always_varies && each.least == 0 && each.most == 0));
    });
}

/// Writes one comparison for each pair of bases.
class GuardWriter {
  public:
    GuardWriter(VirtualKernel& kernel, const UnrolledLoop& loop, const std::vector<Distances>& all,
                std::function<VirtualOperand(const Term&)> operand)
        : loop_(loop),
          operand_(std::move(operand)),
          writer_(kernel, loop.checks, kernel.blocks[loop.rounds].code.back()) {
        apart_ = writer_.condition();
        for (const Distances& distances : all) {
            for (const auto& term : distances.common.terms()) { ++uses_[term]; }
        }
    }

    void compare(const Distances& distances) {
        if (distances.varying && distances.common.is_constant()) {
            apart_ =
                writer_.compare(Comparison::ne, Type::s32, operand_(*distances.varying), writer_.literal(0, 1), apart_);
            return;
        }
        const auto rows = static_cast<unsigned>(distances.common.rows());
        const Type type = rows == 2 ? Type::u64 : Type::u32;
        // Overlap is -second_bytes < distance < first_bytes; shifted to start at 0, this is one unsigned comparison.
        const std::uint64_t below = static_cast<std::uint64_t>(distances.most) + distances.second_bytes - 1;
        const std::uint64_t width = static_cast<std::uint64_t>(distances.most - distances.least) +
                                    distances.first_bytes + distances.second_bytes - 2;
        VirtualOperand sum = writer_.literal(below, rows);
        VirtualOperand limit = writer_.literal(width, rows);
        if (distances.varying) { std::tie(sum, limit) = moved_by_stride(distances, below, width); }
        std::vector<std::pair<Term, std::uint64_t>> terms = distances.common.terms();
        std::ranges::stable_sort(terms, std::ranges::greater{}, [&](const auto& each) { return uses_[each]; });
        for (const auto& [term, coefficient] : terms) { sum = add(sum, term, coefficient, rows); }
        apart_ = writer_.compare(Comparison::gt, type, sum, limit, apart_);
    }

    void end() { writer_.leave_unless(apart_, loop_.next); }

  private:
    /// Reuses sums with which several comparisons begin.
    VirtualOperand add(const VirtualOperand& sum, const Term& term, std::uint64_t coefficient, unsigned rows) {
        const auto key = std::tuple(sum.kind, sum.index, term, coefficient);
        if (const auto found = sums_.find(key); found != sums_.end()) { return found->second; }
        return sums_[key] = added(sum, term, coefficient, rows);
    }

    VirtualOperand added(const VirtualOperand& sum, const Term& term, std::uint64_t coefficient, unsigned rows) {
        const Type type = rows == 2 ? Type::u64 : Type::u32;
        VirtualOperand value = operand_(term);
        if (value.rows != rows && term.extension == Extension::sign) {
            value = writer_.compute(Operation::convert, Type::s64, value, {}, {}, Type::s32);
        } else if (value.rows != rows) {
            value = writer_.compute(Operation::convert, type, value, {}, {}, Type::u32);
        }
        if (coefficient == 1) { return writer_.compute(Operation::add, type, sum, value); }
        if (Form(rows, coefficient) == Form(rows, ~std::uint64_t{0})) {
            return writer_.compute(Operation::sub, type, sum, value);
        }
        return writer_.compute(Operation::add, type, sum,
                               writer_.compute(Operation::mul_lo, type, value, writer_.literal(coefficient, rows)));
    }

    /// `below` and `width` for distances that vary by multiples of the stride in both directions.
    std::pair<VirtualOperand, VirtualOperand> moved_by_stride(const Distances& distances, std::uint64_t below,
                                                              std::uint64_t width) {
        const auto key = std::tuple(*distances.varying, distances.times, below, width);
        if (const auto found = moved_.find(key); found != moved_.end()) { return found->second; }
        const VirtualOperand size = writer_.compute(Operation::abs, Type::s32, operand_(*distances.varying));
        const VirtualOperand reach =
            writer_.compute(Operation::mul_wide, Type::u64, size, writer_.literal(distances.times, 1), {}, Type::u32);
        const VirtualOperand sum = writer_.compute(Operation::add, Type::u64, reach, writer_.literal(below, 2));
        VirtualOperand limit = writer_.compute(Operation::add, Type::u64, sum, sum);
        if (width != 2 * below) {
            limit = writer_.compute(Operation::add, Type::u64, limit, writer_.literal(width - 2 * below, 2));
        }
        return moved_[key] = {sum, limit};
    }

    const UnrolledLoop& loop_;
    const std::function<VirtualOperand(const Term&)> operand_;
    BlockWriter writer_;
    std::uint32_t apart_ = kNone;
    std::map<std::tuple<Term, std::uint64_t, std::uint64_t, std::uint64_t>, std::pair<VirtualOperand, VirtualOperand>>
        moved_;
    std::map<std::pair<Term, std::uint64_t>, unsigned> uses_;  ///< by term and coefficient: comparisons that use it
    std::map<std::tuple<Operand::Kind, std::uint32_t, Term, std::uint64_t>, VirtualOperand> sums_;
};

}  // namespace

bool AliasGuard::is_join_here(ValueId id) const {
    return values_[id].kind == Value::Kind::join && values_[id].at.block == loop_.rounds;
}

Form AliasGuard::growth(const Term& term) const {
    Form now(term.high == kNoValue ? 1 : 2);
    now.add(term, 1);
    const auto& before = flow_.predecessors(loop_.rounds);
    const auto back = static_cast<std::size_t>(std::ranges::find(before, loop_.rounds) - before.begin());
    const Value& low = values_[term.low];
    const ValueId high = term.high == kNoValue ? kNoValue : values_[term.high].inputs[back];
    return forms_.value(low.inputs[back], high) - now;
}

bool AliasGuard::can_check(const Form& distance) const {
    Form moves(distance.rows());
    for (const auto& [term, coefficient] : distance.terms()) {
        if (term.constant) { continue; }
        bool joins = false;
        for (ValueId id : {term.low, term.high}) {
            if (id == kNoValue) { continue; }
            if (is_join_here(id)) {
                joins = true;
            } else if (values_[id].kind == Value::Kind::definition && values_[id].at.block == loop_.rounds) {
                return false;
            }
        }
        if (!joins) { continue; }
        if (term.extension != Extension::none || (term.high != kNoValue && !is_join_here(term.high)) ||
            !is_join_here(term.low)) {
            return false;
        }
        const Form growth = this->growth(term);
        if (growth.rows() != moves.rows()) { return false; }
        moves.add(growth, coefficient);
    }
    return moves.is_constant() && moves.constant() == 0;
}

bool AliasGuard::write(VirtualKernel& kernel, KeptValues& kept, const std::vector<Assumption>& assumptions,
                       std::vector<WordCopy>& copies) const {
    std::optional<std::vector<Distances>> fewest;
    for (const std::optional<Term>& stride : possible_strides(assumptions)) {
        std::vector<Distances> all;
        if (!std::ranges::all_of(assumptions, [&](const Assumption& each) { return add(all, each, stride); })) {
            continue;
        }
        if (can_tell(all) && (!fewest || all.size() < fewest->size())) { fewest = std::move(all); }
    }
    if (!fewest) { return false; }
    const std::vector<Distances>& all = *fewest;
    if (all.empty()) { return true; }
    GuardWriter writer(kernel, loop_, all, [&](const Term& term) -> VirtualOperand {
        if (!term.constant && is_join_here(term.low)) {
            return {Operand::Kind::reg, static_cast<std::uint8_t>(term.high == kNoValue ? 1 : 2),
                    values_[term.low].unit};
        }
        for (const WordCopy& copy : kept.copies(term)) { copies.push_back(copy); }
        return kept.operand(term);
    });
    for (const Distances& each : all) { writer.compare(each); }
    writer.end();
    return true;
}

}  // namespace lookahead::vecmem
