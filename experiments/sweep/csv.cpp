#include "experiments/sweep/index.h"

#include <array>
#include <charconv>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

namespace lookahead {

namespace {

class Row {
  public:
    explicit Row(std::string& text) : text_(text) {}
    Row(const Row&) = delete;
    Row& operator=(const Row&) = delete;
    ~Row() { text_ += '\n'; }

    Row& operator<<(std::string_view field) {
        separate();
        if (field.find_first_of(",\"\r\n") == std::string_view::npos) {
            text_ += field;
            return *this;
        }
        text_ += '"';
        for (const char each : field) { text_.append(each == '"' ? 2 : 1, each); }
        text_ += '"';
        return *this;
    }
    Row& operator<<(const char* field) { return *this << std::string_view(field); }
    /// A text that reads back as the same number; empty for NaN.
    template <class Number>
    requires std::is_arithmetic_v<Number> Row& operator<<(Number number) {
        separate();
        if constexpr (std::is_floating_point_v<Number>) {
            if (std::isnan(number)) { return *this; }
        }
        std::array<char, 32> digits;
        const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
        text_.append(digits.data(), end);
        return *this;
    }

  private:
    void separate() {
        if (!is_first_) { text_ += ','; }
        is_first_ = false;
    }

    std::string& text_;
    bool is_first_ = true;
};

/// "kind" and "name" of "kind.name"; neither has a dot.
std::array<std::string_view, 2> kind_and_name(std::string_view counter) {
    const auto dot = counter.find('.');
    return {counter.substr(0, dot), counter.substr(dot + 1)};
}

}  // namespace

std::string points_as_csv(const Study& study, std::span<const SweepPoint> points, const IndexFacts& facts) {
    std::string text;
    const std::vector<Metric> metrics = all_metrics(study);
    {
        Row row(text);
        for (const char* name : {"id", "key", "workload", "status", "exit_code", "message", "file", "state_hash",
                                 "host", "ranks", "peak_rss_bytes", "point_s"}) {
            row << name;
        }
        for (const Axis& axis : study.axes) { row << axis.name; }
        for (const Metric& metric : metrics) { row << metric.name; }
    }
    for (std::size_t i = 0; i < points.size(); ++i) {
        const SweepPoint& point = points[i];
        const PointState& state = facts.states[i];
        const PointFacts& fact = facts.points[i];
        Row row(text);
        row << i << point.key << point.workload << name_of(state.status) << state.exit_code << state.message
            << (state.status == PointStatus::complete ? fmt::format("points/{}.h5", point.key) : std::string())
            << fact.state_hash << fact.host << fact.ranks << fact.peak_rss_bytes << fact.point_s;
        for (const std::string& label : point.labels) { row << label; }
        for (const double metric : fact.metrics) { row << metric; }
    }
    return text;
}

std::string counters_as_csv(std::span<const SweepPoint> points, const IndexFacts& facts) {
    std::string text = "point,workload,kernel,kernel_name,kind,counter,unit,sum,min,max\n";
    for (std::size_t i = 0; i < points.size(); ++i) {
        const PointFacts& fact = facts.points[i];
        for (const CounterTotal& total : fact.totals) {
            const std::string& counter = facts.names.name(total.counter);
            const auto [kind, name] = kind_and_name(counter);
            Row(text) << i << points[i].workload << ""
                      << "" << kind << name << facts.units.at(counter) << total.sum << total.min << total.max;
        }
        for (const KernelFacts& kernel : fact.kernels) {
            for (std::size_t c = 0; c < kernel.counts.size(); ++c) {
                const std::string& counter = facts.names.name(fact.kernel_counters[c]);
                const auto [kind, name] = kind_and_name(counter);
                const auto unit = facts.units.find(counter);
                Row(text) << i << points[i].workload << kernel.launch << kernel.name << kind << name
                          << (unit == facts.units.end() ? std::string() : unit->second) << kernel.counts[c] << ""
                          << "";
            }
        }
    }
    return text;
}

}  // namespace lookahead
