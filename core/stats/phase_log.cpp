#include "core/stats/phase_log.h"

#include <algorithm>

#include "core/error/error.h"

namespace lookahead {

namespace {

class CounterTotals final : public StatisticsVisitor {
  public:
    void counter(std::string_view, std::string_view, const StatisticDescription&, const std::uint64_t& value) override {
        values.push_back(value);
    }

    std::vector<std::uint64_t> values;
};

void append(std::vector<unsigned char>& bytes, std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) { bytes.push_back(static_cast<unsigned char>(value | 0x80)); }
    bytes.push_back(static_cast<unsigned char>(value));
}

/// Reads numbers back.
class Reader {
  public:
    explicit Reader(std::span<const unsigned char> bytes) : bytes_(bytes) {}

    bool at_end() const { return at_ == bytes_.size(); }
    std::uint64_t next() {
        std::uint64_t value = 0;
        for (unsigned shift = 0;; shift += 7) {
            LOOKAHEAD_ASSERT(at_ < bytes_.size(), "a phase's counts end too early");
            const unsigned char byte = bytes_[at_++];
            value |= std::uint64_t{byte & 0x7fu} << shift;
            if (byte < 0x80) { return value; }
        }
    }

  private:
    std::span<const unsigned char> bytes_;
    std::size_t at_ = 0;
};

}  // namespace

void PhaseLog::end_phase(std::uint64_t phase, const std::function<void(StatisticsVisitor&)>& visit) {
    CounterTotals now;
    visit(now);
    totals_.resize(now.values.size());
    for (std::size_t i = 0; i < totals_.size(); ++i) { totals_[i] = now.values[i] - totals_[i]; }
    append_phase(phase, totals_);
    totals_ = std::move(now.values);
}

void PhaseLog::append_phase(std::uint64_t phase, std::span<const std::uint64_t> counts) {
    append(bytes_, phase);
    for (std::size_t i = 0; i < counts.size();) {
        std::size_t end = i;
        while (end < counts.size() && counts[end] == 0) { ++end; }
        append(bytes_, end == i ? counts[i] : 0);
        if (end != i) { append(bytes_, end - i); }
        i = std::max(end, i + 1);
    }
}

void PhaseLog::for_each(
    const std::function<void(std::uint64_t phase, std::span<const std::uint64_t> counts)>& f) const {
    std::vector<std::uint64_t> counts(totals_.size());
    for (Reader reader(bytes_); !reader.at_end();) {
        const std::uint64_t phase = reader.next();
        for (std::size_t i = 0; i < counts.size();) {
            const std::uint64_t count = reader.next();
            const std::uint64_t repeats = count == 0 ? reader.next() : 1;
            LOOKAHEAD_ASSERT(repeats != 0 && repeats <= counts.size() - i, "a phase has too many zeros");
            std::fill_n(counts.begin() + static_cast<std::ptrdiff_t>(i), repeats, count);
            i += repeats;
        }
        f(phase, counts);
    }
}

void PhaseLog::fields(StateArchive& archive) {
    std::vector<unsigned char> plain;
    if (!archive.loading()) {
        for_each([&](std::uint64_t phase, std::span<const std::uint64_t> counts) {
            append(plain, phase);
            for (const std::uint64_t count : counts) { append(plain, count); }
        });
    }
    archive& totals_& plain;
    if (archive.loading()) {
        bytes_.clear();
        std::vector<std::uint64_t> counts(totals_.size());
        for (Reader reader(plain); !reader.at_end();) {
            const std::uint64_t phase = reader.next();
            std::ranges::generate(counts, [&] { return reader.next(); });
            append_phase(phase, counts);
        }
    }
}

}  // namespace lookahead
