#include "core/stats/phase_log.h"

#include "core/error/error.h"

namespace lookahead {

namespace {

class CounterTotals final : public StatisticsVisitor {
  public:
    void counter(std::string_view, std::string_view, const StatisticDescription&, const std::uint64_t& value) override {
        values.push_back(value);
    }
    void histogram(std::string_view, std::string_view, const StatisticDescription&, const HistogramView&) override {}

    std::vector<std::uint64_t> values;
};

}  // namespace

void PhaseLog::end_phase(std::uint64_t phase, const std::function<void(StatisticsVisitor&)>& visit) {
    CounterTotals now;
    visit(now);
    totals_.resize(now.values.size());
    append(phase);
    for (std::size_t i = 0; i < totals_.size(); ++i) {
        append(now.values[i] - totals_[i]);
    }
    totals_ = std::move(now.values);
}

void PhaseLog::append(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) {
        bytes_.push_back(static_cast<unsigned char>(value | 0x80));
    }
    bytes_.push_back(static_cast<unsigned char>(value));
}

void PhaseLog::for_each(
    const std::function<void(std::uint64_t phase, std::span<const std::uint64_t> counts)>& f) const {
    std::size_t at = 0;
    const auto next = [&] {
        std::uint64_t value = 0;
        for (unsigned shift = 0;; shift += 7) {
            LOOKAHEAD_ASSERT(at < bytes_.size(), "a phase's counts end too early");
            const unsigned char byte = bytes_[at++];
            value |= std::uint64_t{byte & 0x7fu} << shift;
            if (byte < 0x80) {
                return value;
            }
        }
    };
    std::vector<std::uint64_t> counts(totals_.size());
    while (at < bytes_.size()) {
        const std::uint64_t phase = next();
        for (std::uint64_t& count : counts) {
            count = next();
        }
        f(phase, counts);
    }
}

}  // namespace lookahead
