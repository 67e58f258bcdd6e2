#include "experiments/profile/address_sources.h"

#include <algorithm>

#include "components/isa/instruction.h"
#include "experiments/profile/innermost_loops.h"

namespace lookahead::profile {
namespace {

using isa::Instruction;
using isa::Operation;

bool hands_on_memory(const Instruction& instruction) {
    return isa::is_load(instruction.operation) || instruction.operation == Operation::texture;
}

class LoadSearch {
  public:
    LoadSearch(std::span<const Instruction> code, std::span<const std::uint32_t> loop_of,
               const ReachingDefinitions& definitions)
        : code_(code), loop_of_(loop_of), definitions_(definitions), seen_in_(code.size(), UINT32_MAX) {}

    std::vector<std::uint32_t> of(std::uint32_t access) {
        std::vector<std::uint32_t> loads, open;
        const auto follow = [&](std::uint32_t reader, std::uint32_t unit) {
            if (unit == kNoUnit) { return; }
            for (const std::uint32_t writer : definitions_.writers(reader, unit)) {
                if (loop_of_[writer] != loop_of_[access] || seen_in_[writer] == access) { continue; }
                seen_in_[writer] = access;
                if (hands_on_memory(code_[writer])) {
                    loads.push_back(writer);
                } else if (!isa::is_memory(code_[writer].operation)) {
                    open.push_back(writer);
                }
            }
        };
        for_each_unit(code_[access].source[0], [&](std::uint32_t unit) { follow(access, unit); });
        while (!open.empty()) {
            const std::uint32_t at = open.back();
            open.pop_back();
            for (const isa::Operand& operand : code_[at].source) {
                for_each_unit(operand, [&](std::uint32_t unit) { follow(at, unit); });
            }
            for (const std::uint8_t predicate : {code_[at].source_predicate, code_[at].source_predicate2}) {
                follow(at, unit_of_predicate(predicate));
            }
        }
        std::ranges::sort(loads);
        return loads;
    }

  private:
    std::span<const Instruction> code_;
    std::span<const std::uint32_t> loop_of_;
    const ReachingDefinitions& definitions_;
    std::vector<std::uint32_t> seen_in_;  ///< instruction -> the last access whose search met it
};

/// The loads from which `from`'s address is computed, directly or through other loads.
std::vector<bool> reached(std::uint32_t from, std::span<const std::vector<std::uint32_t>> loads,
                          const std::vector<bool>& moves) {
    std::vector<bool> inside(loads.size(), false);
    std::vector<std::uint32_t> open{from};
    while (!open.empty()) {
        const std::uint32_t at = open.back();
        open.pop_back();
        for (const std::uint32_t load : loads[at]) {
            if (!moves[load] || inside[load]) { continue; }
            inside[load] = true;
            open.push_back(load);
        }
    }
    return inside;
}

}  // namespace

std::vector<std::vector<std::uint32_t>> address_loads(std::span<const Instruction> code,
                                                      std::span<const std::uint32_t> loop_of,
                                                      const ReachingDefinitions& definitions) {
    LoadSearch search(code, loop_of, definitions);
    std::vector<std::vector<std::uint32_t>> loads(code.size());
    for (std::uint32_t i = 0; i < code.size(); ++i) {
        if (loop_of[i] != kNoLoop && isa::is_memory(code[i].operation)) { loads[i] = search.of(i); }
    }
    return loads;
}

std::vector<Indirection> indirections(std::span<const std::vector<std::uint32_t>> loads,
                                      const std::vector<bool>& moves) {
    std::vector<Indirection> kinds(loads.size(), Indirection::none);
    std::vector<std::uint32_t> indirect;
    for (std::uint32_t i = 0; i < loads.size(); ++i) {
        if (std::ranges::any_of(loads[i], [&](std::uint32_t load) { return moves[load]; })) {
            kinds[i] = Indirection::regular;
            indirect.push_back(i);
        }
    }
    std::vector<std::vector<bool>> chains;
    for (const std::uint32_t i : indirect) { chains.push_back(reached(i, loads, moves)); }
    std::vector<bool> cyclic(loads.size(), false);
    for (std::size_t n = 0; n < indirect.size(); ++n) { cyclic[indirect[n]] = chains[n][indirect[n]]; }
    for (std::size_t n = 0; n < indirect.size(); ++n) {
        bool irregular = false;
        for (std::uint32_t i = 0; i < loads.size(); ++i) { irregular |= chains[n][i] && cyclic[i]; }
        if (irregular) { kinds[indirect[n]] = Indirection::irregular; }
    }
    return kinds;
}

}  // namespace lookahead::profile
