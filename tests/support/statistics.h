#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "core/stats/statistics_visitor.h"

namespace lookahead::test {

/// The statistics of that kind, by name. For a histogram NAME_EDGE is the count from that edge to the next.
class Statistics final : public StatisticsVisitor {
  public:
    explicit Statistics(std::string_view kind) : kind_(kind) {}

    std::map<std::string, std::uint64_t> of;

  private:
    void counter(std::string_view, std::string_view kind, const StatisticDescription& what,
                 const std::uint64_t& value) override {
        if (kind == kind_) { of[std::string(what.name)] = value; }
    }
    void histogram(std::string_view, std::string_view kind, const StatisticDescription& what,
                   const HistogramView& view) override {
        for (std::size_t i = 0; kind == kind_ && i < view.counts.size(); ++i) {
            of[std::string(what.name) + "_" + std::to_string(view.edges[i])] = view.counts[i];
        }
    }

    std::string_view kind_;
};

}  // namespace lookahead::test
