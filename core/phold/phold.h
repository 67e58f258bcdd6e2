#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/lp/model.h"
#include "core/sync/simulation.h"
#include "core/time/time.h"

namespace lookahead {

class Transport;

/// The PHOLD benchmark (Fujimoto 1990): a fixed number of events wander over the LPs. An LP that handles an event
/// schedules a new one, later by the lookahead plus an exponential delay of mean 1: with probability `remote` at
/// another LP, chosen at random, else at itself. Times are in units of the mean delay.
struct PholdOptions {
    std::uint32_t lps = 1024;
    std::uint32_t events = 16;  ///< for each LP
    double remote = 0.1;
    double lookahead = 1.0;
    unsigned kinds = 1;     ///< up to 7; LP i is of kind i modulo `kinds`; kind k's lookahead is 4 k + 1 times as long
    unsigned payload = 32;  ///< bytes of an event; one of phold_payloads()
    double duration = 500;  ///< simulated time
    std::uint64_t seed = 1;
    std::string queue = "wheel";       ///< for the events that an LP keeps to itself: wheel or heap
    std::string partition = "linear";  ///< linear: equal runs of LPs; round_robin
};

/// One unit of PHOLD's time.
inline constexpr Time kPholdUnit = 1'000'000;

struct PholdResult {
    std::uint64_t events = 0;  ///< handled
    double seconds = 0;        ///< wall time of the run, without the construction of the model
    double events_per_second = 0;
    std::uint64_t state_hash = 0;
    std::vector<EngineStatistics> per_rank;
};

/// The sizes that PholdOptions::payload may have, in bytes.
std::span<const unsigned> phold_payloads();

/// ConfigurationError for options out of range.
Model make_phold_model(const PholdOptions&);

/// All ranks call it together and get the same result, except for the seconds, which are the slowest rank's.
PholdResult run_phold(const PholdOptions&, Transport&, const std::string& sync);

}  // namespace lookahead
