#include <doctest/doctest.h>
#include <algorithm>

#include "components/emulator/emulated_device.h"
#include "components/frontend/finaliser/finalise.h"
#include "components/frontend/ptx/parse_module.h"
#include "components/isa/texture.h"
#include "tests/components/frontend/finaliser/test_kernel.h"

using namespace lookahead;
using namespace lookahead::finaliser;
using namespace lookahead::finaliser::test;

namespace {

/// Two warps, the second of them partial.
constexpr std::uint32_t kThreads = 50;
constexpr int kSurfaceWidth = 6, kSurfaceHeight = 3, kSurfacePitch = 8;

/// Thread t is at x = t % 10 - 2, y = t / 10 - 1: inside the surface, and outside on all sides.
std::string surface_kernel(const std::string& body) {
    return ".version 9.0\n.target sm_75\n.address_size 64\n"
           ".visible .entry k(.param .u64 surface, .param .u64 out) {\n"
           ".reg .b32 %r<9>; .reg .b64 %rd<4>; .reg .pred %p<2>;\n"
           "ld.param.u64 %rd0, [surface]; ld.param.u64 %rd1, [out]; mov.u32 %r0, %tid.x;\n"
           "mul.wide.u32 %rd2, %r0, 4; add.s64 %rd1, %rd1, %rd2; rem.u32 %r1, %r0, 10; sub.s32 %r1, %r1, 2;\n"
           "shl.b32 %r1, %r1, 2; div.u32 %r2, %r0, 10; sub.s32 %r2, %r2, 1; and.b32 %r3, %r0, 1;\n"
           "setp.eq.s32 %p0, %r3, 1; mov.u32 %r4, 77;\n" +
           body + "\nret; }\n";
}

struct SurfaceRun {
    std::vector<std::uint32_t> elements, out;

    static std::uint32_t initial(int x, int y) { return static_cast<std::uint32_t>(100 + 10 * y + x); }
    std::uint32_t at(int x, int y) const { return elements[static_cast<std::size_t>(y * kSurfacePitch + x)]; }
};

SurfaceRun run_surface(const std::string& body) {
    std::vector<std::uint32_t> elements(kSurfacePitch * kSurfaceHeight);
    for (int i = 0; i < kSurfacePitch * kSurfaceHeight; ++i) {
        elements[static_cast<std::size_t>(i)] = SurfaceRun::initial(i % kSurfacePitch, i / kSurfacePitch);
    }
    const ptx::Module module = ptx::parse_module(surface_kernel(body), "surface.ptx");
    EmulatedDevice device({finalise(module, module.functions[0], {})}, {10'000'000});
    isa::TextureDescriptor descriptor;
    const DeviceAddress texels = device.upload(elements);
    descriptor.base = texels;
    descriptor.row_pitch = kSurfacePitch * 4;
    descriptor.width = kSurfaceWidth;
    descriptor.height = kSurfaceHeight;
    descriptor.row_bytes = kSurfaceWidth * 4;
    const DeviceAddress object = device.upload(std::vector{descriptor});
    const DeviceAddress out = device.upload(std::vector<std::uint32_t>(kThreads, 5));
    device.launch("k", {{1, 1, 1}, {kThreads, 1, 1}}, pack_parameters(object, out));
    return {device.download<std::uint32_t>(texels, elements.size()), device.download<std::uint32_t>(out, kThreads)};
}

bool is_inside(int x, int y) {
    return x >= 0 && x < kSurfaceWidth && y >= 0 && y < kSurfaceHeight;
}

}  // namespace

TEST_CASE("surfaces read 0 outside with .zero, the nearest element with .clamp, and nothing where the guard fails") {
    const SurfaceRun zero = run_surface("suld.b.2d.b32.zero {%r4}, [%rd0, {%r1, %r2}]; st.global.u32 [%rd1], %r4;");
    const SurfaceRun clamp = run_surface("suld.b.2d.b32.clamp {%r4}, [%rd0, {%r1, %r2}]; st.global.u32 [%rd1], %r4;");
    const SurfaceRun guarded =
        run_surface("@%p0 suld.b.2d.b32.zero {%r4}, [%rd0, {%r1, %r2}]; st.global.u32 [%rd1], %r4;");
    for (int t = 0; t < static_cast<int>(kThreads); ++t) {
        const int x = t % 10 - 2, y = t / 10 - 1;
        const auto i = static_cast<std::size_t>(t);
        const std::uint32_t expected = is_inside(x, y) ? SurfaceRun::initial(x, y) : 0;
        CHECK(zero.out[i] == expected);
        CHECK(clamp.out[i] ==
              SurfaceRun::initial(std::clamp(x, 0, kSurfaceWidth - 1), std::clamp(y, 0, kSurfaceHeight - 1)));
        CHECK(guarded.out[i] == (t % 2 == 1 ? expected : 77));
    }
}

TEST_CASE("surfaces take what is stored inside of them and drop the rest with .zero; .trap ends the kernel") {
    const SurfaceRun stored = run_surface("@%p0 sust.b.2d.b32.zero [%rd0, {%r1, %r2}], {%r0};");
    for (int y = 0; y < kSurfaceHeight; ++y) {
        for (int x = 0; x < kSurfacePitch; ++x) {
            const int t = (y + 1) * 10 + x + 2;
            const bool written = is_inside(x, y) && t % 2 == 1;
            CHECK(stored.at(x, y) == (written ? static_cast<std::uint32_t>(t) : SurfaceRun::initial(x, y)));
        }
    }
    const std::string inside = "mov.u32 %r1, 20; mov.u32 %r2, 2;", outside = "mov.u32 %r1, 24; mov.u32 %r2, 2;";
    CHECK(run_surface(inside + "sust.b.2d.b32.trap [%rd0, {%r1, %r2}], {%r4};").at(5, 2) == 77);
    CHECK_THROWS(run_surface(outside + "sust.b.2d.b32.trap [%rd0, {%r1, %r2}], {%r4};"));
}

TEST_CASE("%gridid tells launches apart, whole and by its low word") {
    const ptx::Module module = module_of(
        "mov.u64 %rd0, %gridid; mov.u32 %r0, %gridid; cvt.u32.u64 %r1, %rd0; mad.lo.u32 %r0, %r0, 100, %r1;"
        "st.global.u32 [%out], %r0;");
    EmulatedDevice device(finalise_module(module, {}));
    const DeviceAddress out = device.allocate(4);
    for (std::uint32_t launch = 0; launch < 3; ++launch) {
        device.launch("k", {{1}, {1}}, pack_parameters(out, std::uint32_t{0}, std::uint32_t{0}));
        CHECK(device.download<std::uint32_t>(out, 1)[0] == 101 * launch);
    }
}

TEST_CASE("a kernel for clusters of CTAs is refused when it is launched; another one of its module runs") {
    EmulatedDevice device(finalise_module(
        ptx::parse_module(".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry clustered() .explicitcluster "
                          "{ ret; }\n.visible .entry plain() { ret; }\n",
                          "test.ptx"),
        {}));
    device.launch("plain", {{1}, {32}}, {});
    CHECK_THROWS_WITH_AS(device.launch("clustered", {{1}, {32}}, {}),
                         doctest::Contains("test.ptx:4: `.explicitcluster`"), InputError);
}
