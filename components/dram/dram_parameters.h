#pragma once

#include <cstdint>
#include <string>

#include "core/param/parameters.h"
#include "core/time/time.h"

namespace lookahead::gpu {

/// The DRAM of one channel, or of each pseudo-channel: each has its own banks, queues, data bus and timing. Timing
/// parameters have JEDEC's names and count command-clock cycles; `fixed_latency` counts cycles of the L2.
struct DramParameters {
    std::int64_t frequency = 924'000'000;
    std::int64_t chips = 2;
    std::int64_t chip_bytes = 4;
    std::int64_t burst_length = 8;
    std::int64_t data_rate = 4;
    std::int64_t bank_groups = 4;
    std::int64_t pseudo_channels = 1;
    std::string bank_group_bits = "low";
    std::int64_t read_bytes = 128;
    Cycle ccd = 2;
    Cycle ccdl = 3;
    Cycle rrd = 6;
    Cycle rrdl = 0;
    Cycle faw = 0;
    Cycle rcd = 12;
    Cycle ras = 28;
    Cycle rp = 12;
    Cycle rc = 40;
    Cycle cl = 12;
    Cycle wl = 4;
    Cycle cdlr = 5;
    Cycle wr = 12;
    Cycle rtpl = 2;
    Cycle turnaround = 2;
    std::int64_t queue_entries = 64;
    std::int64_t entry_bytes = 128;
    std::int64_t return_entries = 116;
    Cycle fixed_latency = 100;
    Cycle refresh_interval = 0;
    Cycle refresh_cycles = 60;

    /// Bytes that one column command moves.
    std::int64_t burst_bytes() const { return chips * chip_bytes * burst_length; }
    /// Command-clock cycles for which a burst holds the data bus: on the GTX480 two for 64 bytes, so that a line of
    /// 128 bytes takes four, and six channels carry 6 * 128 B * 924 MHz / 4 = 177.4 GB/s, its data sheet's figure.
    Cycle burst_cycles() const { return (burst_length + data_rate - 1) / data_rate; }
};

namespace detail {

inline constexpr std::string_view kDramTable = "GPGPU-Sim's GTX480 configuration (GDDR5)";

inline DeclaredParameter<DramParameters, Cycle> dram_cycles(std::string_view name, Cycle DramParameters::*member,
                                                            std::string_view help) {
    return integer(name, member, {0, 100000, "DRAM cycle"}, {.help = help, .source = kDramTable});
}

inline DeclaredParameter<DramParameters, std::int64_t> dram_count(std::string_view name,
                                                                  std::int64_t DramParameters::*member,
                                                                  std::string_view unit, std::int64_t max,
                                                                  std::string_view help) {
    return integer(name, member, {1, max, unit}, {.help = help, .source = kDramTable});
}

}  // namespace detail
}  // namespace lookahead::gpu

template <>
struct lookahead::ParametersOf<lookahead::gpu::DramParameters> {
    using P = lookahead::gpu::DramParameters;
    static constexpr std::string_view kTable = lookahead::gpu::detail::kDramTable;
    static constexpr auto cycles = lookahead::gpu::detail::dram_cycles;
    static constexpr auto count = lookahead::gpu::detail::dram_count;
    inline static const auto list = parameter_list<P>(
        integer("frequency", &P::frequency, {1'000'000, 10'000'000'000, "Hz"},
                {.help = "Command clock.", .source = kTable}),
        count("chips", &P::chips, "chip", 64, "Chips that a channel drives together."),
        count("chip_bytes", &P::chip_bytes, "byte", 128, "Width of a chip's data bus."),
        count("burst_length", &P::burst_length, "transfer", 64, "Transfers of one column command."),
        count("data_rate", &P::data_rate, "transfer", 16, "Transfers in a command-clock cycle."),
        integer("pseudo_channels", &P::pseudo_channels, {1, 16, "pseudo-channel"},
                {.help = "Independent parts of a channel; the lowest bank bits of the address mapping select one, and "
                         "the other dram.* keys apply to one. A power of two, at most the channel's L2 slices.",
                 .source = "JESD235: HBM2's pseudo-channel mode has two; GDDR5 has none"}),
        count("bank_groups", &P::bank_groups, "group", 16, "Groups of banks; one: ccdl is not used. A power of two."),
        choice("bank_group_bits", &P::bank_group_bits, {"high", "low"},
               {.help = "Which bits of the bank number are its group.", .source = kTable}),
        integer("read_bytes", &P::read_bytes, {32, 128, "byte"},
                {.help = "Each piece of this size of a fetch costs whole bursts: 32, 64 or 128.",
                 .source = "128: nothing makes a GDDR5 controller fetch the same burst again. GPGPU-Sim asks for each "
                           "32-byte sector by itself, at the cost of a burst each"}),
        cycles("ccd", &P::ccd, "Column command to column command of the same kind."),
        cycles("ccdl", &P::ccdl, "The same within a bank group."),
        cycles("rrd", &P::rrd, "Activate to activate of another bank."),
        integer("rrdl", &P::rrdl, {0, 100000, "DRAM cycle"},
                {.help = "The same within a bank group; no less than rrd in effect.",
                 .source = "GPGPU-Sim's GTX480 configuration (GDDR5) has none"}),
        integer("faw", &P::faw, {0, 100000, "DRAM cycle"},
                {.help = "Least time from an activate to the fourth after it.",
                 .source = "GPGPU-Sim's GTX480 configuration (GDDR5) has none"}),
        cycles("rcd", &P::rcd, "Activate to column command."), cycles("ras", &P::ras, "Activate to precharge."),
        cycles("rp", &P::rp, "Precharge to activate."), cycles("rc", &P::rc, "Activate to activate of the same bank."),
        cycles("cl", &P::cl, "Read command to its data."), cycles("wl", &P::wl, "Write command to its data."),
        cycles("cdlr", &P::cdlr, "End of written data to a read command."),
        cycles("wr", &P::wr, "End of written data to precharge."),
        cycles("rtpl", &P::rtpl, "Read command to precharge."),
        integer("turnaround", &P::turnaround, {0, 1000, "DRAM cycle"},
                {.help = "Idle data bus between read and written data.",
                 .source = "GPGPU-Sim's derivation of the read-to-write delay"}),
        count("queue_entries", &P::queue_entries, "request", 1024, "Lines that can wait for the scheduler's choice."),
        integer(
            "entry_bytes", &P::entry_bytes, {32, 128, "byte"},
            {.help = "Bytes of a read's entry in the queue and on the way back to L2: 128, all that a slice fetches of "
                     "a line at once, or 32, one sector. A write takes one entry.",
             .source = "128: a controller's entry is a request. GPGPU-Sim's L2 asks for each sector by itself"}),
        count("return_entries", &P::return_entries, "request", 4096,
              "Most lines being read or on their way back to L2."),
        integer("fixed_latency", &P::fixed_latency, {0, 100000, "cycle"},
                {.help = "L2 cycles that a read takes in addition to the DRAM's own timing.", .source = kTable}),
        integer("refresh_interval", &P::refresh_interval, {0, 1'000'000'000, "DRAM cycle"},
                {.help = "All-bank refresh period (tREFI); 0: none.",
                 .source = "GPGPU-Sim's GTX480 configuration has no refresh"}),
        integer("refresh_cycles", &P::refresh_cycles, {0, 1'000'000, "DRAM cycle"},
                {.help = "Duration of a refresh (tRFC).",
                 .source = "65 ns, a 1 Gbit GDDR5 part's order of magnitude; used only with refresh_interval"}));
};
