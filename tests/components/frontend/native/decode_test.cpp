// Instruction words as ptxas of CUDA 13 makes them from PTX, beside the text that the PTX asks for.
#include "components/frontend/native/decode.h"

#include <doctest/doctest.h>

#include <set>
#include <string>

namespace lookahead::native {
namespace {

struct Row {
    unsigned architecture;
    std::uint64_t place;
    std::uint64_t low, high;
    const char* text;
};

// clang-format off
constexpr Row kRows[] = {
    // Integers: negated sources, carries, constants and uniform registers
    {75, 0x120, 0x8000000504107210, 0x0c0fe20007f1e0ff, "IADD3 R16, P0, R4, -R5, RZ"},
    {75, 0x180, 0x00005c000e2a7a10, 0x000fe20007f3e0ff, "IADD3 R42, P1, R14, c[0x0][0x170], RZ"},
    {75, 0x450, 0x80005c0008187a10, 0x000fe20007f7e0ff, "IADD3 R24, P3, R8, -c[0x0][0x170], RZ"},
    {75, 0x4f0, 0x00000007060d7210, 0x000fe2000175e4ff, "IADD3.X R13, P2, R6, R7, RZ, P2"},
    {75, 0x940, 0x0000004007079810, 0x000fe40007ffe0ff, "@!P1 IADD3 R7, R7, 0x40, RZ"},
    {90, 0x4a0, 0x8000000608197c10, 0x001fc6000ff3e0ff, "IADD3 R25, P1, R8, -UR6, RZ"},
    {90, 0x4c0, 0x8000000709107c10, 0x000fe40008ffe4ff, "IADD3.X R16, R9, -UR7, RZ, P1"},
    {90, 0x160, 0x0000000107077836, 0x000fe20000000000, "VIADD R7, R7, 0x1"},
    {75, 0x950, 0xc0800000040b7811, 0x000fe200078eb8ff, "LEA R11, R4, 0xc0800000, RZ, 0x17"},
    {90, 0xd0, 0x0000000407077c11, 0x000fe2000f8e10ff, "LEA R7, R7, UR4, RZ, 0x2"},
    {90, 0x2e0, 0x0000001819137211, 0x000fc400078feaff, "LEA.HI.SX32 R19, R25, R24, RZ, 0x1d"},
    {75, 0x530, 0x00000005041c7212, 0x000fe200078e9606, "LOP3 R28, R4, R5, R6, 0x96"},
    {75, 0x580, 0x00005a001d1e7a12, 0x000fc600078efcff, "LOP3 R30, R29, c[0x0][0x168], RZ, 0xfc"},
    {75, 0x820, 0x7fffffff06ff7812, 0x000fd8000780c805, "LOP3 P0, RZ, R6, 0x7fffffff, R5, 0xc8"},
    {75, 0x2c0, 0x0000000400277213, 0x000fe20000000000, "IABS R39, R4"},
    {75, 0xb0, 0x00007351041a7816, 0x108fe20000000005, "PRMT R26, R4, 0x7351, R5"},
    {75, 0xd0, 0x00000006041b7216, 0x000fca0000000105, "PRMT.F4E R27, R4, R6, R5"},
    {75, 0xf0, 0x0000000604187217, 0x000fe20003800200, "IMNMX R24, R4, R6"},
    {75, 0x110, 0x0000004d05197817, 0x000fe40007800000, "IMNMX.U32 R25, R5, 0x4d, !PT"},
    {90, 0x280, 0x0000000604127248, 0x004fc40003fe0100, "VIMNMX.S32 R18, R4, R6"},
    {90, 0x260, 0x000000111008720f, 0x1c0fe20003800112, "VIMNMX3.S32 R8, R16, R17, R18"},
    {90, 0x280, 0x0000001110097246, 0x040fe20007800112, "VIADDMNMX.S32 R9, R16, R17, R18, !PT"},
    {75, 0x140, 0x00000003ff0c7819, 0x001fe20000011604, "SHF.R.U32.HI R12, RZ, 0x3, R4"},
    {75, 0x1a0, 0x000000090a287819, 0x020fe2000000100b, "SHF.R.S64 R40, R10, 0x9, R11"},
    {75, 0x250, 0x0000000604187219, 0x001fc40000010e05, "SHF.L.W.U32.HI R24, R4, R6, R5"},
    {75, 0x5a0, 0x0000000408157219, 0x082fe20000010209, "SHF.L.U64.HI R21, R8, R4, R9"},
    {75, 0x210, 0x000000070c1a781a, 0x002fe20000000000, "SGXT.U32 R26, R12, 0x7"},
    {75, 0x3b0, 0x000000050420721b, 0x000fe20000000000, "BMSK R32, R4, R5"},
    {75, 0x200, 0x00005a00040f7a24, 0x000fe200078e0206, "IMAD R15, R4, c[0x0][0x168], R6"},
    {75, 0x3b0, 0x0000000300007424, 0x000fca00078e0200, "IMAD R0, R0, R0, 0x3"},
    {75, 0x1e0, 0x0000000106117824, 0x000fe200000e0e07, "IMAD.X R17, R6, 0x1, -R7, P0"},
    {75, 0x0, 0x00000a00ff017624, 0x000fe400078e00ff, "IMAD.U32 R1, RZ, RZ, c[0x0][0x28]"},
    {75, 0x720, 0x00c00400ff097624, 0x000fe200078e00ff, "IMAD.U32 R9, RZ, RZ, c[0x3][0x10]"},
    {75, 0x50, 0x0000580009027625, 0x000fd000078e0002, "IMAD.WIDE.U32 R2, R9, R2, c[0x0][0x160]"},
    {75, 0x100, 0x00000007062d7227, 0x000fe200078e00ff, "IMAD.HI.U32 R45, R6, R7, RZ"},
    {75, 0x5b0, 0x00000005040a7226, 0x180fe20000000206, "IDP.4A.S8.U8 R10, R4, R5, R6"},
    {90, 0x80, 0x0000000504107226, 0x1c0fe40000001606, "IDP.2A.S8.S8 R16, R4, R5, R6"},
    {90, 0xb0, 0x0000000504137226, 0x1c0fe40000003406, "IDP.2A.U8.S8.HI R19, R4, R5, R6"},
    {75, 0x2e0, 0x0000000c0600780c, 0x000fc40004706270, "ISETP.GE.AND P0, R6, 0xc, !P0"},
    {75, 0x420, 0x0000000b0900720c, 0x040fe20002f21b10, "ISETP.LT.EX.XOR P1, R9, R11, P5, P1"},
    {90, 0x190, 0x0000000407007c0c, 0x000fd6000bf06070, "ISETP.GE.U32.AND P0, R7, UR4"},
    {75, 0x5b0, 0x0000000500057207, 0x002fc60001000000, "SEL R5, R0, R5, P2"},
    {75, 0x320, 0x0000002700277309, 0x000e620000000000, "POPC R39, R39"},
    {75, 0x360, 0x0000000400067d09, 0x000ee60008000000, "POPC R6, UR4"},
    {75, 0xa0, 0x0000000c00177300, 0x0041e200000e0400, "FLO.U32.SH R23, R12"},
    {75, 0x1d0, 0x0000000500297301, 0x000ea20000000000, "BREV R41, R5"},
    // Predicates
    {75, 0x800, 0x000000000000781c, 0x000fd80000703570, "PLOP3 P0, P0, P1"},
    // Floating point: absolute values, halves, immediates in either place
    {75, 0xc0, 0x3e22f983081c7820, 0x000fc6000040c000, "FMUL.RZ R28, R8, 0x3e22f983"},
    {75, 0xf0, 0x4000000b0a1a7221, 0x040fe20000000100, "FADD R26, -R10, |R11|"},
    {90, 0x170, 0x8000000604117e21, 0x040fe20008010000, "FADD.FTZ R17, R4, -UR6"},
    {80, 0x70, 0x40005a0000057621, 0x004fc80000000000, "FADD R5, R0, |c[0x0][0x168]|"},
    {75, 0x130, 0x4040000008187823, 0x000fe40000002009, "FFMA.SAT R24, R8, 0x40400000, R9"},
    {75, 0x110, 0x00005a000a197623, 0x000fca000000450b, "FFMA.RM R25, -R10, |R11|, c[0x0][0x168]"},
    {90, 0x1d0, 0x0000000410047c23, 0x040fe20008000011, "FFMA R4, R16, UR4, R17"},
    {90, 0x1e0, 0x0000000410057e23, 0x0c0fe20008000011, "FFMA R5, R16, R17, UR4"},
    {90, 0x1f0, 0x40a0000010067423, 0x0c0fe20000000011, "FFMA R6, R16, R17, 0x40a00000"},
    {75, 0x100, 0x4000000b0a1d7209, 0x0c0fe20007810000, "FMNMX.FTZ R29, R10, |R11|, !PT"},
    {90, 0x2f0, 0x00000011101d7209, 0x000fe20003820000, "FMNMX.NAN R29, R16, R17"},
    {75, 0xd0, 0x0000000b0a00720b, 0x000fc60004714400, "FSETP.GT.FTZ.OR P0, R10, R11, !P0"},
    {75, 0x7e0, 0x7f8000000800780b, 0x000fe40003f1c200, "FSETP.GTU.FTZ.AND P0, |R8|, 0x7f800000"},
    {75, 0x160, 0x00000009081e7208, 0x000fce0000000000, "FSEL R30, R8, R9, P0"},
    {75, 0x4d0, 0x0000000908007302, 0x000f660000000000, "FCHK P0, R8, R9"},
    {75, 0x170, 0x8000000a003b7308, 0x000ff00000001000, "MUFU.RCP R59, -R10"},
    {75, 0x150, 0x4000000b003a7308, 0x000fe20000000c00, "MUFU.LG2 R58, |R11|"},
    {75, 0x2c0, 0x0000000700357308, 0x000e220000001c00, "MUFU.RSQ64H R53, R7"},
    {75, 0x330, 0x00005c0004227a28, 0x000ea20000000000, "DMUL R34, R4, c[0x0][0x170]"},
    {75, 0x350, 0xc000000004387429, 0x000e460000000000, "DADD R56, R4, 0xc0000000"},
    {90, 0x380, 0x00000008140a7e29, 0x000fe20008000000, "DADD R10, R20, UR8"},
    {75, 0x200, 0x000000060400722a, 0x010ee20003f0e000, "DSETP.GEU.AND P0, R4, R6"},
    {90, 0x3f0, 0x80000016140a722b, 0x000fe2000000020a, "DFMA R10, |R20|, -R22, R10"},
    {90, 0x3c0, 0x0000000814087e2b, 0x0c0fe20008000016, "DFMA R8, R20, R22, UR8"},
    {75, 0x1c0, 0x2000003130007230, 0x008fca0000000c00, "HADD2 R0, R48.H1_H1, R49.H0_H0"},
    {75, 0x250, 0xa00000ff00007230, 0x000fcc0000000900, "HADD2 R0, -R0.H0_H0, -RZ.H0_H0"},
    {75, 0x480, 0xa00000ff302d7230, 0x040fe20000004c00, "HADD2.F32 R45, R48.H1_H1, -RZ.H0_H0"},
    {75, 0x2d0, 0x30000031301b7231, 0x042fe20000060830, "HFMA2 R27, R48.H0_H0, R49.H1_H1, R48.H1_H1"},
    {75, 0x4a0, 0x0000003130197232, 0x0c0fe40000000000, "HMUL2 R25, R48, R49"},
    {100, 0x2c0, 0x3c003c0010067431, 0x0c0fe20000000011, "HFMA2 R6, R16, R17, 0x3c003c00"},
    {80, 0x50, 0x00000007ff077435, 0x000fce00000001ff, "HFMA2.MMA R7, -RZ, RZ, 0x7"},
    {90, 0x340, 0x000000111004723e, 0x000fe200000000ff, "F2FP R4, R16, R17"},
    // Conversions and moves
    {75, 0xa0, 0x0000000800007304, 0x004e220000200800, "F2F.F16.F32 R0, R8"},
    {75, 0x320, 0x0000000800127310, 0x000fe20000201800, "F2F.F64.F32 R18, R8"},
    {75, 0xe0, 0x0000000a000e7311, 0x000e62000020d900, "F2I.64.F32.TRUNC R14, R10"},
    {75, 0x280, 0x0000000400297311, 0x000ee20000301000, "F2I.U.32.F64 R41, R4"},
    {75, 0x3c0, 0x0000003000247306, 0x000ff00000201400, "I2F.F32.S.32 R36, R48"},
    {75, 0x380, 0x0000003100107312, 0x000e220000201800, "I2F.F64.U.32 R16, R49"},
    {75, 0x360, 0x00000006000c7313, 0x000ee20000309800, "FRND.F64.CEIL R12, R6"},
    {75, 0x3a0, 0x0000000900267307, 0x000ff00000205000, "FRND.F32.FLOOR R38, R9"},
    {75, 0x2d0, 0x000002f000047802, 0x000fc60000000f00, "MOV R4, 0x2f0"},
    {75, 0x40, 0x00e7100000047a02, 0x000fe20000000f00, "MOV R4, c[0x3][0x9c40]"},
    {90, 0x3d0, 0x0000000b00197c02, 0x010fe20008000f00, "MOV R25, UR11"},
    {75, 0x10, 0x0000000000097919, 0x000e240000002100, "S2R R9, SR_TID.X"},
    {75, 0x6e0, 0x0000000000047805, 0x004fe40000015000, "CS2R R4, SR_CLOCKLO"},
    {90, 0x60, 0x00000000000579c3, 0x000ea20000008800, "S2UR UR5, SR_CgaCtaId"},
    {90, 0x70, 0x000000000c0672ca, 0x001fe400000e0000, "R2UR UR6, R12"},
    // The uniform unit
    {90, 0x70, 0x0000040000047882, 0x000fe20000000000, "UMOV UR4, 0x400"},
    {90, 0x100, 0x0000000406057890, 0x000fc6000ff1e03f, "UIADD3 UR5, UP0, UR6, 0x4, URZ"},
    {90, 0x120, 0x000000073f067290, 0x000fe400087fe43f, "UIADD3.X UR6, URZ, UR7, URZ, UP0"},
    {100, 0x120, 0x00000007ff067290, 0x000fe400087fe4ff, "UIADD3.X UR6, URZ, UR7, URZ, UP0"},
    {90, 0xc0, 0x0000000405047291, 0x004fcc000f8ec03f, "ULEA UR4, UR5, UR4, URZ, 0x18"},
    {75, 0x340, 0x00000004000572bd, 0x000fe200080e0000, "UFLO.U32 UR5, UR4"},
    {75, 0x60, 0x0000580000047ab9, 0x000fc60000000a00, "ULDC.64 UR4, c[0x0][0x160]"},
    {100, 0x30, 0x00006b00ff0877ac, 0x000ea20008000a00, "LDCU.64 UR8, c[0x0][0x358]"},
    {100, 0x20, 0x00007100ff0477ac, 0x000e620008000800, "LDCU UR4, c[0x0][0x388]"},
    // Memory: with and without a uniform register, a descriptor, a pair
    {75, 0x70, 0x00000404ff077981, 0x000ee2000c1ee900, "LDG R7, [UR4+0x4]"},
    {75, 0x40, 0x00001000020c7381, 0x000ea800001ee100, "LDG.U8 R12, [R2.64+0x10]"},
    {90, 0x70, 0x000000041a047981, 0x000ea8000c1e1d00, "LDG.128 R4, [R26.64+UR4]"},
    {75, 0x2a0, 0x0000322902007386, 0x0041e2000010e500, "STG.U16 [R2.64+0x32], R41"},
    {90, 0x1a0, 0x0000080702007986, 0x0003e4000c101906, "STG [R2.64+UR6+0x8], R7"},
    {75, 0x60, 0xfffffffc02097980, 0x000f22000010e100, "LD.U8 R9, [R2.64+-0x4]"},
    {75, 0xb0, 0x007ffff804007385, 0x000fe8000010eb0c, "ST.64 [R4.64+0x7ffff8], R12"},
    {90, 0x8a0, 0x0000001402007385, 0x0001e40000100b06, "ST.64 [R2.64+0x14], R6"},
    {75, 0x30, 0x00000804ff007980, 0x000ee8000c10e900, "LD R0, [UR4+0x8]"},
    {75, 0xd0, 0xfffffc0cff007985, 0x010fe2000c10e104, "ST.U8 [UR4+-0x4], R12"},
    {90, 0x1a0, 0x0000040314007985, 0x0013e8000c101908, "ST [R20.64+UR8+0x4], R3"},
    {75, 0xa0, 0x0000000209007388, 0x004fe80000004800, "STS [R9.X4], R2"},
    {75, 0xd0, 0x00002000ff107984, 0x000e700000001c00, "LDS.128 R16, [0x20]"},
    {90, 0x180, 0x00002004ff107984, 0x000ea80008000c00, "LDS.128 R16, [UR4+0x20]"},
    {75, 0x490, 0x0000040201007387, 0x000fe80000100800, "STL [R1+0x4], R2"},
    {75, 0x4a0, 0x00000400220b7983, 0x000ea20000100800, "LDL R11, [R34+0x4]"},
    {75, 0x20, 0x00f0d6c0ff037b82, 0x000e620000000000, "LDC.U8 R3, c[0x3][0xc35b]"},
    {75, 0xb0, 0x00fffe0000067b82, 0x000e700000000800, "LDC R6, c[0x3][R0+-0x8]"},
    {75, 0x1b0, 0x000014021c00798e, 0x0005e80001114300, "RED.MAX.S32 [R28.64+0x14], R2"},
    {90, 0x460, 0x00002814160079a6, 0x008fe2000c10ff88, "REDG.F.ADD.F64 [R22.64+UR8+0x28], R20"},
    {75, 0x160, 0x000000021c1773a8, 0x00056800001f41ff, "ATOMG.ADD R23, [R28.64], R2"},
    {90, 0x3e0, 0x00002003160b79a8, 0x002ea800099ee1c8, "ATOMG.INC R11, [R22.64+UR8+0x20], R3"},
    {90, 0x250, 0x00001814161879a8, 0x000368000c1ee5c8, "ATOMG.EXCH.64 R24, [R22.64+UR8+0x18], R20"},
    {100, 0x250, 0x80001814161879a8, 0x000168000c1ef508, "ATOMG.EXCH.64 R24, [R22.64+UR8+0x18], R20"},
    {100, 0x230, 0x8000100b161b79a3, 0x000168000c1ef308, "ATOMG.F.ADD.F32 R27, [R22.64+UR8+0x10], R11"},
    {90, 0x210, 0x00000802160873a9, 0x00036800001ee103, "ATOMG.CAS R8, [R22.64+0x8], R2, R3"},
    {90, 0x5f0, 0x0000040c0204798a, 0x002162000810e5c6, "ATOM.ADD.64 R4, P0, [R2.64+UR6+0x4], R12"},
    {75, 0x1d0, 0x00000002040d738b, 0x00056800001f4103, "ATOM.CAS R13, [R4.64], R2, R3"},
    {75, 0x3d0, 0x00000803091a738c, 0x0002e800008042ff, "ATOMS.MIN.S32 R26, [R9.X4+0x8], R3"},
    {75, 0x380, 0x000004020919738d, 0x0000220000004003, "ATOMS.CAS R25, [R9.X4+0x4], R2, R3"},
    {75, 0x3f0, 0x0000000000007992, 0x000fea0000002000, "MEMBAR.GPU.SC"},
    // Across the warp and the CTA
    {75, 0x510, 0x0c201f0002047f89, 0x000fe400000e0000, "SHFL.BFLY R4, R2"},
    {90, 0x570, 0x00601f0002077f89, 0x000fe80000040000, "SHFL.IDX P2, R7, R2"},
    {75, 0x520, 0x0000000000067806, 0x000fe400040e0100, "VOTE.ANY R6, !P0"},
    {90, 0x5c0, 0x0000000000ff7806, 0x000fc60004060200, "VOTE.EQ RZ, P3, !P0"},
    {75, 0x330, 0x0000000000047886, 0x000fc400038e0100, "VOTEU.ANY UR4"},
    {75, 0x500, 0x00000000020873a1, 0x000ee600000e8000, "MATCH.ANY R8, R2"},
    {90, 0x670, 0x00000000181473a1, 0x000e620000040200, "MATCH.ALL.U64 P2, R20, R24"},
    {90, 0x230, 0x00000000100a73c4, 0x000e62000000c200, "REDUX.SUM.S32 UR10, R16"},
    {75, 0x330, 0x0000000000007b1d, 0x000fea0000000000, "BAR.SYNC 0x0"},
    {75, 0x9e0, 0x0000000000007b1d, 0x000fea0004804000, "BAR.RED 0x0"},
    {75, 0x6a0, 0x00c1000000007b1d, 0x000fea0000002000, "BAR.ARV 0x3"},
    {75, 0x320, 0xffffffff00007948, 0x000fe80003800000, "WARPSYNC 0xffffffff"},
    {90, 0x1c0, 0x0000000000007948, 0x000fea0003800000, "WARPSYNC 0x0"},
    // Control
    {75, 0x180, 0xffffff2000008947, 0x000fea000383ffff, "@!P0 BRA 0xb0"},
    {75, 0x870, 0x000004c000009947, 0x000fea0005000000, "@!P1 BRA !P2, 0xd40"},
    {90, 0x1b0, 0xfffffffc00c08947, 0x000fea000383ffff, "@!P0 BRA 0xc0"},
    {90, 0x270, 0x0000000000307947, 0x000fea0003800000, "BRA 0x340"},
    {75, 0xf0, 0x000002b000007944, 0x001fea0003c00000, "CALL.REL 0x3b0"},
    {90, 0xf0, 0x0000000000b47944, 0x001fea0003c00000, "CALL.REL 0x3d0"},
    {75, 0x3a0, 0xfffffc5004007950, 0x000fea0003c3ffff, "RET.REL R4, 0x0"},
    {90, 0x420, 0xfffffff804f47950, 0x000fea0003c3ffff, "RET.REL R4, 0x0"},
    {75, 0x230, 0xfffffdc004007949, 0x000fea000383ffff, "BRX R4, 0x0"},
    {90, 0x220, 0xfffffffc04747949, 0x000fea000383ffff, "BRX R4, 0x0"},
    {75, 0x80, 0x0000016000007945, 0x000fe20003800000, "BSSY B0, 0x1f0"},
    {90, 0xc0, 0x0000004000017945, 0x000fe20003800000, "BSSY B1, 0x110"},
    {75, 0x100, 0x0000000000027941, 0x000fea0003800000, "BSYNC B2"},
    {75, 0x130, 0x0000000000018942, 0x000fe20003800000, "@!P0 BREAK B1"},
    {75, 0xb0, 0x0000000002ff7355, 0x000fe20000100000, "BMOV.CLEAR RZ, B2"},
    {75, 0x30, 0x000000000000094d, 0x000fea0003800000, "@P0 EXIT"},
    {75, 0x270, 0x000000140000795d, 0x000fe20003a00000, "NANOSLEEP 0x14"},
    {75, 0x290, 0x0000000000007946, 0x000fe20003800000, "YIELD"},
    {75, 0x360, 0x000000040000795c, 0x007fea0000300000, "BPT"},
    {75, 0x1d0, 0x0000000000007918, 0x000fca0000000000, "NOP"},
};
// clang-format on

TEST_CASE("instructions have the text of the PTX that they were made from") {
    for (const Row& row : kRows) {
        const Instruction instruction = decode({row.low, row.high}, row.architecture);
        REQUIRE(instruction.opcode != nullptr);
        CHECK(text_of(instruction, row.place) == row.text);
    }
}

TEST_CASE("the rows cover most opcodes of the table") {
    std::set<std::uint16_t> covered;
    for (const Row& row : kRows) { covered.insert(decode({row.low, row.high}, row.architecture).opcode->number); }
    CHECK(covered.size() >= 90);
}

TEST_CASE("a field is the bits from its first one on, also across the two halves of a word") {
    const Word word{0x8000000000000001, 0xc000000000000005};
    const auto bit_by_bit = [&](unsigned first, unsigned count) {
        std::uint64_t value = 0;
        for (unsigned i = 0; i < count && first + i < 128; ++i) {
            const unsigned place = first + i;
            const std::uint64_t half = place < 64 ? word.low : word.high;
            value |= (half >> place % 64 & 1) << i;
        }
        return value;
    };
    for (unsigned first = 0; first < 128; ++first) {
        for (unsigned count = 1; count <= 64 && first + count <= 128; ++count) {
            REQUIRE(word.bits(first, count) == bit_by_bit(first, count));
        }
    }
    CHECK(word.bits(63, 1) == 1);
    CHECK(word.bits(63, 2) == 3);
    CHECK(word.bits(64, 64) == word.high);
    CHECK(word.bits(63, 64) == 0x800000000000000b);
    CHECK(word.bit(127));
    CHECK_FALSE(word.bit(65));
}

TEST_CASE("a signed field is negative if its last bit is set") {
    const Word word{0xfff8000000000000, 0x1};
    CHECK(word.signed_bits(51, 13) == -1);
    CHECK(word.signed_bits(50, 14) == -2);
    CHECK(word.signed_bits(51, 14) == -1);
    CHECK(word.signed_bits(51, 15) == 0x3fff);
    CHECK(word.signed_bits(0, 64) == static_cast<std::int64_t>(word.low));
    CHECK(word.signed_bits(64, 2) == 1);
    CHECK(word.signed_bits(64, 1) == -1);
}

TEST_CASE("control words tell stalls, yields, barriers, waits and reuse") {
    // An HFMA2 and a MOV, which free nothing; an ATOMG, whose result is barrier 5 and whose sources are barrier 2.
    const Control plain = control_of({0x0000001110057231, 0x000fe20000000012});
    CHECK(plain.stall == 1);
    CHECK_FALSE(plain.yields);
    CHECK(control_of({0x0000000000147202, 0x000fca0000000f00}).yields);
    CHECK(plain.write_barrier == 7);
    CHECK(plain.read_barrier == 7);
    CHECK(plain.waits == 0);
    CHECK(plain.reuse == 0);
    const Control loads = control_of({0x000000021c1773a8, 0x00056800001f41ff});
    CHECK(loads.stall == 4);
    CHECK_FALSE(loads.yields);
    CHECK(loads.write_barrier == 5);
    CHECK(loads.read_barrier == 2);
    const Control waits = control_of({0x0000000504127226, 0x1c0fe20000000206});
    CHECK(waits.reuse == 7);
    CHECK(control_of({0, 0x03ffca0002000000}).waits == 0x3f);
}

TEST_CASE("an unknown opcode, and one that its architecture does not have, have no row and say so") {
    const Word unknown{0x0000040002ff73aa, 0x000e240000000500};
    CHECK(decode(unknown, 90).opcode == nullptr);
    CHECK(text_of(decode(unknown, 90), 0) == "unknown opcode 0x3aa: 0x000e240000000500 0x0000040002ff73aa");
    const Word viadd{0x0000000107077836, 0x000fe20000000000}, minimum{0x0000000604187217, 0x000fe20003800200};
    const Word ldcu{0x00007100ff0477ac, 0x000e620008000800};
    CHECK(decode(viadd, 89).opcode == nullptr);
    CHECK(decode(viadd, 90).opcode != nullptr);
    CHECK(decode(minimum, 89).opcode != nullptr);
    CHECK(decode(minimum, 90).opcode == nullptr);
    CHECK(decode(ldcu, 90).opcode == nullptr);
    CHECK(decode(ldcu, 100).opcode != nullptr);
}

TEST_CASE("every opcode's operands and modifiers can be shown, whatever its other bits are") {
    for (const Opcode& opcode : opcodes()) {
        CHECK(opcode.first <= opcode.last);
        for (const std::uint64_t fill : {std::uint64_t{0}, ~std::uint64_t{0}}) {
            const Word word{(fill & ~std::uint64_t{0x1ff}) | opcode.number, fill};
            CHECK(text_of(decode(word, opcode.first), 0).find(opcode.name) != std::string::npos);
        }
    }
}

}  // namespace
}  // namespace lookahead::native
