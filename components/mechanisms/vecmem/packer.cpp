#include "components/mechanisms/vecmem/packer.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "components/frontend/finaliser/code/literals.h"
#include "components/mechanisms/vecmem/block_order.h"

namespace lookahead::vecmem {

namespace {

/// Longer stretches are packed in parts, as they are scheduled.
constexpr std::uint32_t kMostStretch = 2048;

/// A pattern with the operands of its instruction.
struct Group {
    Pattern pattern;
    bool loads = true;
    VectorBase base;  ///< indirect
    std::vector<Term> needs;
};

class BlockPacker {
  public:
    BlockPacker(VirtualKernel& kernel, const Forms& forms, KeptValues& kept, std::uint32_t block,
                const PackOptions& options)
        : kernel_(kernel),
          forms_(forms),
          kept_(kept),
          block_(block),
          options_(options),
          accesses_(accesses_of(kernel, block, forms)) {}

    PackedBlock run() {
        for (Access& access : accesses_) {
            const bool wanted = access.space == isa::Space::shared ? options_.kinds.shared : options_.kinds.global;
            if (access.stays == Reason::none && !wanted) { access.stays = Reason::kind; }
        }
        find_conflicts();
        find_stretches();
        for (unsigned length : options_.lengths) {
            for (auto& [key, free] : pools_) {
                PatternSearch search{accesses_, free, length, [this](const Term& index) { return place_of(index); }};
                const auto take = [this](const Pattern& pattern) { return try_pattern(pattern); };
                if (options_.kinds.strided) { find_strided(search, take); }
                if (options_.kinds.indirect) { find_indirect(search, take); }
                free = search.free;
            }
        }
        for (const Access& access : accesses_) {
            if (access.stays != Reason::none) { result_.left[access.index] = access.stays; }
        }
        for (const auto& [key, free] : pools_) {
            for (std::uint32_t number : free) {
                const auto found = tried_.find(number);
                result_.left[accesses_[number].index] = found == tried_.end() ? Reason::alone : found->second;
            }
        }
        if (!groups_.empty()) { rewrite(); }
        return std::move(result_);
    }

  private:
    using Pool = std::tuple<std::uint32_t, bool, isa::Space, std::uint8_t, unsigned, unsigned>;

    /// The vector and the element that loaded a word; one common place for all words that no vector loaded.
    std::pair<std::uint32_t, std::uint32_t> place_of(const Term& word) const {
        const std::vector<WordCopy> copies = kept_.copies(word);
        if (copies.empty() || copies[0].block != block_) { return {kNone, 0}; }
        for (std::uint32_t group = 0; group < groups_.size(); ++group) {
            const std::vector<std::uint32_t>& members = groups_[group].pattern.members;
            for (std::uint32_t k = 0; k < members.size(); ++k) {
                if (accesses_[members[k]].index == copies[0].behind) { return {group, k}; }
            }
        }
        return {kNone, 0};
    }

    const std::vector<VirtualInstruction>& code() const { return kernel_.blocks[block_].code; }

    /// Calls visit(group, copy) for the copies that the groups need.
    void for_each_copy(auto visit) {
        for (const Group& group : groups_) {
            for (const Term& term : group.needs) {
                for (const WordCopy& copy : kept_.copies(term)) { visit(group, copy); }
            }
        }
    }

    /// Pairs that may be to one place and include a store.
    void find_conflicts() {
        conflicts_behind_.resize(accesses_.size());
        conflicts_before_.resize(accesses_.size());
        for (std::uint32_t b = 0; b < accesses_.size(); ++b) {
            for (std::uint32_t a = 0; a < b; ++a) {
                if (!accesses_[a].writes && !accesses_[b].writes) { continue; }
                if (are_disjoint(accesses_[a], accesses_[b])) { continue; }
                const bool checked = can_check(accesses_[a], accesses_[b]);
                (checked ? checked_ : conflicts_).emplace_back(a, b);
                if (checked) { continue; }
                conflicts_behind_[a].push_back(b);
                conflicts_before_[b].push_back(a);
            }
        }
    }

    bool can_check(const Access& a, const Access& b) const {
        if (!options_.can_check || a.space != b.space || !a.has_address || !b.has_address) { return false; }
        if (a.address.rows() != b.address.rows()) { return false; }
        return options_.can_check(b.address - a.address);
    }

