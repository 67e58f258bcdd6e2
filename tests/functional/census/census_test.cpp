// Every instruction in the census of real programs, with its types and modifiers, is accepted, executes, and gives the
// same bits as the scalar interpreter, on edge values and random ones. kBeyond lists instructions without determined
// bits.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "components/emulator/emulated_device.h"
#include "components/frontend/finaliser/finalise.h"
#include "components/frontend/ptx/parse_module.h"
#include "core/error/error.h"
#include "tests/core/error/error_of.h"
#include "tests/functional/scalar_interpreter/scalar_interpreter.h"
#include "tests/support/seed.h"

using namespace lookahead;

namespace {

/// Short forms of instructions: `{a,b}` means either, `{a,}` means a or nothing. Operands: `=T` is a destination, `T` a
/// source of the mnemonic's last type, `U` of the one before; other words are types or literal.
struct Forms {
    const char* mnemonic;
    const char* operands;
};

constexpr Forms kForms[] = {
    // Integer and logic
    {"add.{s16,u16,s32,s64,u32,u64}", "=T T T"},
    {"sub.{s16,u16,s32,s64,u32,u64}", "=T T T"},
    {"{add,sub}.sat.s32", "=T T T"},
    {"{add,sub}.cc.{s32,u32,s64,u64}", "=T T T"},
    {"{addc,subc}.{cc.,}{s32,u32,s64,u64}", "=T T T"},
    {"{mul,mad}.wide.{s16,u16,s32,u32}", "wide"},
    {"mul.{lo,hi}.{s16,u16,s32,u32,s64,u64}", "=T T T"},
    {"mad.{lo,hi}.{s16,u16,s32,u32,s64,u64}", "=T T T T"},
    {"mad.{lo,hi}.cc.{s32,u32,s64,u64}", "=T T T T"},
    {"madc.{lo,hi}.{cc.,}{s32,u32,s64,u64}", "=T T T T"},
    {"mad.hi.sat.s32", "=T T T T"},
    {"{mul24,mad24}.{lo,hi}.{s32,u32}", "mul24"},
    {"{div,rem}.{s16,u16,s32,u32,s64,u64}", "=T T T"},
    {"{neg,abs}.{s16,s32,s64}", "=T T"},
    {"{min,max}.{s16,u16,s32,u32,s64,u64}", "=T T T"},
    {"{and,or,xor}.{b16,b32,b64,pred}", "=T T T"},
    {"not.{b16,b32,b64,pred}", "=T T"},
    {"cnot.{b16,b32,b64}", "=T T"},
    {"shl.{b16,b32,b64}", "=T T u32"},
    {"shr.{b16,b32,b64,s16,u16,s32,u32,s64,u64}", "=T T u32"},
    {"shf.{l,r}.{wrap,clamp}.b32", "=T T T u32"},
    {"lop3.b32", "=T T T T 0x96"},
    {"lop3.b32", "=T T T T 0x1b"},
    {"bfi.{b32,b64}", "=T T T u32 u32"},
    {"bfe.{s32,u32,s64,u64}", "=T T u32 u32"},
    {"bfind.{shiftamt.,}{s32,u32,s64,u64}", "=u32 T"},
    {"brev.{b32,b64}", "=T T"},
    {"{clz,popc}.{b32,b64}", "=u32 T"},
    {"prmt.b32{,.f4e,.b4e,.rc8,.ecl,.ecr,.rc16}", "=b32 b32 b32 b32"},
    {"copysign.{f32,f64}", "=T T T"},
    {"dp4a.{s32,u32}.{s32,u32}", "=b32 U T b32"},
    {"dp2a.{lo,hi}.{s32,u32}.{s32,u32}", "=b32 U T b32"},
    {"{vabsdiff2,vabsdiff4}.{s32,u32}.{s32,u32}.{s32,u32}{,.sat,.add}", "=b32 b32 b32 b32"},
    {"sad.{s16,u16,s32,u32,s64,u64}", "=T T T T"},
    // Floating point
    {"{add,sub,mul}.{,rn.,rm.,rp.,rz.}{,ftz.}{,sat.}f32", "=T T T"},
    {"{add,sub,mul}.{,rn.,rm.,rp.,rz.}f64", "=T T T"},
    {"{fma,mad}.{rn,rm,rp,rz}.{ftz.,}{sat.,}f32", "=T T T T"},
    {"{fma,mad}.{rn,rm,rp,rz}.f64", "=T T T T"},
    {"{add,sub,mul}.{rn.,}{ftz.,}{sat.,}{f16,f16x2}", "=T T T"},
    {"fma.rn.{ftz.,}{sat.,}{f16,f16x2}", "=T T T T"},
    {"{neg,abs}.{ftz.,}{f32,f16,f16x2}", "=T T"},
    {"{neg,abs}.f64", "=T T"},
    {"{min,max}.{ftz.,}{f32,f16,f16x2}", "=T T T"},
    {"{min,max}.f64", "=T T T"},
    {"div.{rn,rm,rp,rz,approx,full}.{ftz.,}f32", "=T T T"},
    {"div.{rn,rm,rp,rz}.f64", "=T T T"},
    {"{sqrt,rcp}.{rn,rm,rp,rz,approx}.{ftz.,}f32", "=T T"},
    {"{sqrt,rcp}.{rn,rm,rp,rz}.f64", "=T T"},
    {"{rcp.approx.ftz,rsqrt.approx,rsqrt.approx.ftz}.f64", "=T T"},
    {"{rsqrt,ex2,lg2,sin,cos}.approx.{ftz.,}f32", "=T T"},
    {"tanh.approx.f32", "=T T"},
    {"testp.{finite,infinite,number,notanumber,normal,subnormal}.{f32,f64}", "=pred T"},
    // Compare and select
    {"setp.{eq,ne,lt,le,gt,ge}.{,and.,or.,xor.}{s16,s32,s64}", "setp"},
    {"setp.{eq,ne,lt,le,gt,ge,lo,ls,hi,hs}.{,and.,or.,xor.}{u16,u32,u64}", "setp"},
    {"setp.{eq,ne}.{,and.}{b16,b32,b64}", "setp"},
    {"setp.{eq,ne,lt,le,gt,ge,equ,neu,ltu,leu,gtu,geu,num,nan}.{,and.,or.,xor.}{f32,ftz.f32,f64}", "setp"},
    {"set.{eq,ne,lt,le,gt,ge}.{u32,s32,f32}.{s16,s32,s64}", "=U T T"},
    {"set.{eq,ne,lt,le,gt,ge,equ,neu,ltu,leu,gtu,geu,num,nan}.{u16,s16,u32,s32,f16}.f16", "=U T T"},
    {"set.{eq,ne,lt,le,gt,ge,equ,neu,ltu,leu,gtu,geu,num,nan}.{u32,s32,f16x2}.f16x2", "=U T T"},
    {"set.{lt,neu}.{and,or,xor}.{u32.f16,u32.f16x2,f16.f16,f16x2.f16x2}", "set"},
    {"set.{eq,lo,ls,hi,hs}.{and.,}{u32,s32,f32}.{u16,u32,u64}", "set"},
    {"set.{eq,ne,lt,le,gt,ge,equ,neu,ltu,leu,gtu,geu,num,nan}.{u32,s32,f32}.{f32,f64}", "=U T T"},
    {"selp.{b16,b32,b64,u16,u32,u64,s16,s32,s64,f32,f64}", "=T T T pred"},
    {"slct.{b16,b32,b64,u16,u32,u64,s16,s32,s64,f32,f64}.s32", "=U U U s32"},
    {"slct.{ftz.,}{b32,b64,f32,f64}.f32", "=U U U f32"},
    // Conversion
    {"cvt.{u8,u16,u32,u64,s8,s16,s32,s64}.{u8,u16,u32,u64,s8,s16,s32,s64}", "=U T"},
    {"cvt.sat.{u8,u16,u32,u64,s8,s16,s32,s64}.{u8,u16,u32,u64,s8,s16,s32,s64}", "=U T"},
    {"cvt.{rn,rz,rm,rp}.{f16,f32,f64}.{u8,u16,u32,u64,s8,s16,s32,s64}", "=U T"},
    {"cvt.{rni,rzi,rmi,rpi}.{,ftz.}{u8,u16,u32,u64,s8,s16,s32,s64}.f32", "=U T"},
    {"cvt.{rni,rzi,rmi,rpi}.{,sat.}{u8,u16,u32,u64,s8,s16,s32,s64}.{f16,f64}", "=U T"},
    {"cvt.{rn,rz,rm,rp}.{,ftz.}{,sat.}f32.f64", "=U T"},
    {"cvt.{ftz.,}f64.f32", "=U T"},
    {"cvt.{rn,rz,rm,rp}.{ftz.,}f16.f32", "=U T"},
    {"cvt.{rn,rz,rm,rp}.f16.f64", "=U T"},
    {"cvt.{ftz.,}f32.f16", "=U T"},
    {"cvt.f64.f16", "=U T"},
    {"cvt.{,rni.,rzi.,rmi.,rpi.}{sat.,}f16.f16", "=U T"},
    {"cvt.{rni,rzi,rmi,rpi,sat,ftz.sat,rni.ftz}.f32.f32", "=U T"},
    {"cvt.{rni,rzi,rmi,rpi}.f64.f64", "=U T"},
    // Data movement
    {"mov.{b16,b32,b64,u16,u32,u64,s16,s32,s64,f32,f64,pred}", "=T T"},
    // Across the warp
    {"shfl.sync.{up,down,bfly,idx}.b32", "=T T b32 0x1f -1"},
    {"shfl.{up,down,bfly,idx}.b32", "=T T b32 0x1f"},
    {"vote.sync.{all,any,uni}.pred", "=T T -1"},
    {"vote.sync.ballot.b32", "=T pred -1"},
    {"match.{any,all}.sync.{b32,b64}", "=b32 T -1"},
    {"redux.sync.{add,min,max}.{s32,u32}", "=T T -1"},
    {"redux.sync.{and,or,xor}.b32", "=T T -1"},
    {"activemask.b32", "=T"},
    {"bar.red.popc.u32", "=T 0 pred"},
    {"bar.red.{and,or}.pred", "=T 3 pred"},
};

/// Whole statements; %m is the address of 32 bytes owned by the thread, %s that of as many in shared memory.
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

/// Instructions whose bits PTX does not determine. tests/components/isa/approximate_test.cpp checks the errors of
/// approximations; the others depend on the machine and on the order of lanes.
constexpr const char* kBeyond[] = {".approx", ".full",  "activemask", "%warpid",   "%nwarpid",
                                   "%smid",   "%nsmid", "%clock;",    "%clock64;", "%globaltimer;"};

/// An instruction that the census excludes, and the name that the refusal must give.
struct Refused {
    const char* statement;
    const char* name;
};
constexpr Refused kRefused[] = {
    {"mov.u32 %r0, %envreg3;", "%envreg3"},
    {".param .b64 kernel; .param .b64 got; st.param.b64 [kernel], %rd1; call.uni (got), cudaGetParameterBufferV2, "
     "(kernel);",
     "cudaGetParameterBufferV2"},
};

/// All texts that `pattern` stands for. Inner braces stay: they are vectors of registers.
void expand(const std::string& pattern, std::vector<std::string>& result) {
    std::size_t open = std::string::npos, close = 0;
    for (std::size_t at = pattern.find('{'); at != std::string::npos; at = pattern.find('{', at + 1)) {
        close = pattern.find('}', at);
        const bool vector = at > 0 && pattern[at - 1] == ' ' && pattern[at + 1] == '%';
        if (!vector) {
            open = at;
            break;
        }
    }
    if (open == std::string::npos) {
        result.push_back(pattern);
        return;
    }
    std::string choices = pattern.substr(open + 1, close - open - 1) + ",";
    for (std::size_t at = 0; at < choices.size();) {
        const std::size_t end = choices.find(',', at);
        expand(pattern.substr(0, open) + choices.substr(at, end - at) + pattern.substr(close + 1), result);
        at = end + 1;
    }
}

std::vector<std::string> split(const std::string& text, char separator) {
    std::vector<std::string> parts;
    std::string part;
    for (const char c : text) {
        if (c != separator) {
            part += c;
        } else {
            parts.push_back(part);
            part.clear();
        }
    }
    parts.push_back(part);
    return parts;
}

/// The bank of registers for a type; "" if `name` is not a type.
std::string bank(const std::string& name) {
    if (name == "pred") { return "p"; }
    if (name == "f32") { return "f"; }
    if (name == "f64") { return "d"; }
    if (name == "f16x2") { return "r"; }
    if (name == "f16") { return "h"; }
    if (name.size() < 2 || std::string("bsu").find(name[0]) == std::string::npos) { return ""; }
    const std::string bits = name.substr(1);
    return bits == "64" ? "rd" : bits == "32" ? "r" : bits == "16" ? "h" : bits == "8" ? "r" : "";
}

struct Statement {
    std::string text, destination;
};

Statement statement_of(const std::string& mnemonic, std::string operands) {
    std::vector<std::string> types;
    for (const std::string& word : split(mnemonic, '.')) {
        if (!bank(word).empty()) { types.push_back(word); }
    }
    const std::string type = types.back();
    if (operands == "wide") {
        const std::string wide = type.substr(0, 1) + (type.substr(1) == "16" ? "32" : "64");
        operands = "=" + wide + " T T" + (mnemonic.starts_with("mad") ? " " + wide : "");
    }
    if (operands == "mul24") { operands = mnemonic.starts_with("mad") ? "=T T T T" : "=T T T"; }
    if (operands == "setp" || operands == "set") {
        const bool combines = mnemonic.find(".and.") != std::string::npos ||
                              mnemonic.find(".or.") != std::string::npos || mnemonic.find(".xor.") != std::string::npos;
        operands = std::string(operands == "setp" ? "=pred" : "=U") + " T T" + (combines ? " pred" : "");
    }
    Statement result{mnemonic, ""};
    unsigned source = 1;
    for (std::string word : split(operands, ' ')) {
        const bool destination = word[0] == '=';
        if (destination) { word = word.substr(1); }
        if (word == "T") { word = type; }
        if (word == "U") { word = types[types.size() - 2]; }
        const std::string registers = bank(word);
        result.text += result.text.size() == mnemonic.size() ? " " : ", ";
        if (registers.empty()) {
            result.text += word;
        } else {
            result.text += "%" + registers + std::to_string(destination ? 0 : registers == "p" ? 1 : source++);
            if (destination) { result.destination = registers; }
        }
    }
    result.text += ";";
    return result;
}

constexpr std::uint32_t kThreads = 64;
constexpr std::uint32_t kStride = 128;  ///< bytes per thread: 64 of inputs, 32 to work on, 32 of results

/// Loads the registers, executes, and stores the destination and the whole working memory.
std::string kernel_of(const Statement& statement) {
    std::string text = R"(.version 9.0
.target sm_75
.address_size 64
.extern .func (.param .b64 got) cudaGetParameterBufferV2(.param .b64 kernel);
.shared .align 16 .b8 work[2048];
.const .align 16 .u32 constants[4] = {0x89abcdef, 0xfedcba98, 0x80818283, 0x7f008001};
.visible .entry k(.param .u64 out, .param .u32 unused)
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
    text += statement.text + "\n";
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

std::vector<std::uint64_t> inputs(std::mt19937_64& random) {
    // The ends of integers; then of singles, doubles and halves the subnormals, the least and greatest, NaNs, ties and
    // the ends of integers.
    static constexpr std::uint64_t kEdges[] = {0,
                                               1,
                                               ~std::uint64_t{0},
                                               0x8000000000000000,
                                               0x7fffffffffffffff,
                                               0x8000000080000000,
                                               0x7fffffff7fffffff,
                                               0x0000000100000020,
                                               0x0000001f00000021,
                                               0x7fc000007f800000,
                                               0xff80000000000001,
                                               0x3f8000003f800000,
                                               0x0040000080400000,
                                               0x007fffff00800000,
                                               0x7f7fffffff7fffff,
                                               0x4f0000005f000000,
                                               0x4f800000cf000000,
                                               0x3f000000bf000000,
                                               0x40200000c0600000,
                                               0x437f800043008000,
                                               0x3ff0000000000000,
                                               0x7ff0000000000000,
                                               0x7ff8000000000001,
                                               0x000fffffffffffff,
                                               0x0010000000000000,
                                               0x7fefffffffffffff,
                                               0x41dfffffffe00000,
                                               0x41f0000000000000,
                                               0x43e0000000000000,
                                               0xc3e0000000000000,
                                               0x3fe0000000000000,
                                               0xc004000000000000,
                                               0x380fffffe0000000,
                                               0x80007c00fc007e00,
                                               0x03ff04007bff3c00,
                                               0xb80038013bff0001};
    std::vector<std::uint64_t> words(kThreads * kStride / 8);
    for (std::uint64_t& word : words) { word = random() % 3 == 0 ? kEdges[random() % std::size(kEdges)] : random(); }
    return words;
}

std::vector<std::uint64_t> run_on(Device& device, const std::vector<std::uint64_t>& memory) {
    const DeviceAddress out = device.upload(memory);
    device.launch("k", {{1, 1, 1}, {kThreads, 1, 1}}, pack_parameters(out, std::uint32_t{0x9badcafe}));
    return device.download<std::uint64_t>(out, static_cast<std::uint32_t>(memory.size()));
}

struct Tally {
    unsigned executed = 0;
    unsigned compared = 0;
    std::vector<std::string> failures;
};

bool is_beyond(const std::string& text) {
    return std::ranges::any_of(kBeyond, [&](const char* part) { return text.find(part) != std::string::npos; });
}

void try_statement(const Statement& statement, const std::vector<std::uint64_t>& memory, Tally& tally) {
    std::vector<std::uint64_t> result;
    ptx::Module module;
    try {
        module = ptx::parse_module(kernel_of(statement), "form.ptx");
        EmulatedDevice device(finaliser::finalise_module(module, {}));
        result = run_on(device, memory);
        ++tally.executed;
    } catch (const std::exception& error) {
        tally.failures.push_back(statement.text + ": " + error.what());
        return;
    }
    if (is_beyond(statement.text)) { return; }
    std::vector<std::uint64_t> expected;
    try {
        test::ScalarInterpreter interpreter(module);
        expected = run_on(interpreter, memory);
    } catch (const InputError& error) {
        tally.failures.push_back(statement.text + ": " + error.what());
        return;
    }
    ++tally.compared;
    for (std::size_t i = 0; i < result.size(); ++i) {
        if (result[i] == expected[i]) { continue; }
        char text[160];
        std::snprintf(text, sizeof text, ": thread %zu, word %zu is %llx, the interpreter has %llx", i / 16, i % 16,
                      static_cast<unsigned long long>(result[i]), static_cast<unsigned long long>(expected[i]));
        tally.failures.push_back(statement.text + text);
        return;
    }
}

void report(const Tally& tally, unsigned least) {
    MESSAGE(tally.executed << " executed, " << tally.compared << " compared with the interpreter");
    CHECK(tally.executed >= least);
    for (const std::string& failure : tally.failures) { FAIL_CHECK(failure); }
}

}  // namespace

TEST_CASE("every arithmetic, comparison, conversion and warp instruction of the census gives its bits") {
    std::mt19937_64 random(test::random_seed());
    Tally tally;
    for (const Forms& forms : kForms) {
        std::vector<std::string> mnemonics;
        expand(forms.mnemonic, mnemonics);
        for (const std::string& mnemonic : mnemonics) {
            std::string clean;
            for (const char c : mnemonic) {
                if (c != '.' || clean.empty() || clean.back() != '.') { clean += c; }
            }
            try_statement(statement_of(clean, forms.operands), inputs(random), tally);
        }
    }
    report(tally, 1600);
}

TEST_CASE("every move, access, atomic, barrier and special register of the census gives its bits") {
    std::mt19937_64 random(test::random_seed());
    Tally tally;
    for (const char* pattern : kStatements) {
        std::vector<std::string> texts;
        expand(pattern, texts);
        for (std::string text : texts) {
            const bool shared = text.find("shared") != std::string::npos;
            for (std::size_t at; (at = text.find("[%q")) != std::string::npos;) {
                text.replace(at, 3, shared ? "[%s" : "[%m");
            }
            const std::size_t destination = text.find("%d0"), wide = text.find("%rd0"), single = text.find("%f0"),
                              half = text.find("%h0"), word = text.find("%r0");
            const auto there = [](std::size_t at) { return at != std::string::npos; };
            const std::string bank = there(destination) ? "d"
                                     : there(wide)      ? "rd"
                                     : there(single)    ? "f"
                                     : there(half)      ? "h"
                                     : there(word)      ? "r"
                                                        : "";
            try_statement({text, bank}, inputs(random), tally);
        }
    }
    report(tally, 500);
}

TEST_CASE("what the census leaves out is refused by its name and line") {
    for (const Refused& refused : kRefused) {
        const std::string text = kernel_of({refused.statement, ""});
        const std::string message =
            test::error_of<InputError>([&] { finaliser::finalise_module(ptx::parse_module(text, "form.ptx"), {}); });
        INFO(message);
        CHECK(message.find(refused.name) != std::string::npos);
        const auto line =
            1 + std::count(text.begin(), text.begin() + static_cast<long>(text.find(refused.statement)), '\n');
        CHECK(message.starts_with("form.ptx:" + std::to_string(line) + ":"));
    }
}
