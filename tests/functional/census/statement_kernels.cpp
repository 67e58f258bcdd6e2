#include "tests/functional/census/statement_kernels.h"

#include <fmt/format.h>

#include <algorithm>

#include "tests/components/isa/handler_harness.h"

namespace lookahead::test {
namespace {

/// %m is the address of 32 bytes owned by the thread, %s that of as many in shared memory, %q either, by the space of
/// the statement.
constexpr const char* kStatements[] = {
    "bra.uni NEXT; mov.u32 %r1, 77; NEXT: mov.u32 %r0, %r1;",
    "@%p1 bra NEXT; add.u32 %r1, %r1, 77; NEXT: mov.u32 %r0, %r1;",
    "@!%p1 exit; add.u32 %r0, %r1, 1;",
    "@%p1 ret; add.u32 %r0, %r1, 1;",
    "@!%p0 bra NEXT; trap; NEXT: mov.u32 %r0, %r1;",
    "cvta.{to.,}{global,shared,local,const}.u64 %rd0, %rd1;",
    "mov.u32 %r0, {work,work+20};",
    "mov.u64 %rd0, constants+8;",
    "ld.param.{u32,s32,b32,u16,s16,u8,s8} %r0, [unused];",
    "ld.const.{u64,s64,b64} %rd0, [constants+8];",
    "ld.const.v2.{u32,b32} {%r0, %r3}, [constants];",
    "ld.const.{u32,s32,b32,u16,s16,u8,s8} %r0, [%k+4];",
    "ld.{u32,s32,b32,u16,s16,u8,s8} %r0, [%g+4];",
    "ld.{volatile.,relaxed.gpu.,}{u32,s32,u8,s16} %r0, [%w+8];",
    "ld.{volatile.,acquire.cta.,}u64 %rd0, [%w+8];",
    "st.{volatile.,release.cta.,}{u32,u8,u16} [%w+4], %r1;",
    "atom.{add.u32,max.s32,and.b32,exch.b32,inc.u32} %r0, [%w], %r1;",
    "atom.add.f32 %f0, [%w], %f1;",
    "atom.cas.b64 %rd0, [%w+8], %rd3, %rd1;",
    "red.{add.u32,min.s32,or.b32} [%w], %r1;",
    ".local .align 16 .b8 l[32]; st.local.{u64,b64} [l+8], %rd1; ld.local.{u64,b64} %rd0, [l+8];",
    ".local .align 16 .b8 l[32]; st.local.v4.{u32,b32} [l+16], {%r1, %r2, %r3, %r1}; ld.local.{u16,s8,u32} %r0, "
    "[l+24];",
    "mov.b64 %rd0, {%r1, %r2};",
    "mov.b64 {%r0, %r3}, %rd1;",
    "mov.b32 %r0, {%h1, %h2};",
    "mov.b32 {%h0, %h3}, %r1;",
    "mov.b64 %rd0, {%h1, %h2, %h3, %h1};",
    "shfl.sync.{up,down,bfly,idx}.b32 %r0|%p0, %r1, %r2, {31,7951,0}, 0xffffffff;",
    "match.all.sync.b32 %r0|%p0, %r1, -1;",
    "setp.lt.and.s32 %p0|%p2, %r1, %r2, !%p1;",
    "prefetch.global.L2 [%m];",
    "bar.sync 0;",
    "bar.sync 1, 64;",
    "bar.arrive 2, 128;",
    "barrier.sync 0;",
    "barrier.sync.aligned 5;",
    "bar.warp.sync 0xffffffff;",
    "membar.{cta,gl,sys};",
    "fence.{sc,acq_rel}.{cta,gpu,sys};",
    "nanosleep.u32 20;",
    "ld.{volatile.,relaxed.cta.,relaxed.gpu.,acquire.sys.,}{global.,}{u8,s8,b8,u16,s16,b16} %h0, [%m+2];",
    "ld.{volatile.,relaxed.cta.,relaxed.gpu.,acquire.sys.,}{global.,}{u32,s32,b32,u8,s8,u16,s16} %r0, [%m];",
    "ld.{volatile.,relaxed.sys.,}{global.,}{u64,s64,b64} %rd0, [%m+8];",
    "ld.{global.nc.,global.ca.,global.cg.,global.cs.,}f32 %f0, [%m+4];",
    "ld.global.{nc.,}v4.f32 {%f0, %f2, %f3, _}, [%m+16];",
    "st.{volatile.,relaxed.cta.,release.gpu.,}{global.,}{u32,s32,b32,u8,s8,u16,s16,b8,b16} [%m+4], %r1;",
    "st.{volatile.,relaxed.cta.,release.gpu.,}shared.{u64,b64} [%s+8], %rd1;",
    "st.{volatile.,}shared.{f32} [%s+8], %f1;",
    "st.{global,shared}.v2.{b32,u32} [%q], {%r1, %r2};",
    "st.{global,shared}.v4.{b32,u32} [%q], {%r1, %r2, %r3, %r1};",
    "st.{global,shared}.v2.{b64,u64} [%q], {%rd1, %rd2};",
    "ld.{global,shared}.v2.{b32,u32} {%r0, %r3}, [%q];",
    "ld.{global,shared}.v4.{b32,f32} {%r0, %r3, %r2, _}, [%q];",
    "ld.{global,shared}.v2.{b64,f64} {%rd0, %rd3}, [%q];",
    "atom.{relaxed.,acquire.,release.,acq_rel.,}{gpu.,cta.,sys.,}{global.,shared.,}add.{u32,s32} %r0, [%q], %r1;",
    "atom.{global.,shared.,}add.u64 %rd0, [%q], %rd1;",
    "atom.{global.,shared.,}add.f32 %f0, [%q], %f1;",
    "atom.{global.,shared.,}add.f64 %d0, [%q], %d1;",
    "atom.{global.,shared.,}add.noftz.f16x2 %r0, [%q], %r1;",
    "atom.{global.,shared.,}add.noftz.f16 %h0, [%q+2], %h1;",
    "atom.{global.,shared.,}cas.b16 %h0, [%q+6], %h1, %h2;",
    "atom.{global.,shared.,}{and,or,xor,exch}.b32 %r0, [%q], %r1;",
    "atom.{global.,shared.,}{and,or,xor,exch}.b64 %rd0, [%q], %rd1;",
    "atom.{global.,shared.,}cas.b32 %r0, [%q], %r1, %r2;",
    "atom.{global.,shared.,}cas.b64 %rd0, [%q], %rd1, %rd2;",
    "atom.{global.,shared.,}{min,max}.{u32,s32} %r0, [%q], %r1;",
    "atom.{global.,shared.,}{min,max}.{u64,s64} %rd0, [%q], %rd1;",
    "atom.{global.,shared.,}{inc,dec}.u32 %r0, [%q], %r1;",
    "red.{relaxed.,release.,}{gpu.,cta.,sys.,}{global.,shared.,}add.{u32,s32} [%q], %r1;",
    "red.{global.,shared.,}{and,or,xor}.{b32} [%q], %r1;",
    "red.{global.,shared.,}{and,or,xor}.{b64} [%q], %rd1;",
    "red.{global.,shared.,}{add.u64,min.s64,max.u64} [%q], %rd1;",
    "red.{global.,shared.,}add.{f64} [%q], %d1;",
    "red.{global.,shared.,}{min,max}.{u32,s32} [%q], %r1;",
    "red.{global.,shared.,}{inc,dec}.u32 [%q], %r1;",
    "red.{global.,shared.,}add.{f32} [%q], %f1;",
    "red.{global.,shared.,}add.noftz.f16x2 [%q], %r1;",
    "red.{global.,shared.,}add.noftz.f16 [%q], %h1;",
    "mov.u32 %r0, %{tid,ntid,ctaid,nctaid}.{x,y,z};",
    "mov.u32 %r0, %lanemask_{eq,lt,le,gt,ge};",
    "mov.u32 %r0, %{laneid,warpid,nwarpid,smid,nsmid,clock,dynamic_smem_size};",
    "mov.u64 %rd0, %{clock64,globaltimer};",
};

constexpr const char* kUndetermined[] = {".approx", ".full",  "activemask", "%warpid",   "%nwarpid",
                                         "%smid",   "%nsmid", "%clock;",    "%clock64;", "%globaltimer;"};

constexpr std::uint32_t kThreads = 64;
constexpr std::uint32_t kStride = 128;  ///< bytes per thread: 64 of inputs, 32 to work on, 32 of results

constexpr const char* kVariables = R"(
.shared .align 16 .b8 work[2048];
.const .align 16 .u32 constants[4] = {0x89abcdef, 0xfedcba98, 0x80818283, 0x7f008001};
)";

constexpr const char* kPrologue = R"(
{
.reg .b16 %h<4>; .reg .b32 %r<5>; .reg .b64 %rd<4>; .reg .f32 %f<4>; .reg .f64 %d<4>; .reg .pred %p<4>;
.reg .b64 %m; .reg .b32 %s; .reg .b64 %t; .reg .b32 %own; .reg .b64 %k; .reg .b64 %g; .reg .b64 %w;
ld.param.u64 %m, [out];
cvta.to.global.u64 %m, %m;
mov.u32 %own, %tid.x;
mul.wide.u32 %t, %own, 128;
add.u64 %m, %m, %t;
ld.global.u64 %rd1, [%m]; ld.global.u64 %rd2, [%m+8]; ld.global.u64 %rd3, [%m+16]; ld.global.u64 %rd0, [%m+24];
ld.global.u32 %r1, [%m+32]; ld.global.u32 %r2, [%m+36]; ld.global.u32 %r3, [%m+40]; ld.global.u32 %r4, [%m+44];
cvt.u16.u32 %h1, %r1; cvt.u16.u32 %h2, %r2; cvt.u16.u32 %h3, %r3;
mov.b32 %f1, %r1; mov.b32 %f2, %r2; mov.b32 %f3, %r3;
mov.b64 %d1, %rd1; mov.b64 %d2, %rd2; mov.b64 %d3, %rd3;
mov.u16 %h0, 0; mov.u32 %r0, 0; mov.f32 %f0, 0f00000000; mov.f64 %d0, 0d0000000000000000;
and.b32 %r0, %r1, 1; setp.ne.u32 %p1, %r0, 0; setp.eq.u32 %p0, %r0, 7; setp.eq.u32 %p2, %r0, 7;
mov.u32 %s, work;
mov.u64 %k, constants;
cvta.const.u64 %g, %k;
mov.u64 %w, work;
cvta.shared.u64 %w, %w;
mul.wide.u32 %t, %own, 32;
add.u64 %w, %w, %t;
shl.b32 %r0, %own, 5;
add.u32 %s, %s, %r0;
st.shared.u64 [%s], %rd3; st.shared.u64 [%s+8], %rd3; st.shared.u64 [%s+16], %rd3; st.shared.u64 [%s+24], %rd3;
add.u64 %m, %m, 64;
add.cc.u32 %r0, %r1, %r2;
mov.u32 %r0, 0;
)";

std::string kernel_of(const Statement& statement, unsigned number) {
    std::string text =
        fmt::format(".visible .entry k{}(.param .u64 out, .param .u32 unused, .param .u64 wide)", number);
    text += kPrologue + statement.text + "\n";
    text += "ld.shared.u64 %t, [%s]; st.global.u64 [%m+32], %t;\n";
    if (statement.destination == "p") {
        text += "selp.u32 %r0, 1, 0, %p0;\nst.global.u32 [%m+40], %r0;\n";
    } else if (statement.destination == "h") {
        text += "cvt.u32.u16 %r0, %h0;\nst.global.u32 [%m+40], %r0;\n";
    } else if (statement.destination == "rd" || statement.destination == "d") {
        text += "st.global.b64 [%m+40], %" + statement.destination + "0;\n";
    } else if (!statement.destination.empty()) {
        text += "st.global.b32 [%m+40], %" + statement.destination + "0;\n";
    }
    // Stores second destinations and the carry too.
    return text + R"(st.global.u32 [%m+52], %r3;
selp.u32 %r3, 1, 0, %p0;
st.global.u32 [%m+56], %r3;
st.global.u16 [%m+60], %h3;
addc.u32 %r3, 0, 0;
st.global.u32 [%m+48], %r3;
ret;
}
)";
}

}  // namespace