    /// Finds accesses that one instruction could replace, judged by their addresses.
    void find_stretches() {
        std::uint32_t stretch = 0, begin = 0;
        std::size_t next = 0;
        for (std::uint32_t index = 0; index < code().size(); ++index) {
            if (parts_accesses(code()[index]) || index - begin >= kMostStretch) {
                ++stretch;
                begin = index;
            }
            if (next == accesses_.size() || accesses_[next].index != index) { continue; }
            const Access& access = accesses_[next];
            const isa::InstructionForm& machine = code()[index].machine;
            if (access.stays == Reason::none) {
                pools_[{stretch, access.loads, access.space, machine.address_window, access.address.rows(),
                        static_cast<unsigned>(machine.scope)}]
                    .push_back(static_cast<std::uint32_t>(next));
            }
            ++next;
        }
    }

    /// A sum in the first element's address if there is one, else a new one.
    std::optional<VectorBase> base_of(const Pattern& pattern) const {
        const auto made = vector_base(pattern.base);
        if (made && !made->scaled) { return made; }
        const auto found = forms_.part_of_address({block_, accesses_[pattern.members[0]].index}, pattern.base);
        if (!found || found->second != static_cast<std::int32_t>(found->second)) { return made; }
        VectorBase base;
        base.rows = pattern.base.rows();
        base.whole = found->first;
        base.offset = static_cast<std::int32_t>(found->second);
        return base;
    }

    /// Whether an access outside the pattern must follow one member and precede another. ordered() would find it later.
    bool stands_around_a_conflict(const Pattern& pattern) const {
        std::set<std::uint32_t> behind;
        for (std::uint32_t member : pattern.members) {
            for (std::uint32_t other : conflicts_behind_[member]) { behind.insert(other); }
        }
        for (std::uint32_t member : pattern.members) { behind.erase(member); }
        for (std::uint32_t member : pattern.members) {
            for (std::uint32_t other : conflicts_before_[member]) {
                if (behind.contains(other)) { return true; }
            }
        }
        return false;
    }

    bool try_pattern(const Pattern& pattern) {
        Group group;
        group.pattern = pattern;
        group.loads = accesses_[pattern.members[0]].loads;
        const auto refuse = [&](Reason reason) {
            for (std::uint32_t member : pattern.members) { tried_[member] = reason; }
            return false;
        };
        if (pattern.strided) {
            if (!pattern.stride) { group.needs.push_back(pattern.stride_term); }
        } else {
            const auto base = base_of(pattern);
            if (!base) { return refuse(Reason::address); }
            group.base = *base;
            group.needs = base->terms();
            for (const Term& index : pattern.indices) { group.needs.push_back(index); }
        }
        if (stands_around_a_conflict(pattern)) { return refuse(Reason::alias); }
        groups_.push_back(std::move(group));
        const BlockOrder order = ordered();
        if (order.fault == OrderFault::none) { return true; }
        groups_.pop_back();
        return refuse(order.fault == OrderFault::memory ? Reason::alias : Reason::dependence);
    }

    /// Orders the block's instructions, each with the copies after it that its values need, with new reads and writes.
    BlockOrder ordered() {
        nodes_.clear();
        node_of_.assign(code().size(), kNone);
        local_copies_.clear();
        std::map<std::uint32_t, std::vector<WordCopy>> behind;
        std::set<std::uint32_t> copied;
        for_each_copy([&](const Group&, const WordCopy& copy) {
            if (copy.block == block_ && copied.insert(copy.row).second) {
                behind[copy.behind == kNone ? 0 : copy.behind + 1].push_back(copy);
            }
        });
        const auto add_copies = [&](std::uint32_t at) {
            const auto found = behind.find(at);
            if (found == behind.end()) { return; }
            for (const WordCopy& copy : found->second) {
                local_copies_[static_cast<std::uint32_t>(nodes_.size())] = copy;
                nodes_.push_back({move_of(copy.word, copy.row, code()[at == 0 ? 0 : at - 1]), std::uint64_t{2} * at,
                                  kNone, std::uint64_t{2} * wanted_place(at)});
            }
        };
        for (std::uint32_t index = 0; index < code().size(); ++index) {
            add_copies(index);
            node_of_[index] = static_cast<std::uint32_t>(nodes_.size());
            nodes_.push_back({code()[index], std::uint64_t{2} * index + 1, kNone, 2 * wanted_place(index) + 1});
        }
        add_copies(static_cast<std::uint32_t>(code().size()));
        for (std::uint32_t number = 0; number < groups_.size(); ++number) { set_views(number); }
        std::vector<OrderGroup> order_groups;
        for (const Group& group : groups_) { order_groups.push_back({group.loads}); }
        OrderPairs memory, needs;
        for (const auto& [a, b] : conflicts_) {
            memory.emplace_back(node_of_[accesses_[a].index], node_of_[accesses_[b].index]);
        }
        std::map<std::uint32_t, std::uint32_t> copy_of_row;
        for (const auto& [node, copy] : local_copies_) { copy_of_row[copy.row] = node; }
        for_each_copy([&](const Group& group, const WordCopy& copy) {
            if (const auto found = copy_of_row.find(copy.row); found != copy_of_row.end()) {
                needs.emplace_back(found->second, node_of_[accesses_[group.pattern.members[0]].index]);
            }
        });
        return order_block(kernel_, nodes_, order_groups, memory, needs);
    }

