#include "tests/functional/memory_model/history_checker.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>

namespace lookahead::test {

namespace {

using Kind = Operation::Kind;

/// For each node of a graph, the nodes that paths of at least one edge reach.
class Reachability {
  public:
    explicit Reachability(std::size_t nodes) : words_((nodes + 63) / 64), edges_(nodes), bits_(nodes * words_) {}

    void add(std::size_t from, std::size_t to) { edges_[from].push_back(to); }

    void close() {
        for (bool changed = true; changed;) {
            changed = false;
            for (std::size_t node = edges_.size(); node-- > 0;) {
                for (const std::size_t next : edges_[node]) { changed |= join(node, next); }
            }
        }
    }
    bool reaches(std::size_t from, std::size_t to) const {
        return (bits_[from * words_ + to / 64] >> (to % 64) & 1) != 0;
    }

  private:
    bool join(std::size_t node, std::size_t next) {
        std::uint64_t* own = &bits_[node * words_];
        const std::uint64_t* others = &bits_[next * words_];
        bool changed = set(own[next / 64], std::uint64_t{1} << (next % 64));
        for (std::size_t word = 0; word < words_; ++word) { changed |= set(own[word], others[word]); }
        return changed;
    }
    static bool set(std::uint64_t& word, std::uint64_t bits) {
        const std::uint64_t before = word;
        word |= bits;
        return word != before;
    }

    std::size_t words_;
    std::vector<std::vector<std::size_t>> edges_;
    std::vector<std::uint64_t> bits_;
};

/// An operation on a word, and the write that it saw last, perhaps its own.
struct Access {
    std::size_t thread;
    std::size_t position;
    std::size_t segment;  ///< number of the segment between fences of its thread, over all threads
    std::uint32_t sees;   ///< value
};

class Checker {
  public:
    explicit Checker(const History& history) : history_(history), accesses_(history.final_values.size()) {}

    std::string check() {
        number_segments();
        std::string fault = collect();
        if (!fault.empty()) { return fault; }
        order_segments();
        for (std::uint32_t location = 0; location < accesses_.size() && fault.empty(); ++location) {
            fault = check_location(location);
        }
        return fault;
    }

  private:
    void number_segments() {
        for (const auto& thread : history_.threads) {
            first_segment_.push_back(segments_);
            segments_ += 1 + static_cast<std::size_t>(
                                 std::ranges::count(thread, Kind::fence, [](const Operation& o) { return o.kind; }));
        }
    }

    static std::string place(std::size_t thread, std::size_t position) {
        return " (thread " + std::to_string(thread) + ", step " + std::to_string(position) + ")";
    }

    std::string collect() {
        writers_.resize(accesses_.size());
        for (std::size_t thread = 0; thread < history_.threads.size(); ++thread) {
            std::size_t segment = first_segment_[thread];
            for (std::size_t i = 0; i < history_.threads[thread].size(); ++i) {
                const Operation& each = history_.threads[thread][i];
                if (each.kind == Kind::fence) {
                    ++segment;
                } else if (each.kind != Kind::read) {
                    writers_[each.location].emplace(each.written, Access{thread, i, segment, each.written});
                }
            }
        }
        for (std::size_t thread = 0; thread < history_.threads.size(); ++thread) {
            std::size_t segment = first_segment_[thread];
            for (std::size_t i = 0; i < history_.threads[thread].size(); ++i) {
                const Operation& each = history_.threads[thread][i];
                if (each.kind == Kind::fence) {
                    ++segment;
                    continue;
                }
                if (each.kind != Kind::write && each.read != 0 && !writers_[each.location].contains(each.read)) {
                    return "Values: a value was read that nobody wrote to that word" + place(thread, i);
                }
                // An exchange is a read immediately followed by a write.
                if (each.kind == Kind::exchange) {
                    accesses_[each.location].push_back({thread, i, segment, each.read});
                }
                accesses_[each.location].push_back(
                    {thread, i, segment, each.kind == Kind::read ? each.read : each.written});
            }
        }
        return "";
    }

    /// A read before a fence, of a write after a fence, orders the segments before and after these fences.
    void order_segments() {
        happens_before_.emplace(segments_);
        for (std::size_t thread = 0; thread < first_segment_.size(); ++thread) {
            const std::size_t end = thread + 1 < first_segment_.size() ? first_segment_[thread + 1] : segments_;
            for (std::size_t segment = first_segment_[thread]; segment + 1 < end; ++segment) {
                happens_before_->add(segment, segment + 1);
            }
        }
        for (std::size_t location = 0; location < accesses_.size(); ++location) {
            for (const Access& access : accesses_[location]) {
                const Kind kind = history_.threads[access.thread][access.position].kind;
                const auto writer = writers_[location].find(access.sees);
                if (kind == Kind::write || writer == writers_[location].end() ||
                    writer->second.thread == access.thread) {
                    continue;
                }
                const bool fence_before_write = writer->second.segment > first_segment_[writer->second.thread];
                const std::size_t end =
                    access.thread + 1 < first_segment_.size() ? first_segment_[access.thread + 1] : segments_;
                if (fence_before_write && access.segment + 1 < end) {
                    happens_before_->add(writer->second.segment - 1, access.segment + 1);
                }
            }
        }
        happens_before_->close();
    }