std::vector<Statement> other_statements() {
    std::vector<std::string> texts;
    for (const char* pattern : kStatements) { expand(pattern, texts); }
    std::vector<Statement> statements;
    for (std::string text : texts) {
        const bool shared = text.find("shared") != std::string::npos;
        for (std::size_t at; (at = text.find("[%q")) != std::string::npos;) {
            text.replace(at, 3, shared ? "[%s" : "[%m");
        }
        Statement statement{text, ""};
        for (const char* bank : {"r", "h", "f", "rd", "d"}) {
            if (text.find(fmt::format("%{}0", bank)) != std::string::npos) { statement.destination = bank; }
        }
        statements.push_back(statement);
    }
    return statements;
}

bool is_undetermined(std::string_view text) {
    return std::ranges::any_of(kUndetermined, [&](const char* part) { return text.find(part) != std::string::npos; });
}

std::string statement_module(const std::vector<Statement>& statements, const std::string& before) {
    std::string text = ".version 9.0\n.target sm_75\n.address_size 64\n" + before + kVariables;
    for (unsigned i = 0; i < statements.size(); ++i) { text += kernel_of(statements[i], i); }
    return text;
}

std::vector<std::uint64_t> statement_inputs() {
    using isa::test::random_value;
    std::vector<std::uint64_t> words(kThreads * kStride / 8);
    for (std::uint64_t& word : words) {
        word = random_value();
        if (isa::test::random_bits()() % 2 == 0) { word = word << 32 | (random_value() & 0xffffffff); }
    }
    return words;
}

std::vector<std::uint64_t> run_statement(Device& device, unsigned number, const std::vector<std::uint64_t>& memory) {
    const DeviceAddress out = device.upload(memory);
    device.launch(fmt::format("k{}", number), {{1, 1, 1}, {kThreads, 1, 1}},
                  pack_parameters(out, std::uint32_t{0x9badcafe}, std::uint64_t{0xbff8000000000001}));
    return device.download<std::uint64_t>(out, static_cast<std::uint32_t>(memory.size()));
}

}  // namespace lookahead::test
