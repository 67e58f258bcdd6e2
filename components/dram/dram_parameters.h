#pragma once

#include <cstdint>
#include <string>

#include "core/param/parameters.h"
#include "core/time/time.h"

namespace lookahead::gpu {

/// The DRAM of one channel, or of each pseudo-channel: each has its own banks, queues, data bus and timing. Timing
/// parameters have JEDEC's names and count command-clock cycles; `fixed_latency` counts cycles of the L2.
struct DramParameters {
    static constexpr std::string_view kTable = "GPGPU-Sim's GTX480 configuration (GDDR5)";
    static constexpr IntegerRange kCycles{0, 100000, "DRAM cycle"};

    LOOKAHEAD_PARAMETER(std::int64_t, frequency, 924'000'000, {1'000'000, 10'000'000'000, "Hz"},
                        {.help = "Command clock.", .source = kTable});
    LOOKAHEAD_PARAMETER(std::int64_t, chips, 2, {1, 64, "chip"},
                        {.help = "Chips that a channel drives together.", .source = kTable});
    LOOKAHEAD_PARAMETER(std::int64_t, chip_bytes, 4, {1, 128, "byte"},
                        {.help = "Width of a chip's data bus.", .source = kTable});
    LOOKAHEAD_PARAMETER(std::int64_t, burst_length, 8, {1, 64, "transfer"},
                        {.help = "Transfers of one column command.", .source = kTable});
    LOOKAHEAD_PARAMETER(std::int64_t, data_rate, 4, {1, 16, "transfer"},
                        {.help = "Transfers in a command-clock cycle.", .source = kTable});
    LOOKAHEAD_PARAMETER(std::int64_t, bank_groups, 4, {1, 16, "group"},
                        {.help = "Bank groups; with 1, ccdl is not used. A power of two.", .source = kTable});
    LOOKAHEAD_PARAMETER(
        std::int64_t, pseudo_channels, 1, {1, 16, "pseudo-channel"},
        {.help = "Independent parts of a channel; the lowest bank bits of the address mapping select one, and the "
                 "other dram.* keys apply to one. A power of two, at most the channel's L2 slices.",
         .source = "JESD235: HBM2's pseudo-channel mode has two; GDDR5 has none"});
    LOOKAHEAD_PARAMETER(std::string, bank_group_bits, "low", {"high", "low"},
                        {.help = "Which bits of the bank number select the bank group.", .source = kTable});
    LOOKAHEAD_PARAMETER(std::int64_t, read_bytes, 128, {32, 128, "byte"},
                        {.help = "A fetch costs whole bursts for each piece of this size: 32, 64 or 128.",
                         .source = "128: nothing makes a GDDR5 controller fetch the same burst again. GPGPU-Sim "
                                   "requests each 32-byte sector separately, and each costs a burst"});
    LOOKAHEAD_PARAMETER(Cycle, ccd, 2, kCycles,
                        {.help = "Column command to column command of the same kind.", .source = kTable});
    LOOKAHEAD_PARAMETER(Cycle, ccdl, 3, kCycles, {.help = "The same within a bank group.", .source = kTable});
    LOOKAHEAD_PARAMETER(Cycle, rrd, 6, kCycles, {.help = "Activate to activate of another bank.", .source = kTable});
    LOOKAHEAD_PARAMETER(Cycle, rrdl, 0, kCycles,
                        {.help = "The same within a bank group; no less than rrd in effect.",
                         .source = "GPGPU-Sim's GTX480 configuration (GDDR5) has none"});
    LOOKAHEAD_PARAMETER(Cycle, faw, 0, kCycles,
                        {.help = "Least time from an activate to the fourth after it.",
                         .source = "GPGPU-Sim's GTX480 configuration (GDDR5) has none"});
    LOOKAHEAD_PARAMETER(Cycle, rcd, 12, kCycles, {.help = "Activate to column command.", .source = kTable});
    LOOKAHEAD_PARAMETER(Cycle, ras, 28, kCycles, {.help = "Activate to precharge.", .source = kTable});
    LOOKAHEAD_PARAMETER(Cycle, rp, 12, kCycles, {.help = "Precharge to activate.", .source = kTable});
    LOOKAHEAD_PARAMETER(Cycle, rc, 40, kCycles, {.help = "Activate to activate of the same bank.", .source = kTable});
    LOOKAHEAD_PARAMETER(Cycle, cl, 12, kCycles, {.help = "Read command to its data.", .source = kTable});
    LOOKAHEAD_PARAMETER(Cycle, wl, 4, kCycles, {.help = "Write command to its data.", .source = kTable});
    LOOKAHEAD_PARAMETER(Cycle, cdlr, 5, kCycles, {.help = "End of written data to a read command.", .source = kTable});
    LOOKAHEAD_PARAMETER(Cycle, wr, 12, kCycles, {.help = "End of written data to precharge.", .source = kTable});
    LOOKAHEAD_PARAMETER(Cycle, rtpl, 2, kCycles, {.help = "Read command to precharge.", .source = kTable});
    LOOKAHEAD_PARAMETER(Cycle, turnaround, 2, {0, 1000, "DRAM cycle"},
                        {.help = "Idle data bus between read and written data.",
                         .source = "GPGPU-Sim's derivation of the read-to-write delay"});
    LOOKAHEAD_PARAMETER(std::int64_t, queue_entries, 64, {1, 1024, "request"},
                        {.help = "Lines that can wait for the scheduler's choice.", .source = kTable});
    LOOKAHEAD_PARAMETER(
        std::int64_t, entry_bytes, 128, {32, 128, "byte"},
        {.help = "Bytes of a read that one entry in the queue and on the way back to L2 holds: 128, all of a line that "
                 "a slice fetches at once; 32, one sector. A write takes one entry.",
         .source = "128: a controller's entry is a request. GPGPU-Sim's L2 requests each sector separately"});
    LOOKAHEAD_PARAMETER(std::int64_t, return_entries, 116, {1, 4096, "request"},
                        {.help = "Maximum number of lines being read or on their way back to L2.", .source = kTable});
    LOOKAHEAD_PARAMETER(Cycle, fixed_latency, 100, {0, 100000, "cycle"},
                        {.help = "L2 cycles that a read takes in addition to the DRAM's own timing.",
                         .source = kTable});
    LOOKAHEAD_PARAMETER(Cycle, refresh_interval, 0, {0, 1'000'000'000, "DRAM cycle"},
                        {.help = "All-bank refresh period (tREFI); 0: none.",
                         .source = "GPGPU-Sim's GTX480 configuration has no refresh"});
    LOOKAHEAD_PARAMETER(Cycle, refresh_cycles, 60, {0, 1'000'000, "DRAM cycle"},
                        {.help = "Duration of a refresh (tRFC).",
                         .source = "65 ns, a 1 Gbit GDDR5 part's order of magnitude; used only with refresh_interval"});
    LOOKAHEAD_ALL_DECLARED;

    /// Bytes that one column command moves.
    std::int64_t burst_bytes() const { return chips * chip_bytes * burst_length; }
    /// Command-clock cycles for which a burst holds the data bus: on the GTX480 two for 64 bytes, so that a line of
    /// 128 bytes takes four, and six channels carry 6 * 128 B * 924 MHz / 4 = 177.4 GB/s, its data sheet's figure.
    Cycle burst_cycles() const { return (burst_length + data_rate - 1) / data_rate; }
};

}  // namespace lookahead::gpu