    /// The chain of exchanges that contains a write: its first write, and the position in it.
    struct Chained {
        std::uint32_t head;
        std::size_t place;
    };

    std::string check_location(std::uint32_t location) {
        std::unordered_map<std::uint32_t, std::uint32_t> next;  // by value: the exchange that read it wrote
        std::set<std::uint32_t> follows;
        for (const auto& [value, writer] : writers_[location]) {
            const Operation& operation = history_.threads[writer.thread][writer.position];
            if (operation.kind != Kind::exchange) { continue; }
            if (!next.emplace(operation.read, value).second) {
                return "Atomicity: two exchanges have read the same value" + place(writer.thread, writer.position);
            }
            follows.insert(value);
        }
        std::unordered_map<std::uint32_t, Chained> chains;
        const auto chain_from = [&](std::uint32_t head) {
            std::size_t index = 0;
            for (std::uint32_t value = head;; value = next.at(value)) {
                chains[value] = {head, index++};
                if (!next.contains(value)) { return; }
            }
        };
        chain_from(0);
        for (const auto& [value, writer] : writers_[location]) {
            if (!follows.contains(value)) { chain_from(value); }
        }
        if (chains.size() != writers_[location].size() + 1) {
            return "Atomicity: exchanges of word " + std::to_string(location) + " have read each other in a circle";
        }
        return order_writes(location, chains);
    }

    /// Collects the orders between writes of a word, from one access to the next ones, and looks for a circle.
    std::string order_writes(std::uint32_t location, const std::unordered_map<std::uint32_t, Chained>& chains) {
        std::map<std::uint32_t, std::set<std::uint32_t>> after;  // by chain
        std::string fault;
        const auto order = [&](std::uint32_t earlier, std::uint32_t later, const Access& at, const char* axiom) {
            const Chained& a = chains.at(earlier);
            const Chained& b = chains.at(later);
            if (a.head == b.head) {
                if (a.place > b.place && fault.empty()) {
                    fault = std::string(axiom) + ": word " + std::to_string(location) + place(at.thread, at.position);
                }
            } else {
                after[a.head].insert(b.head);
            }
        };
        const std::vector<Access>& all = accesses_[location];
        for (std::size_t i = 1; i < all.size(); ++i) {
            if (all[i - 1].thread == all[i].thread) { order(all[i - 1].sees, all[i].sees, all[i], "Coherence"); }
        }
        for (const Access& a : all) {
            for (const Access& b : all) {
                if (a.thread != b.thread && happens_before_->reaches(a.segment, b.segment)) {
                    order(a.sees, b.sees, b, "Causality");
                }
            }
        }
        const std::uint32_t last = history_.final_values[location];
        if (!chains.contains(last)) {
            return "Values: word " + std::to_string(location) + " ends with a value that nobody wrote to it";
        }
        for (const auto& [value, writer] : writers_[location]) {
            order(value, last, writer, "Coherence, at the end");
            order(0, value, writer, "Coherence, initial value");
        }
        return fault.empty() ? find_circle(location, after) : fault;
    }

    /// Repeatedly removes writes with no predecessor.
    static std::string find_circle(std::uint32_t location,
                                   const std::map<std::uint32_t, std::set<std::uint32_t>>& after) {
        std::map<std::uint32_t, std::size_t> before;
        for (const auto& [head, others] : after) {
            before.try_emplace(head, 0);
            for (const std::uint32_t other : others) { ++before[other]; }
        }
        std::vector<std::uint32_t> free;
        for (const auto& [head, count] : before) {
            if (count == 0) { free.push_back(head); }
        }
        std::size_t taken = 0;
        while (!free.empty()) {
            const std::uint32_t head = free.back();
            free.pop_back();
            ++taken;
            if (const auto others = after.find(head); others != after.end()) {
                for (const std::uint32_t other : others->second) {
                    if (--before[other] == 0) { free.push_back(other); }
                }
            }
        }
        return taken == before.size() ? ""
                                      : "Coherence or causality: no order of the writes of word " +
                                            std::to_string(location) + " agrees with all threads";
    }

    const History& history_;
    std::vector<std::size_t> first_segment_;  // by thread
    std::size_t segments_ = 0;
    std::vector<std::vector<Access>> accesses_;             // by location, thread by thread in program order
    std::vector<std::map<std::uint32_t, Access>> writers_;  // by location and value
    std::optional<Reachability> happens_before_;            // of segments
};

}  // namespace

std::string check_history(const History& history) {
    return Checker(history).check();
}

}  // namespace lookahead::test
