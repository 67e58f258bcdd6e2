#include "components/mechanisms/vecmem/packer.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <map>
#include <numeric>
#include <set>

#include "core/mutation/rule.h"

namespace lookahead::vecmem {

namespace {

/// Partners tried for each first element; in unrolled code none is farther away.
constexpr std::size_t kMostPartners = 64;

/// Sets the pattern's stride from the distance of two neighbours.
bool set_stride(Pattern& pattern, const Form& distance) {
    if (distance.is_constant()) {
        const std::int64_t bytes = distance.signed_constant();
        const std::int64_t elements = bytes / 4;
        if (bytes == 0 || bytes % 4 != 0) { return false; }
        if (elements != static_cast<std::int32_t>(elements)) { return false; }
        pattern.stride = static_cast<std::int32_t>(elements);
        return true;
    }
    if (distance.constant() != 0 || distance.terms().size() != 1) { return false; }
    const auto& [term, coefficient] = distance.terms()[0];
    if (coefficient % 4 != 0) { return false; }
    // A 64-bit multiple is no 32-bit multiple, which might wrap around.
    if (LOOKAHEAD_RULE(multiples_may_wrap) && distance.rows() == 2 && coefficient != 4) { return false; }
    if (term.high != kNoValue) { return false; }
    // The LSU sign-extends strides; in 32-bit addresses the upper half does not matter.
    if (LOOKAHEAD_RULE(strides_are_signed) && distance.rows() == 2 && term.extension != Extension::sign) {
        return false;
    }
    pattern.stride_term = term;
    pattern.stride_times = static_cast<std::uint32_t>(coefficient / 4);
    return true;
}

bool keeps_program_order(const std::vector<std::uint32_t>& members) {
    return std::ranges::is_sorted(members);
}

class StridedFinder {
  public:
    explicit StridedFinder(PatternSearch& search) : search_(search) {
        for (std::uint32_t number : search.free) { by_address_[address(number)].insert(number); }
    }

    void run(const std::function<bool(const Pattern&)>& take) {
        const std::vector<std::uint32_t> firsts = search_.free;
        for (std::uint32_t first : firsts) {
            if (!is_free(first)) { continue; }
            for (std::uint32_t second : partners(first)) {
                const auto pattern = pattern_from(first, second);
                if (!pattern || !take(*pattern)) { continue; }
                for (std::uint32_t member : pattern->members) { remove(member); }
                break;
            }
        }
    }

  private:
    const Form& address(std::uint32_t number) const { return search_.accesses[number].address; }
    bool is_free(std::uint32_t number) const { return std::ranges::binary_search(search_.free, number); }

    void remove(std::uint32_t number) {
        std::erase(search_.free, number);
        const auto found = by_address_.find(address(number));
        found->second.erase(number);
        if (found->second.empty()) { by_address_.erase(found); }
    }

    /// Partners at the smallest known distances first, then in program order.
    std::vector<std::uint32_t> partners(std::uint32_t first) const {
        std::vector<std::pair<std::uint64_t, std::uint32_t>> ranked;
        const auto middle = std::ranges::lower_bound(search_.free, first);
        const auto begin = middle - std::min<std::ptrdiff_t>(middle - search_.free.begin(), kMostPartners);
        const auto end = middle + std::min<std::ptrdiff_t>(search_.free.end() - middle, kMostPartners);
        for (auto at = begin; at != end; ++at) {
            if (*at == first) { continue; }
            const Form distance = address(*at) - address(first);
            const std::uint64_t far = std::numeric_limits<std::uint64_t>::max();
            ranked.emplace_back(
                distance.is_constant() ? static_cast<std::uint64_t>(std::llabs(distance.signed_constant())) : far, *at);
        }
        std::ranges::sort(ranked);
        std::vector<std::uint32_t> numbers;
        for (const auto& each : ranked) { numbers.push_back(each.second); }
        return numbers;
    }

    std::optional<Pattern> pattern_from(std::uint32_t first, std::uint32_t second) const {
        const Form distance = address(second) - address(first);
        Pattern pattern;
        pattern.strided = true;
        if (!set_stride(pattern, distance)) { return std::nullopt; }
        Form next = address(first);
        for (unsigned k = 0; k < search_.length; ++k, next.add(distance)) {
            const auto found = by_address_.find(next);
            if (found == by_address_.end()) { return std::nullopt; }
            pattern.members.push_back(k == 0 ? first : *found->second.begin());
        }
        // Elements at one place (stride 0) are written in the elements' order.
        const bool stores = !search_.accesses[first].loads;
        if (LOOKAHEAD_RULE(unknown_strides_store_in_order) && stores && !pattern.stride &&
            !keeps_program_order(pattern.members)) {
            return std::nullopt;
        }
        return pattern;
    }

