#pragma once

#include <memory>
#include <string>
#include <vector>

#include "components/sm/prefetch/prefetcher.h"
#include "core/param/configuration.h"

namespace lookahead::gpu::test {

/// A prefetcher alone: a test passes it loads, accesses and fates, and receives its requests. Lines are numbers.
class LonePrefetcher : public PrefetchPort {
  public:
    static constexpr unsigned kWarps = 8;

    explicit LonePrefetcher(const std::string& name, const std::string& toml = "")
        : configuration_(Configuration::from_toml(toml, "test")),
          prefetcher_(make_variant<Prefetcher>(name, configuration_,
                                               PrefetcherArguments{configuration_, *this, kWarps, nullptr})) {}

    LonePrefetcher(const LonePrefetcher&) = delete;
    LonePrefetcher& operator=(const LonePrefetcher&) = delete;

    bool prefetch(const PrefetchRequest& request) override {
        asked_.push_back(request.line / kLineBytes);
        warps_.push_back(request.context);
        return true;
    }
    void hint(WarpHint, std::uint16_t) override {}

    std::vector<std::uint64_t> load(std::uint16_t warp, std::uint32_t pc, std::uint64_t line, Cycle now = 0) {
        const std::uint64_t address = kFirst + line * kLineBytes;
        asked_.clear();
        warps_.clear();
        prefetcher_->on_load({pc, warp, 0, warp, {&address, 1}}, now);
        return asked();
    }
    std::vector<std::uint64_t> access(L1EventKind kind, std::uint64_t line = 0) {
        asked_.clear();
        prefetcher_->on_access({kind, Client::demand, 0, 0, kFirst + line * kLineBytes, 0}, 0);
        return asked();
    }
    void accesses(L1EventKind kind, unsigned times) {
        for (unsigned i = 0; i < times; ++i) { access(kind); }
    }
    void fates(PrefetchFate fate, unsigned times) {
        for (unsigned i = 0; i < times; ++i) { prefetcher_->on_fate(fate, 0); }
    }
    void end_launch() { prefetcher_->end_launch(); }
    const std::vector<std::uint16_t>& warps() const { return warps_; }  ///< targets of the last load's prefetches

  private:
    static constexpr std::uint64_t kFirst = std::uint64_t{1} << 20;

    std::vector<std::uint64_t> asked() const {
        std::vector<std::uint64_t> numbers;
        for (const std::uint64_t line : asked_) { numbers.push_back(line - kFirst / kLineBytes); }
        return numbers;
    }

    Configuration configuration_;
    std::vector<std::uint64_t> asked_;
    std::vector<std::uint16_t> warps_;
    std::unique_ptr<Prefetcher> prefetcher_;
};

}  // namespace lookahead::gpu::test