    std::uint64_t wanted_place(std::uint32_t index) const {
        const std::uint64_t size = options_.round_size, rounds = options_.rounds;
        return rounds == 1 || index >= size * rounds ? index : index % size * rounds + index / size;
    }

    /// Members no longer read their addresses, except the first element of a strided pattern.
    void set_views(std::uint32_t number) {
        const Pattern& pattern = groups_[number].pattern;
        for (std::size_t k = 0; k < pattern.members.size(); ++k) {
            OrderNode& node = nodes_[node_of_[accesses_[pattern.members[k]].index]];
            node.group = number;
            if (!pattern.strided || k != 0) { node.view.source[0] = {}; }
        }
    }

    void rewrite() {
        result_.changed = true;
        result_.behind.assign(code().size(), kNone);
        const BlockOrder order = ordered();
        std::vector<std::uint32_t> place(nodes_.size(), 0);
        for (std::uint32_t i = 0; i < order.sequence.size(); ++i) {
            const std::uint32_t node = order.sequence[i];
            place[node] = i;
            emit(node);
        }
        collect_assumptions(place);
        std::set<std::uint32_t> copied;
        for_each_copy([&](const Group&, const WordCopy& copy) {
            if (copy.block != block_ && copied.insert(copy.row).second) { result_.copies.push_back(copy); }
        });
    }

    void emit(std::uint32_t node) {
        if (const auto copy = local_copies_.find(node); copy != local_copies_.end()) {
            result_.code.push_back(nodes_[node].view);
            return;
        }
        if (nodes_[node].group != kNone) { return emit_group(groups_[nodes_[node].group]); }
        const auto index = static_cast<std::uint32_t>((nodes_[node].place - 1) / 2);
        result_.behind[index] = static_cast<std::uint32_t>(result_.code.size());
        result_.code.push_back(code()[index]);
    }

    void emit_group(const Group& group) {
        const auto& members = group.pattern.members;
        const auto count = static_cast<unsigned>(members.size());
        const VirtualInstruction& first = code()[accesses_[members[0]].index];
        VirtualInstruction vector = finaliser::part_of(first);
        vector.machine = first.machine;
        vector.machine.vector = static_cast<std::uint8_t>(count);
        vector.machine.type = isa::Type::b32;
        vector.machine.operation = group.loads
                                       ? (group.pattern.strided ? Operation::load_stride : Operation::load_indirect)
                                       : (group.pattern.strided ? Operation::store_stride : Operation::store_indirect);
        VirtualOperand& pattern = vector.source[isa::pattern_source(vector.machine.operation)];
        if (group.pattern.strided) {
            vector.source[0] = first.source[0];
            pattern = group.pattern.stride
                          ? finaliser::literal(kernel_.frame, static_cast<std::uint32_t>(*group.pattern.stride), 1)
                          : emit_stride(group.pattern, first);
        } else {
            vector.machine.offset = group.base.offset;
            vector.source[0] = emit_base(group.base, first);
            VirtualOperand& indices = indices_[group.pattern.indices];
            if (indices.rows == 0) {
                std::vector<VirtualOperand> words;
                for (const Term& index : group.pattern.indices) { words.push_back(kept_.operand(index)); }
                indices = side_by_side(words, first);
            }
            pattern = indices;
        }
        if (!group.loads) {
            std::vector<VirtualOperand> data;
            for (std::uint32_t member : members) { data.push_back(code()[accesses_[member].index].source[1]); }
            vector.source[1] = side_by_side(data, first);
        } else {
            vector.destination = kernel_.new_rows(count);
            vector.destination_rows = static_cast<std::uint8_t>(count);
        }
        kernel_.annotate(vector, "vecmem.packed", count);
        result_.code.push_back(vector);
        for (unsigned k = 0; k < count; ++k) {
            const VirtualInstruction& member = code()[accesses_[members[k]].index];
            if (group.loads) { move(member.destination, {Operand::Kind::reg, 1, vector.destination + k}, member); }
            result_.behind[accesses_[members[k]].index] = static_cast<std::uint32_t>(result_.code.size() - 1);
        }
        ++result_.vectors;
        result_.elements += count;
        if (group.pattern.strided) { result_.strided += count; }
        result_.longest = std::max(result_.longest, count);
    }

