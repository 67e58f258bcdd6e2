#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "core/state/state_archive.h"
#include "core/stats/statistics.h"

namespace lookahead {

/// Statistics by place: tables with a C for each row, one of which is being counted in.
template <HasStatistics C>
class CountTables {
  public:
    /// Counts in the table `key` from now on. It gets its number of rows, all zeros, when it is first chosen.
    void choose(std::uint64_t key, std::size_t rows) {
        key_ = key;
        std::vector<C>& table = tables_[key];
        table.resize(rows);
        rows_ = table.data();
        size_ = rows;
    }
    /// Whether the chosen table has the row; false before the first choice.
    bool has(std::size_t row) const { return row < size_; }
    C& operator[](std::size_t row) { return rows_[row]; }

    /// The sums over all rows of all tables.
    C totals() const {
        C sums{};
        for (const auto& [key, table] : tables_) {
            for (const C& row : table) { accumulate(sums, row); }
        }
        return sums;
    }

    void visit(StatisticsVisitor& visitor, std::string_view kind) const {
        constexpr std::size_t kWords = detail::statistics_words<C>();
        static const auto counters = [] {
            std::array<StatisticDescription, kWords> all;
            std::size_t next = 0;
            for_each_statistic<C>([&](const StatisticDescription& what) { all[next++] = what; });
            return all;
        }();
        for (const auto& [key, table] : tables_) {
            const auto* words = reinterpret_cast<const std::uint64_t*>(table.data());
            visitor.table({kind, key, counters, {words, table.size() * kWords}});
        }
    }

    void fields(StateArchive& archive) {
        std::uint64_t count = tables_.size();
        archive& count;
        if (archive.loading()) {
            for (tables_.clear(); count > 0; --count) { load(archive); }
            if (size_ > 0) { choose(key_, size_); }
            return;
        }
        for (auto& [key, table] : tables_) {
            std::uint64_t number = key;
            std::uint64_t rows = table.size();
            archive& number& rows;
            archive.plain(table.data(), table.size());
        }
    }

  private:
    void load(StateArchive& archive) {
        std::uint64_t number = 0;
        std::uint64_t rows = 0;
        archive& number& rows;
        std::vector<C>& table = tables_[number];
        table.resize(rows);
        archive.plain(table.data(), rows);
    }

    std::map<std::uint64_t, std::vector<C>> tables_;
    std::uint64_t key_ = 0;
    C* rows_ = nullptr;  ///< of the chosen table
    std::size_t size_ = 0;
};

}  // namespace lookahead
