#include "components/protocols/memory.h"
#include "components/sm/prefetch/prefetcher.h"
#include "core/mutation/rule.h"
#include "core/param/parameters.h"
#include "core/state/state_archive.h"

namespace lookahead::gpu {

struct NextLineParameters {
    LOOKAHEAD_PARAMETER(std::int64_t, lines, 1, {1, 8, "line"},
                        {.help = "Lines after the missing one that are fetched.",
                         .source = "Koo et al. (CAPS), section VI.B: the next cache line"});
    LOOKAHEAD_ALL_DECLARED;
};

/// Next-line prefetching: after a demand miss, the following lines.
class NextLinePrefetcher final : public Prefetcher {
  public:
    using Parameters = NextLineParameters;

    NextLinePrefetcher(const Parameters& parameters, const PrefetcherArguments& arguments)
        : lines_(static_cast<unsigned>(parameters.lines)), port_(arguments.port) {}

    void on_access(const L1Event& event, Cycle) override {
        if (LOOKAHEAD_RULE(next_line_after_misses) && event.kind != L1EventKind::miss) { return; }
        for (unsigned next = 1; next <= lines_; ++next) {
            port_.prefetch({.line = event.line + std::uint64_t{next} * kLineBytes, .pc = event.pc});
        }
    }

    void fields(StateArchive&) override {}

  private:
    unsigned lines_;
    PrefetchPort& port_;
};

LOOKAHEAD_REGISTER_VARIANT(Prefetcher, NextLinePrefetcher, "nlp", "Next line: the lines after a line that missed.",
                           "Koo et al., HPCA 2018, section III.C; Jog et al., ASPLOS 2013")

}  // namespace lookahead::gpu