    void move(std::uint32_t to, const VirtualOperand& from, const VirtualInstruction& served) {
        result_.code.push_back(move_of(from, to, served));
    }
    VirtualOperand side_by_side(const std::vector<VirtualOperand>& words, const VirtualInstruction& served) {
        const std::uint32_t first = kernel_.new_rows(static_cast<unsigned>(words.size()));
        for (std::uint32_t i = 0; i < words.size(); ++i) { move(first + i, words[i], served); }
        return {Operand::Kind::reg, static_cast<std::uint8_t>(words.size()), first};
    }

    VirtualOperand emit_stride(const Pattern& pattern, const VirtualInstruction& served) {
        const VirtualOperand word = kept_.operand(pattern.stride_term);
        if (pattern.stride_times == 1) { return word; }
        result_.code.push_back(computation(kernel_, served, Operation::mul_lo, isa::Type::u32,
                                           {word, finaliser::literal(kernel_.frame, pattern.stride_times, 1)}));
        return result_of(result_.code.back());
    }

    VirtualOperand emit_base(const VectorBase& base, const VirtualInstruction& served) {
        const auto rows = static_cast<std::uint8_t>(base.rows);
        const VirtualOperand whole =
            base.whole ? kept_.operand(*base.whole) : finaliser::literal(kernel_.frame, base.constant, rows);
        if (!base.scaled) { return whole; }
        const bool is_wide = rows == 2, is_zero = base.scaled->extension == Extension::zero;
        const isa::Type type = !is_wide ? isa::Type::s32 : is_zero ? isa::Type::u64 : isa::Type::s64;
        const isa::Type source_type = !is_wide ? isa::Type::none : is_zero ? isa::Type::u32 : isa::Type::s32;
        result_.code.push_back(computation(
            kernel_, served, is_wide ? Operation::mad_wide : Operation::mad_lo, type,
            {kept_.operand(*base.scaled), finaliser::literal(kernel_.frame, base.coefficient, 1), whole}, source_type));
        return result_of(result_.code.back());
    }

    /// The reordered pairs that a check must prove apart.
    void collect_assumptions(const std::vector<std::uint32_t>& place) {
        std::vector<std::uint32_t> first(groups_.size(), kNone);
        for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
            if (nodes_[i].group != kNone && first[nodes_[i].group] == kNone) { first[nodes_[i].group] = i; }
        }
        const auto place_of = [&](const Access& access) {
            const std::uint32_t node = node_of_[access.index];
            return place[nodes_[node].group == kNone ? node : first[nodes_[node].group]];
        };
        for (const auto& [a, b] : checked_) {
            if (place_of(accesses_[a]) <= place_of(accesses_[b])) { continue; }
            const auto address = [&](std::uint32_t number) {
                return forms_.address_in_parts({block_, accesses_[number].index});
            };
            result_.assumptions.push_back({address(b) - address(a), accesses_[a].bytes, accesses_[b].bytes});
        }
    }

    VirtualKernel& kernel_;
    const Forms& forms_;
    KeptValues& kept_;
    const std::uint32_t block_;
    const PackOptions& options_;
    std::vector<Access> accesses_;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> conflicts_;               ///< accesses that keep their order
    std::vector<std::vector<std::uint32_t>> conflicts_behind_, conflicts_before_;  ///< the same by access
    std::vector<std::pair<std::uint32_t, std::uint32_t>> checked_;  ///< may be reordered if a check proves them apart
    std::map<Pool, std::vector<std::uint32_t>> pools_;
    std::map<std::uint32_t, Reason> tried_;
    std::vector<Group> groups_;
    std::vector<OrderNode> nodes_;
    std::vector<std::uint32_t> node_of_;  ///< by instruction
    std::map<std::uint32_t, WordCopy> local_copies_;
    std::map<std::vector<Term>, VirtualOperand> indices_;  ///< indices that are already in adjacent rows
    PackedBlock result_;
};

}  // namespace

PackedBlock pack_block(VirtualKernel& kernel, const Forms& forms, KeptValues& kept, std::uint32_t block,
                       const PackOptions& options) {
    return BlockPacker(kernel, forms, kept, block, options).run();
}

}  // namespace lookahead::vecmem