    PatternSearch& search_;
    std::map<Form, std::set<std::uint32_t>> by_address_;
};

/// Orders loads from one base as their indices lie in registers, so that these need not be moved.
std::vector<std::size_t> order_of(const PatternSearch& search, const std::vector<std::uint32_t>& members,
                                  const std::vector<Term>& indices) {
    std::vector<std::size_t> order(members.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    // Stores may be to one place, where the program's last one must win.
    if (!search.accesses[members[0]].loads || !search.place_of_index) { return order; }
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return search.place_of_index(indices[i]); });
    return order;
}

bool is_index(const Term& term, std::uint64_t coefficient, unsigned rows) {
    if (coefficient != 4) { return false; }
    if (term.high != kNoValue) { return false; }
    return rows == 1 || term.extension == Extension::sign;
}

}  // namespace

void find_strided(PatternSearch& search, const std::function<bool(const Pattern&)>& take) {
    StridedFinder(search).run(take);
}

void find_indirect(PatternSearch& search, const std::function<bool(const Pattern&)>& take) {
    struct Indexed {
        std::vector<std::uint32_t> members;
        std::vector<Term> indices;
    };
    std::map<Form, Indexed> by_base;
    for (std::uint32_t number : search.free) {
        const Form& address = search.accesses[number].address;
        for (const auto& [term, coefficient] : address.terms()) {
            if (!is_index(term, coefficient, address.rows())) { continue; }
            Form base = address;
            base.add(term, ~coefficient + 1);
            Indexed& indexed = by_base[base];
            if (!indexed.members.empty() && indexed.members.back() == number) { continue; }
            indexed.members.push_back(number);
            indexed.indices.push_back(term);
        }
    }
    std::vector<std::pair<const Form*, const Indexed*>> ranked;
    for (const auto& [base, indexed] : by_base) {
        if (indexed.members.size() >= search.length) { ranked.emplace_back(&base, &indexed); }
    }
    // Any word of an address's sum may be the base: the one that most accesses share goes first.
    std::ranges::stable_sort(ranked, [](const auto& a, const auto& b) {
        if (a.second->members.size() != b.second->members.size()) {
            return a.second->members.size() > b.second->members.size();
        }
        return a.second->members.front() < b.second->members.front();
    });
    for (const auto& [base, indexed] : ranked) {
        const std::vector<std::size_t> order = order_of(search, indexed->members, indexed->indices);
        Pattern pattern;
        pattern.base = *base;
        for (std::size_t i : order) {
            if (!std::ranges::binary_search(search.free, indexed->members[i])) { continue; }
            pattern.members.push_back(indexed->members[i]);
            pattern.indices.push_back(indexed->indices[i]);
            if (pattern.members.size() < search.length) { continue; }
            if (take(pattern)) {
                for (std::uint32_t member : pattern.members) { std::erase(search.free, member); }
            }
            pattern.members.clear();
            pattern.indices.clear();
        }
    }
}

namespace {

/// Whether a literal factor of a 32-bit product is the coefficient: with two rows it is extended like the word.
bool fits_factor(std::uint64_t coefficient, const Term& term, unsigned rows) {
    if (rows == 1) { return true; }
    if (term.extension == Extension::zero) { return coefficient == static_cast<std::uint32_t>(coefficient); }
    return static_cast<std::int64_t>(coefficient) == static_cast<std::int32_t>(coefficient);
}

}  // namespace

std::vector<Term> VectorBase::terms() const {
    std::vector<Term> all;
    if (whole) { all.push_back(*whole); }
    if (scaled) { all.push_back(*scaled); }
    return all;
}

std::optional<VectorBase> vector_base(const Form& form) {
    VectorBase base;
    base.rows = form.rows();
    for (const auto& [term, coefficient] : form.terms()) {
        const bool is_whole = form.rows() == 1 || term.high != kNoValue;
        if (!base.whole && is_whole && coefficient == 1) {
            base.whole = term;
        } else if (!base.scaled && term.high == kNoValue && fits_factor(coefficient, term, form.rows())) {
            base.scaled = term;
            base.coefficient = static_cast<std::uint32_t>(coefficient);
        } else {
            return std::nullopt;
        }
    }
    const std::int64_t constant = form.signed_constant();
    if (base.whole && constant != static_cast<std::int32_t>(constant)) { return std::nullopt; }
    if (base.whole) {
        base.offset = static_cast<std::int32_t>(constant);
    } else {
        base.constant = form.constant();
    }
    return base;
}

}  // namespace lookahead::vecmem
