// A CUDA program without nvcc: it registers PTX as nvcc's start-up code does and calls the runtime by its binary
// interface. It is linked with each replacement library, which tests those of CUDA 11 and 12 on machines without these
// versions.
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "tests/functional/cuda/runtime_abi.h"

namespace {

// out[i] = 2 i + n; the variable `calls`, defined in the other part, counts threads.
const std::string kKernel = R"(.version 6.4
.target sm_50
.address_size 64
.extern .global .align 4 .u32 calls;
.visible .entry fill(.param .u64 out, .param .u32 n) {
    .reg .b64 %rd<4>;
    .reg .b32 %r<5>;
    ld.param.u64 %rd1, [out];
    ld.param.u32 %r1, [n];
    mov.u32 %r2, %tid.x;
    mad.lo.u32 %r3, %r2, 2, %r1;
    mul.wide.u32 %rd2, %r2, 4;
    add.u64 %rd3, %rd1, %rd2;
    st.global.u32 [%rd3], %r3;
    atom.global.add.u32 %r4, [calls], 1;
    ret;
}
)";
const std::string kVariable = R"(.version 6.4
.target sm_50
.address_size 64
.visible .global .align 4 .u32 calls;
)";

char fill_stub, calls_shadow;  // their addresses identify kernel and variable

int launch(unsigned threads, void* out, unsigned n) {
    __cudaPushCallConfiguration(dim3(1), dim3(threads), 0, nullptr);
    dim3 grid, block;
    std::size_t shared_bytes;
    void* stream;
    if (const int error = __cudaPopCallConfiguration(&grid, &block, &shared_bytes, &stream)) { return error; }
    void* arguments[] = {&out, &n};
    return cudaLaunchKernel(&fill_stub, grid, block, arguments, shared_bytes, stream);
}

/// Whether the properties have the size of the library's version, and nothing after them is written.
bool properties_fit(int version) {
    constexpr std::size_t kMajor = 360;  // the offset of `major` in all versions
    std::vector<unsigned char> bytes(2048, 0xab);
    const bool is_12 = version / 1000 == 12;
    if ((is_12 ? cudaGetDeviceProperties_v2 : cudaGetDeviceProperties)(bytes.data(), 0) != 0) { return false; }
    const std::size_t size = version / 1000 == 13 ? 1008 : is_12 ? 1032 : 720;
    int major = 0;
    std::memcpy(&major, bytes.data() + kMajor, sizeof major);
    for (std::size_t i = size; i < bytes.size(); ++i) {
        if (bytes[i] != 0xab) { return false; }
    }
    return major == 7 && std::strlen(reinterpret_cast<const char*>(bytes.data())) > 0;
}

/// Whether PTX and binary version equal those of the module's .target.
bool versions_fit() {
    constexpr std::size_t kPtxVersion = 32;  // the offset of `ptxVersion`, before `binaryVersion`
    std::vector<unsigned char> bytes(512);
    if (cudaFuncGetAttributes(bytes.data(), &fill_stub) != 0) { return false; }
    int versions[2];
    std::memcpy(versions, bytes.data() + kPtxVersion, sizeof versions);
    return versions[0] == 50 && versions[1] == 50;
}

}  // namespace

int main(int, char** arguments) {
    static EmbeddedModule module(std::vector{kKernel, kVariable});
    module.add_kernel(&fill_stub, "fill");
    module.add_variable(&calls_shadow, "calls");
    module.complete();

    constexpr unsigned kThreads = 50;
    void* out = nullptr;
    int version = 0, wrong = 0;
    unsigned results[kThreads], calls = 0;
    wrong += cudaRuntimeGetVersion(&version) != 0 || version != std::stoi(arguments[1]) * 1000;
    wrong += !properties_fit(version);
    wrong += !versions_fit();
    wrong += cudaMalloc(&out, sizeof results) != 0;
    wrong += launch(kThreads, out, 7) != 0;
    wrong += cudaDeviceSynchronize() != 0;
    wrong += cudaMemcpy(results, out, sizeof results, 2) != 0;
    wrong += cudaMemcpyFromSymbol(&calls, &calls_shadow, sizeof calls, 0, 2) != 0;
    for (unsigned i = 0; i < kThreads; ++i) { wrong += results[i] != 2 * i + 7; }
    wrong += calls != kThreads;
    wrong += launch(2000, out, 7) != 9 || cudaGetLastError() != 9;
    std::printf("CUDA %d: %s: %s\n", version, cudaGetErrorString(9), wrong == 0 ? "correct" : "wrong");
    return wrong;
}
