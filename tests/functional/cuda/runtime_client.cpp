// A CUDA program without nvcc: it registers PTX as nvcc's start-up code does and calls the runtime by its binary interface.
// It is linked with each replacement library, so that those of CUDA 11 and 12 are tested where there is no such CUDA.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

extern "C" {
struct Dim3 {
    unsigned x, y, z;
};
void** __cudaRegisterFatBinary(void*);
void __cudaRegisterFatBinaryEnd(void**);
void __cudaRegisterFunction(void**, const char*, char*, const char*, int, void*, void*, void*, void*, int*);
void __cudaRegisterVar(void**, char*, char*, const char*, int, std::size_t, int, int);
unsigned __cudaPushCallConfiguration(Dim3, Dim3, std::size_t, void*);
int __cudaPopCallConfiguration(Dim3*, Dim3*, std::size_t*, void*);
int cudaLaunchKernel(const void*, Dim3, Dim3, void**, std::size_t, void*);
int cudaMalloc(void**, std::size_t);
int cudaMemcpy(void*, const void*, std::size_t, int);
int cudaMemcpyFromSymbol(void*, const void*, std::size_t, std::size_t, int);
int cudaDeviceSynchronize();
int cudaRuntimeGetVersion(int*);
int cudaGetDeviceProperties(void*, int);
int cudaGetDeviceProperties_v2(void*, int);
int cudaGetLastError();
const char* cudaGetErrorString(int);
}

namespace {

// out[i] = 2 i + n, and the variable `calls` counts threads.
const std::string kPtx = R"(.version 6.4
.target sm_50
.address_size 64
.visible .global .align 4 .u32 calls;
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

template <class T>
void put(std::vector<char>& bytes, std::size_t at, T value) {
    std::memcpy(bytes.data() + at, &value, sizeof value);
}

/// One entry of plain PTX; the layout is that of components/frontend/cudart/fat_binary.h.
std::vector<char> fat_binary() {
    const std::uint64_t payload = (kPtx.size() + 8) / 8 * 8;
    std::vector<char> bytes(16 + 64 + payload);
    put(bytes, 0, std::uint32_t{0xBA55ED50});
    put(bytes, 4, std::uint16_t{1});
    put(bytes, 6, std::uint16_t{16});
    put(bytes, 8, std::uint64_t{64 + payload});
    put(bytes, 16, std::uint16_t{1});
    put(bytes, 20, std::uint32_t{64});
    put(bytes, 24, payload);
    std::memcpy(bytes.data() + 80, kPtx.data(), kPtx.size());
    return bytes;
}

struct Wrapper {
    std::uint32_t magic = 0x466243B1, version = 1;
    const void* data = nullptr;
    void* unused = nullptr;
};

char fill_stub, calls_shadow;  // their addresses are what the host knows kernel and variable by

int launch(unsigned threads, void* out, unsigned n) {
    __cudaPushCallConfiguration({1, 1, 1}, {threads, 1, 1}, 0, nullptr);
    Dim3 grid, block;
    std::size_t shared_bytes;
    void* stream;
    if (const int error = __cudaPopCallConfiguration(&grid, &block, &shared_bytes, &stream)) return error;
    void* arguments[] = {&out, &n};
    return cudaLaunchKernel(&fill_stub, grid, block, arguments, shared_bytes, stream);
}

/// The properties' size is that of the library's version, and nothing behind it is written.
bool properties_fit(int version) {
    constexpr std::size_t kMajor = 360;  // the offset of `major` in all versions
    std::vector<unsigned char> bytes(2048, 0xab);
    const bool is_12 = version / 1000 == 12;
    if ((is_12 ? cudaGetDeviceProperties_v2 : cudaGetDeviceProperties)(bytes.data(), 0) != 0) return false;
    const std::size_t size = version / 1000 == 13 ? 1008 : is_12 ? 1032 : 720;
    int major = 0;
    std::memcpy(&major, bytes.data() + kMajor, sizeof major);
    for (std::size_t i = size; i < bytes.size(); ++i)
        if (bytes[i] != 0xab) return false;
    return major == 7 && std::strlen(reinterpret_cast<const char*>(bytes.data())) > 0;
}

}  // namespace

int main(int, char** arguments) {
    static std::vector<char> binary = fat_binary();
    static Wrapper wrapper;
    wrapper.data = binary.data();
    void** const module = __cudaRegisterFatBinary(&wrapper);
    __cudaRegisterFunction(module, &fill_stub, nullptr, "fill", -1, nullptr, nullptr, nullptr, nullptr, nullptr);
    __cudaRegisterVar(module, &calls_shadow, nullptr, "calls", 0, 4, 0, 0);
    __cudaRegisterFatBinaryEnd(module);

    constexpr unsigned kThreads = 50;
    void* out = nullptr;
    int version = 0, wrong = 0;
    unsigned results[kThreads], calls = 0;
    wrong += cudaRuntimeGetVersion(&version) != 0 || version != std::stoi(arguments[1]) * 1000;
    wrong += !properties_fit(version);
    wrong += cudaMalloc(&out, sizeof results) != 0;
    wrong += launch(kThreads, out, 7) != 0;
    wrong += cudaDeviceSynchronize() != 0;
    wrong += cudaMemcpy(results, out, sizeof results, 2) != 0;
    wrong += cudaMemcpyFromSymbol(&calls, &calls_shadow, sizeof calls, 0, 2) != 0;
    for (unsigned i = 0; i < kThreads; ++i) wrong += results[i] != 2 * i + 7;
    wrong += calls != kThreads;
    wrong += launch(2000, out, 7) != 9 || cudaGetLastError() != 9;
    std::printf("CUDA %d: %s: %s\n", version, cudaGetErrorString(9), wrong == 0 ? "correct" : "wrong");
    return wrong;
}
