#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <map>
#include <vector>

#include "core/state/state_archive.h"
#include "core/stats/statistics.h"

namespace lookahead {

/// Statistics by place: tables with the counters of C for each row, one of which is being counted in. Rows are small,
/// so that counting at many places needs few lines of the host's caches: a counter has 32 bits, and what exceeds them
/// is kept apart.
template <HasStatistics C>
class CountTables {
  public:
    /// Counts in the table `key` from now on, whose rows are zeros at first. It takes memory when something is counted.
    void choose(std::uint64_t key, std::size_t rows) {
        key_ = key;
        size_ = rows;
        chosen_ = nullptr;
    }
    /// Whether the chosen table has the row; false before the first choice.
    bool has(std::size_t row) const { return row < size_; }
    /// Adds to a counter of a row of the chosen table. `counter` is its number in the order of declaration.
    [[gnu::always_inline]] void add(std::size_t row, std::size_t counter, std::uint64_t more) {
        if (chosen_ == nullptr) [[unlikely]] { make(); }
        std::uint32_t& count = chosen_[row].counts[counter];
        const std::uint64_t sum = count + more;
        count = static_cast<std::uint32_t>(sum);
        if (sum >> 32 != 0) [[unlikely]] { carry(row, counter, sum >> 32); }
    }

    /// The row will be counted in soon: begins to bring it into the host's caches.
    void expect(std::size_t row) const { __builtin_prefetch(chosen_ + row, 1); }

    /// The sums over all rows of all tables.
    C totals() const {
        detail::StatisticsWords<C> sums{};
        for (const auto& [key, table] : tables_) {
            const std::vector<std::uint64_t> counts = counts_of(table);
            for (std::size_t i = 0; i < counts.size(); ++i) { sums[i % kCounters] += counts[i]; }
        }
        return std::bit_cast<C>(sums);
    }

    void visit(StatisticsVisitor& visitor, std::string_view kind) const {
        static const auto counters = [] {
            std::array<StatisticDescription, kCounters> all;
            std::size_t next = 0;
            for_each_statistic<C>([&](const StatisticDescription& what) { all[next++] = what; });
            return all;
        }();
        for (const auto& [key, table] : tables_) { visitor.table({kind, key, counters, counts_of(table)}); }
    }

    void fields(StateArchive& archive) {
        std::uint64_t count = tables_.size();
        archive& count;
        if (archive.loading()) {
            for (tables_.clear(); count > 0; --count) { load(archive); }
            chosen_ = nullptr;
            return;
        }
        for (auto& [key, table] : tables_) {
            std::uint64_t number = key;
            std::uint64_t rows = table.rows.size();
            archive& number& rows;
            archive.plain(table.rows.data(), rows);
            archive& table.excess;
        }
    }

  private:
    static constexpr std::size_t kCounters = detail::statistics_words<C>();

    /// The counters of a row, lower halves; as many as a power of two, so that no row is in two lines for nothing.
    struct alignas(4 * std::bit_ceil(kCounters)) Row {
        std::uint32_t counts[std::bit_ceil(kCounters)] = {};
    };
    struct Table {
        std::vector<Row> rows;
        std::map<std::uint64_t, std::uint64_t> excess;  ///< upper halves that are not 0, by row * kCounters + counter
    };

    static std::vector<std::uint64_t> counts_of(const Table& table) {
        std::vector<std::uint64_t> counts(table.rows.size() * kCounters);
        for (std::size_t i = 0; i < counts.size(); ++i) { counts[i] = table.rows[i / kCounters].counts[i % kCounters]; }
        for (const auto& [place, upper] : table.excess) { counts[place] += upper << 32; }
        return counts;
    }
    [[gnu::noinline]] void carry(std::size_t row, std::size_t counter, std::uint64_t upper) {
        tables_[key_].excess[row * kCounters + counter] += upper;
    }
    [[gnu::noinline]] void make() {
        Table& table = tables_[key_];
        table.rows.resize(size_);
        chosen_ = table.rows.data();
    }
    void load(StateArchive& archive) {
        std::uint64_t number = 0;
        std::uint64_t rows = 0;
        archive& number& rows;
        Table& table = tables_[number];
        table.rows.resize(rows);
        archive.plain(table.rows.data(), rows);
        archive& table.excess;
    }

    std::map<std::uint64_t, Table> tables_;
    std::uint64_t key_ = 0;
    std::size_t size_ = 0;   ///< rows of the chosen table
    Row* chosen_ = nullptr;  ///< null until something is counted in it
};

}  // namespace lookahead
