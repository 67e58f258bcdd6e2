#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

/// CUDA's runtime for host programs compiled without nvcc and CUDA's headers: its functions by their binary interface,
/// and what nvcc's start-up code registers.
struct dim3 {
    unsigned x, y, z;
    explicit constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
};
using cudaError_t = int;
using cudaStream_t = void*;
using cudaEvent_t = void*;
enum { cudaSuccess = 0 };
enum {
    cudaMemcpyHostToHost,
    cudaMemcpyHostToDevice,
    cudaMemcpyDeviceToHost,
    cudaMemcpyDeviceToDevice,
    cudaMemcpyDefault
};

extern "C" {
void** __cudaRegisterFatBinary(void*);
void __cudaRegisterFatBinaryEnd(void**);
void __cudaRegisterFunction(void**, const char*, char*, const char*, int, void*, void*, void*, void*, int*);
void __cudaRegisterVar(void**, char*, char*, const char*, int, std::size_t, int, int);
unsigned __cudaPushCallConfiguration(dim3, dim3, std::size_t, void*);
cudaError_t __cudaPopCallConfiguration(dim3*, dim3*, std::size_t*, void*);
cudaError_t cudaLaunchKernel(const void*, dim3, dim3, void**, std::size_t, cudaStream_t);
cudaError_t cudaLaunchKernel_ptsz(const void*, dim3, dim3, void**, std::size_t, cudaStream_t);
cudaError_t cudaMemcpyAsync_ptsz(void*, const void*, std::size_t, int, cudaStream_t);
cudaError_t cudaMemcpy_ptds(void*, const void*, std::size_t, int);
cudaError_t cudaStreamSynchronize_ptsz(cudaStream_t);
cudaError_t cudaFuncGetParamInfo(const void*, std::size_t, std::size_t*, std::size_t*);
cudaError_t cudaFuncGetAttributes(void*, const void*);
cudaError_t cudaFuncSetAttribute(const void*, int, int);
cudaError_t cudaMalloc(void**, std::size_t);
cudaError_t cudaMallocHost(void**, std::size_t);
cudaError_t cudaMallocManaged(void**, std::size_t, unsigned);
cudaError_t cudaFree(void*);
cudaError_t cudaFreeHost(void*);
cudaError_t cudaHostRegister(void*, std::size_t, unsigned);
cudaError_t cudaHostUnregister(void*);
cudaError_t cudaMemGetInfo(std::size_t*, std::size_t*);
cudaError_t cudaMemcpy(void*, const void*, std::size_t, int);
cudaError_t cudaMemcpyAsync(void*, const void*, std::size_t, int, cudaStream_t);
cudaError_t cudaMemcpy2D(void*, std::size_t, const void*, std::size_t, std::size_t, std::size_t, int);
cudaError_t cudaMemset(void*, int, std::size_t);
cudaError_t cudaMemsetAsync(void*, int, std::size_t, cudaStream_t);
cudaError_t cudaMemcpyToSymbol(const void*, const void*, std::size_t, std::size_t, int);
cudaError_t cudaMemcpyFromSymbol(void*, const void*, std::size_t, std::size_t, int);
cudaError_t cudaGetSymbolAddress(void**, const void*);
cudaError_t cudaGetSymbolSize(std::size_t*, const void*);
cudaError_t cudaDeviceSynchronize();
cudaError_t cudaDeviceReset();
cudaError_t cudaSetDevice(int);
cudaError_t cudaGetDevice(int*);
cudaError_t cudaGetDeviceCount(int*);
cudaError_t cudaDeviceGetAttribute(int*, int, int);
cudaError_t cudaStreamCreate(cudaStream_t*);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t*, unsigned);
cudaError_t cudaStreamDestroy(cudaStream_t);
cudaError_t cudaStreamSynchronize(cudaStream_t);
cudaError_t cudaStreamQuery(cudaStream_t);
cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned);
cudaError_t cudaLaunchHostFunc(cudaStream_t, void (*)(void*), void*);
cudaError_t cudaStreamAddCallback(cudaStream_t, void (*)(cudaStream_t, cudaError_t, void*), void*, unsigned);
cudaError_t cudaEventCreate(cudaEvent_t*);
cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t);
cudaError_t cudaEventSynchronize(cudaEvent_t);
cudaError_t cudaEventQuery(cudaEvent_t);
cudaError_t cudaEventElapsedTime(float*, cudaEvent_t, cudaEvent_t);
cudaError_t cudaEventDestroy(cudaEvent_t);
cudaError_t cudaRuntimeGetVersion(int*);
cudaError_t cudaGetDeviceProperties(void*, int);
cudaError_t cudaGetDeviceProperties_v2(void*, int);
cudaError_t cudaGetLastError();
cudaError_t cudaPeekAtLastError();
const char* cudaGetErrorName(cudaError_t);
const char* cudaGetErrorString(cudaError_t);
}

/// A module as nvcc embeds it: a fat binary with one entry of plain PTX (components/frontend/cudart/fat_binary.h has
/// the layout). It is registered once and stays for the program's life.
class EmbeddedModule {
  public:
    explicit EmbeddedModule(const std::string& ptx) {
        add_binary(ptx);
        wrapper_.data = binaries_.front().data();
        handle_ = __cudaRegisterFatBinary(&wrapper_);
    }
    /// Relocatable device code: a fat binary per part, and a null-terminated array of them.
    explicit EmbeddedModule(const std::vector<std::string>& parts) {
        for (const std::string& ptx : parts) { add_binary(ptx); }
        for (const std::vector<char>& binary : binaries_) { linked_.push_back(binary.data()); }
        linked_.push_back(nullptr);
        wrapper_.version = 2;
        wrapper_.linked = linked_.data();
        handle_ = __cudaRegisterFatBinary(&wrapper_);
    }
    EmbeddedModule(const EmbeddedModule&) = delete;
    EmbeddedModule& operator=(const EmbeddedModule&) = delete;

    /// Registers the host's address of a kernel or variable.
    void add_kernel(const char* stub, const char* name) {
        __cudaRegisterFunction(handle_, stub, nullptr, name, -1, nullptr, nullptr, nullptr, nullptr, nullptr);
    }
    void add_variable(char* shadow, const char* name) { __cudaRegisterVar(handle_, shadow, nullptr, name, 0, 0, 0, 0); }
    void complete() { __cudaRegisterFatBinaryEnd(handle_); }

  private:
    void add_binary(const std::string& ptx) {
        constexpr std::size_t kHeaders = 16 + 64;
        const std::uint64_t payload = (ptx.size() + 8) / 8 * 8;
        std::vector<char> bytes(kHeaders + payload);
        const auto put = [&bytes](std::size_t at, auto value) { std::memcpy(bytes.data() + at, &value, sizeof value); };
        put(0, std::uint32_t{0xBA55ED50});
        put(4, std::uint16_t{1});
        put(6, std::uint16_t{16});
        put(8, std::uint64_t{64 + payload});
        put(16, std::uint16_t{1});
        put(20, std::uint32_t{64});
        put(24, payload);
        std::memcpy(bytes.data() + kHeaders, ptx.data(), ptx.size());
        binaries_.push_back(std::move(bytes));
    }

    struct Wrapper {
        std::uint32_t magic = 0x466243B1, version = 1;
        const void* data = nullptr;
        const void* linked = nullptr;
    };
    std::vector<std::vector<char>> binaries_;
    std::vector<const char*> linked_;
    Wrapper wrapper_;
    void** handle_ = nullptr;
};
