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
    /// Counts in the table `key` from now on, whose rows are zeros at first. It takes memory when something is counted.
    void choose(std::uint64_t key, std::size_t rows) {
        key_ = key;
        size_ = rows;
        rows_ = nullptr;
    }
    /// Whether the chosen table has the row; false before the first choice.
    bool has(std::size_t row) const { return row < size_; }
    C& operator[](std::size_t row) {
        if (rows_ == nullptr) [[unlikely]] { make(); }
        return rows_[row];
    }

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
            rows_ = nullptr;
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
    void make() {
        std::vector<C>& table = tables_[key_];
        table.resize(size_);
        rows_ = table.data();
    }
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
    std::size_t size_ = 0;  ///< rows of the chosen table
    C* rows_ = nullptr;     ///< null until something is counted in it
};

}  // namespace lookahead
