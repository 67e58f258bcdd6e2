#include "tests/functional/census/forms.h"

namespace lookahead::test {
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
    unsigned source = 1, predicate = 1;
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
            result.text += "%" + registers +
                           std::to_string(destination        ? 0
                                          : registers == "p" ? predicate++
                                                             : source++);
            if (destination) { result.destination = registers; }
        }
    }
    result.text += ";";
    return result;
}

}  // namespace

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

std::vector<Statement> statements_of(const std::string& mnemonics, const std::string& operands) {
    std::vector<std::string> expanded;
    expand(mnemonics, expanded);
    std::vector<Statement> statements;
    for (const std::string& mnemonic : expanded) {
        std::string clean;
        for (const char c : mnemonic) {
            if (c != '.' || clean.empty() || clean.back() != '.') { clean += c; }
        }
        statements.push_back(statement_of(clean, operands));
    }
    return statements;
}

std::vector<Statement> arithmetic_statements() {
    std::vector<Statement> all;
    for (const Forms& forms : kForms) {
        for (Statement& each : statements_of(forms.mnemonic, forms.operands)) { all.push_back(std::move(each)); }
    }
    return all;
}

}  // namespace lookahead::test
