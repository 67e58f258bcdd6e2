#include "tests/functional/memory_model/held_up_messages.h"

#include <vector>

#include "components/frontend/finaliser/finalise.h"
#include "components/frontend/ptx/parse_module.h"
#include "components/machine/machine.h"
#include "core/sync/simulation.h"
#include "partitioning/partitioners/partition.h"

namespace lookahead::gpu::test {
namespace {

/// There are two slices, which take 256 bytes in turn: x and the missed lines are in one, y in the other. CTA n is on
/// SM n; CTA 0 misses, CTA 2 keeps y in its slice.
constexpr const char* kPtx = R"(
.version 7.0
.target sm_75
.address_size 64
.visible .entry message(.param .u64 memory, .param .u64 out, .param .u32 writer, .param .u32 reader,
                        .param .u32 held_load, .param .u32 pause) {
    .reg .b32 %r<16>;
    .reg .b64 %rd<16>;
    .reg .pred %p<8>;
    .shared .align 4 .b8 words[4096];
    ld.param.u64 %rd1, [memory];
    ld.param.u64 %rd2, [out];
    ld.param.u32 %r1, [writer];
    ld.param.u32 %r2, [reader];
    ld.param.u32 %r3, [held_load];
    ld.param.u32 %r4, [pause];
    mov.u32 %r5, %ctaid.x;
    mov.u32 %r6, %tid.x;
    mul.wide.u32 %rd3, %r6, 512;
    add.u64 %rd3, %rd3, %rd1;
    setp.eq.u32 %p1, %r5, 0;
    @%p1 bra MISS;
    setp.eq.u32 %p7, %r5, 2;
    @%p7 bra WARM;
    setp.eq.u32 %p4, %r5, %r1;
    selp.u32 %r14, %r3, 0, %p4;
    mad.lo.u32 %r4, %r14, 40, %r4; // the reader's load goes first, if it is to be held up
    mov.u32 %r7, 0;
PAUSE:
    add.u32 %r7, %r7, 1;
    setp.lt.u32 %p2, %r7, %r4;
    @%p2 bra PAUSE;
    setp.eq.u32 %p3, %r3, 0;
    @%p4 bra WRITE;
    setp.ne.u32 %p5, %r5, %r2;
    @%p5 bra END;
    setp.ne.u32 %p6, %r6, 0;
    @%p6 bra END;
    @%p3 bra READ_Y_FIRST;
    ld.volatile.global.u32 %r8, [%rd1];
    membar.gl;
    ld.volatile.global.u32 %r9, [%rd1+256];
    bra REPORT;
READ_Y_FIRST:
    ld.volatile.global.u32 %r9, [%rd1+256];
    setp.eq.u32 %p2, %r9, 0;
    @%p2 bra READ_Y_FIRST;
    membar.gl;
    ld.volatile.global.u32 %r8, [%rd1];
REPORT:
    st.global.u32 [%rd2], %r8;
    st.global.u32 [%rd2+4], %r9;
    bra END;
WRITE:
    // 32 words in a bank keep the load/store unit busy, so that the fence finds the store in its queue.
    mov.u32 %r12, words;
    shl.b32 %r13, %r6, 7;
    add.u32 %r12, %r12, %r13;
    ld.volatile.shared.u32 %r10, [%r12];
    setp.ne.u32 %p6, %r6, 0;
    @%p6 bra END;
    mov.u32 %r11, 1;
    @%p3 bra WRITE_X_FIRST;
    st.volatile.global.u32 [%rd1+256], %r11;
    membar.gl;
    st.volatile.global.u32 [%rd1], %r11;
    bra END;
WRITE_X_FIRST:
    st.volatile.global.u32 [%rd1], %r11;
    membar.gl;
    st.volatile.global.u32 [%rd1+256], %r11;
    bra END;
WARM:
    ld.volatile.global.u32 %r8, [%rd1+256];
    setp.eq.u32 %p2, %r8, 0;
    @%p2 bra WARM;
    bra END;
MISS:
    setp.ge.u32 %p2, %r6, 8;
    @%p2 bra END;
    ld.volatile.global.u32 %r8, [%rd3+512];
END:
    ret;
}
)";
constexpr std::size_t kBytes = 32768;

}  // namespace

std::string held_up_message_fault(HeldUp what, std::uint32_t pause, Transport& transport) {
    Configuration configuration;
    for (const char* each :
         {"gpu.sms=4", "l1d.write_policy=write_evict", "address_mapping.channels=1", "l2.sets=1", "l2.ways=2",
          "l2.mshrs=1", "l2.merges=1", "l1i.enabled=false", "dram.fixed_latency=3000"}) {
        configuration.override_value(each);
    }
    const bool load = what == HeldUp::load;
    // The held-up requester is the last in the slice's round.
    const std::uint32_t writer = load ? 1 : 3;
    const std::uint32_t reader = load ? 3 : 1;
    std::vector<std::uint32_t> seen;
    Machine machine(configuration,
                    finaliser::finalise_module(ptx::parse_module(kPtx, "message.ptx"), finaliser::FinaliserOptions{}),
                    [&](Device& device) {
                        const DeviceAddress memory = device.allocate(kBytes);
                        const DeviceAddress out = device.allocate(8);
                        device.fill(memory, std::byte{0}, kBytes);
                        device.fill(out, std::byte{0}, 8);
                        device.launch("message", {{4, 1, 1}, {32, 1, 1}},
                                      pack_parameters(memory, out, writer, reader, std::uint32_t{load}, pause));
                        seen = device.download<std::uint32_t>(out, 2);
                    });
    SimulationOptions options;
    options.sync = transport.size() > 1 ? "window" : "serial";
    Simulation simulation(machine.model(), partition(machine.model(), transport.size(), "round_robin"), transport,
                          options);
    const SimulationResult result = simulation.run();
    if (result.outcome != Outcome::finished) { return result.message; }
    const bool broken = !seen.empty() && (load ? seen[0] == 1 && seen[1] == 0 : seen[0] == 0);
    return broken ? "Causality: x is " + std::to_string(seen[0]) + " and y is " + std::to_string(seen[1]) : "";
}

}  // namespace lookahead::gpu::test
