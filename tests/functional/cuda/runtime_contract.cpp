// What CUDA's runtime guarantees besides results: error codes, handles, order, threads and processes. Each part is a
// separate program: runtime_contract PART, under `lookahead capture`. The codes are those in the CUDA Runtime API's
// reference.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "tests/functional/cuda/check.h"
#include "tests/functional/cuda/runtime_abi.h"

namespace {

enum Code {
    kInvalidValue = 1,
    kMemoryAllocation = 2,
    kInitialization = 3,
    kInvalidConfiguration = 9,
    kInvalidSymbol = 13,
    kInvalidDirection = 21,
    kDevicesUnavailable = 46,
    kInvalidFunction = 98,
    kInvalidDevice = 101,
    kInvalidHandle = 400,
    kIllegalAddress = 700,
    kOutOfResources = 701,
    kNotRegistered = 713,
    kMisaligned = 716,
    kLaunchFailure = 719,
    kNotPermitted = 800,
};

// add: cells[thread] += n. bounded: the same, for at most 64 threads. locked: cells[1] += 1 under the lock cells[0].
// poke: a store to any address. stop: a trap.
const std::string kPtx = R"(.version 6.4
.target sm_50
.address_size 64
.visible .global .align 4 .u32 counter = 5;
.visible .entry add(.param .u64 cells, .param .u32 n) {
    .reg .b64 %rd<4>;
    .reg .b32 %r<8>;
    ld.param.u64 %rd1, [cells];
    ld.param.u32 %r1, [n];
    mov.u32 %r2, %tid.x;
    mov.u32 %r5, %ctaid.x;
    mov.u32 %r6, %ntid.x;
    mad.lo.u32 %r2, %r5, %r6, %r2;
    mul.wide.u32 %rd2, %r2, 4;
    add.u64 %rd3, %rd1, %rd2;
    ld.global.u32 %r3, [%rd3];
    add.u32 %r3, %r3, %r1;
    st.global.u32 [%rd3], %r3;
    atom.global.add.u32 %r4, [counter], 1;
    ret;
}
.visible .entry bounded() .maxntid 64, 1, 1 {
    ret;
}
.visible .entry shared() {
    .shared .align 4 .b8 buffer[40000];
    .reg .b32 %r<2>;
    mov.u32 %r1, 1;
    st.shared.u32 [buffer], %r1;
    ret;
}
.visible .entry poke(.param .u64 address) {
    .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [address];
    st.global.u64 [%rd1], %rd1;
    ret;
}
.visible .entry locked(.param .u64 cells) {
    .reg .b64 %rd<2>;
    .reg .b32 %r<4>;
    .reg .pred %p<2>;
    ld.param.u64 %rd1, [cells];
again:
    atom.global.cas.b32 %r1, [%rd1], 0, 1;
    setp.ne.u32 %p1, %r1, 0;
    @%p1 bra again;
    ld.volatile.global.u32 %r2, [%rd1+4];
    add.u32 %r2, %r2, 1;
    st.volatile.global.u32 [%rd1+4], %r2;
    membar.gl;
    atom.global.exch.b32 %r3, [%rd1], 0;
    ret;
}
.visible .entry stop() {
    trap;
    ret;
}
)";

char add, bounded, shared, locked, poke, stop, counter, unknown;  // their addresses identify them

constexpr unsigned kCells = 64;
using Cells = std::vector<std::uint32_t>;

int launch(const void* kernel, dim3 grid, dim3 block, std::vector<void*> arguments, std::size_t shared_bytes = 0,
           cudaStream_t stream = nullptr) {
    return cudaLaunchKernel(kernel, grid, block, arguments.data(), shared_bytes, stream);
}
int launch_add(void* cells, unsigned n, cudaStream_t stream = nullptr) {
    return launch(&add, dim3(2), dim3(kCells / 2), {&cells, &n}, 0, stream);
}
int launch_poke(std::uint64_t address) {
    return launch(&poke, dim3(1), dim3(1), {&address});
}

void* new_cells() {
    void* cells = nullptr;
    CUDA_CHECK(cudaMalloc(&cells, kCells * 4));
    CUDA_CHECK(cudaMemset(cells, 0, kCells * 4));
    return cells;
}
bool all_are(const Cells& cells, unsigned value) {
    for (const std::uint32_t cell : cells) {
        if (cell != value) { return false; }
    }
    return true;
}
bool cells_are(void* cells, unsigned value) {
    Cells got(kCells);
    return cudaMemcpy(got.data(), cells, kCells * 4, cudaMemcpyDeviceToHost) == cudaSuccess && all_are(got, value);
}
/// Whether the call returns `expected` and cudaGetLastError returns it too, once.
bool fails(int error, int expected) {
    return error == expected && cudaPeekAtLastError() == expected && cudaGetLastError() == expected &&
           cudaGetLastError() == cudaSuccess;
}

void errors() {
    EXPECT(cudaFree(new_cells()) == cudaSuccess);
    EXPECT(std::strcmp(cudaGetErrorString(0), "no error") == 0);
    EXPECT(std::strcmp(cudaGetErrorString(kInvalidValue), "invalid argument") == 0);
    EXPECT(std::strcmp(cudaGetErrorString(kMemoryAllocation), "out of memory") == 0);
    EXPECT(std::strcmp(cudaGetErrorString(kIllegalAddress), "an illegal memory access was encountered") == 0);
    EXPECT(std::strcmp(cudaGetErrorString(kLaunchFailure), "unspecified launch failure") == 0);
    EXPECT(std::strcmp(cudaGetErrorString(123456), "unrecognized error code") == 0);
    EXPECT(std::strcmp(cudaGetErrorName(kOutOfResources), "cudaErrorLaunchOutOfResources") == 0);
    EXPECT(std::strcmp(cudaGetErrorName(123456), "unrecognized error code") == 0);
    // A success does not clear an earlier error; the newest error counts.
    EXPECT(cudaSetDevice(1) == kInvalidDevice);
    EXPECT(cudaDeviceSynchronize() == cudaSuccess);
    EXPECT(cudaPeekAtLastError() == kInvalidDevice);
    EXPECT(cudaMalloc(nullptr, 1) == kInvalidValue);
    EXPECT(cudaGetLastError() == kInvalidValue);
    EXPECT(cudaGetLastError() == cudaSuccess);
    EXPECT(fails(cudaGetDevice(nullptr), kInvalidValue));
    EXPECT(fails(cudaGetDeviceCount(nullptr), kInvalidValue));
    int value = 0;
    EXPECT(fails(cudaDeviceGetAttribute(&value, 16, 3), kInvalidDevice));
    // Programs query all attributes: 44 and 92 to 94 are not in cudaDeviceAttr.
    for (int attribute = 1; attribute <= 91; ++attribute) {
        if (attribute != 44) { EXPECT(cudaDeviceGetAttribute(&value, attribute, 0) == cudaSuccess); }
    }
    for (const int attribute : {-1, 0, 44, 92, 1000}) {
        EXPECT(fails(cudaDeviceGetAttribute(&value, attribute, 0), kInvalidValue));
    }
    // Each thread has its own last error.
    EXPECT(cudaSetDevice(-1) == kInvalidDevice);
    std::thread([] { EXPECT(cudaGetLastError() == cudaSuccess); }).join();
    EXPECT(cudaGetLastError() == kInvalidDevice);
}

void launches() {
    void* const cells = new_cells();
    unsigned n = 1;
    void* address = cells;
    const std::vector<void*> arguments{&address, &n};
    EXPECT(fails(launch(&add, dim3(1), dim3(1025), arguments), kInvalidConfiguration));
    EXPECT(fails(launch(&add, dim3(1), dim3(1, 1, 65), arguments), kInvalidConfiguration));
    EXPECT(fails(launch(&add, dim3(1), dim3(0), arguments), kInvalidConfiguration));
    EXPECT(fails(launch(&add, dim3(0), dim3(1), arguments), kInvalidConfiguration));
    EXPECT(fails(launch(&add, dim3(1, 65536), dim3(1), arguments), kInvalidConfiguration));
    EXPECT(fails(launch(&bounded, dim3(1), dim3(65), {}), kOutOfResources));
    EXPECT(launch(&bounded, dim3(1), dim3(64), {}) == cudaSuccess);
    EXPECT(fails(launch(&add, dim3(1), dim3(1), arguments, 48 * 1024 + 1), kInvalidValue));
    EXPECT(fails(launch(&shared, dim3(1), dim3(1), {}, 9153), kInvalidValue));  // 40000 bytes of static shared memory
    EXPECT(launch(&shared, dim3(1), dim3(1), {}, 9152) == cudaSuccess);
    EXPECT(fails(cudaFuncSetAttribute(&add, 8, 1 << 20), kInvalidValue));
    EXPECT(fails(launch(&unknown, dim3(1), dim3(1), {}), kInvalidFunction));
    // None of them has lost the device or run.
    EXPECT(cudaDeviceSynchronize() == cudaSuccess);
    EXPECT(cells_are(cells, 0));
    EXPECT(launch_add(cells, 3) == cudaSuccess);
    EXPECT(cells_are(cells, 3));
}

void copies() {
    void* const cells = new_cells();
    Cells host(kCells, 7), other(kCells, 0);
    char* const inside = static_cast<char*>(cells) + 16;
    // A copy of nothing is never an error.
    EXPECT(cudaMemcpy(nullptr, nullptr, 0, cudaMemcpyDeviceToHost) == cudaSuccess);
    EXPECT(cudaMemcpyAsync(cells, host.data(), 0, cudaMemcpyHostToDevice, nullptr) == cudaSuccess);
    EXPECT(cudaMemset(cells, 1, 0) == cudaSuccess);
    EXPECT(cudaMemcpy2D(cells, 16, host.data(), 16, 16, 0, cudaMemcpyHostToDevice) == cudaSuccess);
    EXPECT(cells_are(cells, 0));
    // Addresses outside allocations, and ends beyond an allocation.
    EXPECT(fails(cudaMemcpy(cells, nullptr, 4, cudaMemcpyHostToDevice), kInvalidValue));
    EXPECT(fails(cudaMemcpy(nullptr, cells, 4, cudaMemcpyDeviceToHost), kInvalidValue));
    EXPECT(fails(cudaMemcpy(inside, host.data(), kCells * 4, cudaMemcpyHostToDevice), kInvalidValue));
    EXPECT(fails(cudaMemcpy(host.data(), inside, kCells * 4, cudaMemcpyDeviceToHost), kInvalidValue));
    EXPECT(fails(cudaMemset(inside, 1, kCells * 4), kInvalidValue));
    EXPECT(fails(cudaMemset(host.data(), 1, 4), kInvalidValue));
    EXPECT(fails(cudaMemcpy(cells, host.data(), 4, 9), kInvalidDirection));
    EXPECT(fails(cudaMemcpy(cells, host.data(), 4, cudaMemcpyDeviceToHost), kInvalidValue));
    EXPECT(fails(cudaMemcpy(other.data(), host.data(), 4, cudaMemcpyHostToDevice), kInvalidValue));
    EXPECT(cells_are(cells, 0));
    // Pageable memory may be changed once the call has returned.
    cudaStream_t stream = nullptr;
    CUDA_CHECK(cudaStreamCreate(&stream));
    EXPECT(cudaMemcpyAsync(cells, host.data(), kCells * 4, cudaMemcpyHostToDevice, stream) == cudaSuccess);
    host.assign(kCells, 8);
    EXPECT(cudaMemcpyAsync(other.data(), cells, kCells * 4, cudaMemcpyDefault, stream) == cudaSuccess);
    EXPECT(cudaStreamSynchronize(stream) == cudaSuccess);
    EXPECT(all_are(other, 7));
    EXPECT(cudaMemcpy(other.data(), host.data(), kCells * 4, cudaMemcpyHostToHost) == cudaSuccess);
    EXPECT(all_are(other, 8));
    std::uint32_t value = 0;
    std::size_t bytes = 0;
    EXPECT(cudaMemcpyFromSymbol(&value, &counter, 4, 0, cudaMemcpyDeviceToHost) == cudaSuccess && value == 5);
    EXPECT(cudaGetSymbolSize(&bytes, &counter) == cudaSuccess && bytes == 4);
    EXPECT(fails(cudaMemcpyToSymbol(&counter, &value, 4, 1, cudaMemcpyHostToDevice), kInvalidValue));
    EXPECT(fails(cudaMemcpyToSymbol(&unknown, &value, 4, 0, cudaMemcpyHostToDevice), kInvalidSymbol));
}

/// Registered memory that shares its last page with other heap data, followed by a hole.
void registered_heap() {
    constexpr std::size_t kPage = 4096, kBytes = 2 * kPage + 64;
    void* memory = nullptr;
    if (posix_memalign(&memory, kPage, kBytes) != 0) { std::abort(); }
    char* const registered = static_cast<char*>(memory);
    void* const hole = std::malloc(16000);
    char* const behind = static_cast<char*>(std::malloc(64));
    std::memset(registered, 'r', kBytes);
    std::memset(behind, 'b', 64);
    std::free(hole);
    EXPECT(cudaHostRegister(registered, kBytes, 0) == cudaSuccess);
    EXPECT(std::string(registered, kBytes) == std::string(kBytes, 'r'));
    EXPECT(cudaHostUnregister(registered) == cudaSuccess);
    EXPECT(std::string(registered, kBytes) == std::string(kBytes, 'r'));
    EXPECT(std::string(behind, 64) == std::string(64, 'b'));
    std::free(behind);
    std::free(registered);
}

void memory() {
    registered_heap();
    EXPECT(cudaFree(nullptr) == cudaSuccess);
    EXPECT(cudaFreeHost(nullptr) == cudaSuccess);
    void* cells = new_cells();
    EXPECT(fails(cudaFree(static_cast<char*>(cells) + 4), kInvalidValue));
    EXPECT(cudaFree(cells) == cudaSuccess);
    EXPECT(fails(cudaFree(cells), kInvalidValue));
    int local = 0;
    EXPECT(fails(cudaFree(&local), kInvalidValue));
    EXPECT(fails(cudaFreeHost(&local), kInvalidValue));
    EXPECT(fails(cudaHostUnregister(&local), kNotRegistered));
    void *pinned = nullptr, *managed = nullptr, *none = &local;
    CUDA_CHECK(cudaMallocHost(&pinned, 64));
    CUDA_CHECK(cudaMallocManaged(&managed, 64, 1));
    EXPECT(fails(cudaFree(pinned), kInvalidValue));
    EXPECT(fails(cudaFreeHost(managed), kInvalidValue));
    EXPECT(cudaFreeHost(pinned) == cudaSuccess);
    EXPECT(fails(cudaFreeHost(pinned), kInvalidValue));
    EXPECT(cudaFree(managed) == cudaSuccess);
    EXPECT(fails(cudaMallocManaged(&managed, 0, 1), kInvalidValue));
    EXPECT(cudaMalloc(&none, 0) == cudaSuccess && none == nullptr);
    // Running out of memory does no harm.
    std::size_t left = 0, all = 0, less = 0;
    CUDA_CHECK(cudaMemGetInfo(&left, &all));
    EXPECT(left != 0 && left <= all);
    EXPECT(fails(cudaMalloc(&none, all + 1), kMemoryAllocation));
    EXPECT(fails(cudaMalloc(&none, SIZE_MAX), kMemoryAllocation));
    cells = new_cells();
    CUDA_CHECK(cudaMemGetInfo(&less, &all));
    EXPECT(less < left && left - less >= kCells * 4);
    EXPECT(cudaFree(cells) == cudaSuccess);
    CUDA_CHECK(cudaMemGetInfo(&less, &all));
    EXPECT(less == left);
}

struct Called {
    std::mutex mutex;
    std::atomic<int> count = 0;
    std::atomic<int> in_call = -1;
    std::thread::id thread;
};
void host_function(void* data) {
    auto& called = *static_cast<Called*>(data);
    const std::lock_guard lock(called.mutex);
    void* nothing = nullptr;
    called.in_call = cudaMalloc(&nothing, 4);
    called.thread = std::this_thread::get_id();
    ++called.count;
}
void stream_callback(cudaStream_t, cudaError_t status, void* data) {
    if (status == cudaSuccess) { host_function(data); }
}

void streams() {
    cudaStream_t first = nullptr, second = nullptr;
    cudaEvent_t event = nullptr;
    CUDA_CHECK(cudaStreamCreate(&first));
    CUDA_CHECK(cudaStreamCreateWithFlags(&second, 1));
    CUDA_CHECK(cudaEventCreate(&event));
    EXPECT(fails(cudaStreamCreateWithFlags(&second, 77), kInvalidValue));
    // An event orders work on two streams; then the default streams by their handles.
    void* const cells = new_cells();
    const auto legacy = reinterpret_cast<cudaStream_t>(1), per_thread = reinterpret_cast<cudaStream_t>(2);
    EXPECT(cudaMemsetAsync(cells, 0, kCells * 4, first) == cudaSuccess);
    EXPECT(launch_add(cells, 1, first) == cudaSuccess);
    EXPECT(cudaEventRecord(event, first) == cudaSuccess);
    EXPECT(cudaStreamWaitEvent(second, event, 0) == cudaSuccess);
    EXPECT(launch_add(cells, 10, second) == cudaSuccess);
    EXPECT(cudaStreamSynchronize(second) == cudaSuccess);
    EXPECT(launch_add(cells, 100, legacy) == cudaSuccess);
    EXPECT(cudaStreamSynchronize(legacy) == cudaSuccess);
    EXPECT(launch_add(cells, 1000, per_thread) == cudaSuccess);
    EXPECT(cudaStreamSynchronize(per_thread) == cudaSuccess);
    EXPECT(cells_are(cells, 1111));
    // The calls of a program compiled with a default stream per thread (nvcc --default-stream per-thread).
    std::thread([cells] {
        void* address = cells;
        unsigned n = 1;
        std::vector<void*> arguments{&address, &n};
        Cells got(kCells, 0), sum(kCells, 1110);
        EXPECT(cudaMemcpyAsync_ptsz(cells, sum.data(), kCells * 4, cudaMemcpyHostToDevice, nullptr) == cudaSuccess);
        EXPECT(cudaLaunchKernel_ptsz(&add, dim3(1), dim3(kCells), arguments.data(), 0, nullptr) == cudaSuccess);
        EXPECT(cudaStreamSynchronize_ptsz(nullptr) == cudaSuccess);
        EXPECT(cudaMemcpy_ptds(got.data(), cells, kCells * 4, cudaMemcpyDeviceToHost) == cudaSuccess);
        EXPECT(all_are(got, 1111));
    }).join();
    // Host functions run after the work before them and before the wait ends, on another thread, where CUDA permits no
    // calls; a lock held by the caller meanwhile causes no deadlock.
    Called called;
    {
        const std::lock_guard lock(called.mutex);
        EXPECT(cudaLaunchHostFunc(first, host_function, &called) == cudaSuccess);
        EXPECT(called.count == 0);
    }
    EXPECT(cudaStreamSynchronize(first) == cudaSuccess);
    EXPECT(called.count == 1 && called.in_call == kNotPermitted && called.thread != std::this_thread::get_id());
    EXPECT(cudaStreamAddCallback(first, stream_callback, &called, 0) == cudaSuccess);
    EXPECT(cudaStreamQuery(first) == cudaSuccess);
    EXPECT(called.count == 2);
    EXPECT(cudaGetLastError() == cudaSuccess);
    EXPECT(fails(cudaLaunchHostFunc(first, nullptr, nullptr), kInvalidValue));
    EXPECT(cudaStreamDestroy(second) == cudaSuccess);
    EXPECT(fails(cudaStreamDestroy(second), kInvalidHandle));
    EXPECT(fails(cudaStreamSynchronize(second), kInvalidHandle));
    EXPECT(fails(launch_add(cells, 1, second), kInvalidHandle));
    EXPECT(fails(cudaMemsetAsync(cells, 0, 4, second), kInvalidHandle));
    EXPECT(cudaEventDestroy(event) == cudaSuccess);
    EXPECT(fails(cudaEventDestroy(event), kInvalidHandle));
    EXPECT(fails(cudaEventRecord(event, first), kInvalidHandle));
    EXPECT(fails(cudaStreamWaitEvent(first, event, 0), kInvalidHandle));
    EXPECT(cells_are(cells, 1111));
}

void events() {
    constexpr int kEvents = 5;
    cudaEvent_t event[kEvents];
    void* const cells = new_cells();
    for (cudaEvent_t& one : event) {
        CUDA_CHECK(cudaEventCreate(&one));
        EXPECT(launch_add(cells, 1) == cudaSuccess);
        EXPECT(cudaEventRecord(one, nullptr) == cudaSuccess);
    }
    EXPECT(cudaEventSynchronize(event[kEvents - 1]) == cudaSuccess);
    float sum = 0, all = 0;
    for (int i = 1; i < kEvents; ++i) {
        float step = -1;
        EXPECT(cudaEventElapsedTime(&step, event[i - 1], event[i]) == cudaSuccess && step > 0);
        sum += step;
    }
    EXPECT(cudaEventElapsedTime(&all, event[0], event[kEvents - 1]) == cudaSuccess);
    EXPECT(all > 0.999f * sum && all < 1.001f * sum);
    EXPECT(cudaEventElapsedTime(&all, event[1], event[0]) == cudaSuccess && all < 0);
    EXPECT(fails(cudaEventElapsedTime(nullptr, event[0], event[1]), kInvalidValue));
    cudaEvent_t unrecorded = nullptr;
    CUDA_CHECK(cudaEventCreate(&unrecorded));
    EXPECT(cudaEventQuery(unrecorded) == cudaSuccess);
    EXPECT(fails(cudaEventElapsedTime(&all, event[0], unrecorded), kInvalidHandle));
    EXPECT(fails(cudaEventQuery(nullptr), kInvalidHandle));
}

void threads() {
    constexpr unsigned kThreads = 8, kRounds = 20;
    std::atomic<unsigned> right = 0;
    std::vector<std::thread> all;
    for (unsigned number = 0; number < kThreads; ++number) {
        all.emplace_back([&right, number] {
            cudaStream_t stream = nullptr;
            if (cudaStreamCreate(&stream) != cudaSuccess) { return; }
            void* const cells = new_cells();
            for (unsigned round = 0; round < kRounds; ++round) {
                if (launch_add(cells, number, stream) != cudaSuccess) { return; }
            }
            const int failure = number % 2 == 0 ? cudaFree(&right) : cudaSetDevice(9);
            right += failure == (number % 2 == 0 ? kInvalidValue : kInvalidDevice) && cudaGetLastError() == failure &&
                     cudaStreamSynchronize(stream) == cudaSuccess && cells_are(cells, number * kRounds) &&
                     cudaFree(cells) == cudaSuccess && cudaStreamDestroy(stream) == cudaSuccess;
        });
    }
    for (std::thread& thread : all) { thread.join(); }
    EXPECT(right == kThreads);
    std::uint32_t calls = 0;
    EXPECT(cudaMemcpyFromSymbol(&calls, &counter, 4, 0, cudaMemcpyDeviceToHost) == cudaSuccess);
    EXPECT(calls == 5 + kThreads * kRounds * kCells);
}

/// Runs a function in its own process; returns whether all its expectations held.
bool holds_in_child(const std::function<void()>& function) {
    std::fflush(nullptr);
    const pid_t child = fork();
    if (child == 0) {
        wrong = 0;
        function();
        std::fflush(nullptr);
        _exit(wrong != 0);
    }
    int status = -1;
    return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/// A kernel's failure is reported by the next wait and remains.
void expect_lost(const std::function<int()>& failing_launch, int code) {
    void* const cells = new_cells();
    EXPECT(failing_launch() == cudaSuccess);
    EXPECT(cudaDeviceSynchronize() == code);
    EXPECT(cudaGetLastError() == code);
    EXPECT(cudaGetLastError() == code);
    void* more = nullptr;
    cudaStream_t stream = nullptr;
    EXPECT(cudaMalloc(&more, 4) == code);
    EXPECT(cudaFree(cells) == code);
    EXPECT(launch_add(cells, 1) == code);
    EXPECT(cudaStreamCreate(&stream) == code);
    EXPECT(cudaDeviceReset() == code);
    EXPECT(cudaGetLastError() == code);
}

/// A process whose parent has not used its device has its own, one process after the other.
void processes() {
    EXPECT(holds_in_child([] {
        void* const cells = new_cells();
        EXPECT(launch_add(cells, 2) == cudaSuccess);
        EXPECT(cells_are(cells, 2));
    }));
    EXPECT(holds_in_child([] { expect_lost([] { return launch_poke(64); }, kIllegalAddress); }));
    EXPECT(holds_in_child([] { expect_lost([] { return launch(&stop, dim3(1), dim3(1), {}); }, kLaunchFailure); }));
    EXPECT(holds_in_child([] {
        const auto address = reinterpret_cast<std::uint64_t>(new_cells()) + 4;
        expect_lost([address] { return launch_poke(address); }, kMisaligned);
    }));
    std::uint32_t value = 0;
    EXPECT(cudaMemcpyFromSymbol(&value, &counter, 4, 0, cudaMemcpyDeviceToHost) == cudaSuccess && value == 5);
    // The child of a process that has used the device has none, and does the parent no harm.
    void* const cells = new_cells();
    EXPECT(holds_in_child([cells] {
        void* more = nullptr;
        EXPECT(cudaMalloc(&more, 4) == kInitialization);
        EXPECT(launch_add(cells, 1) == kInitialization);
        EXPECT(cudaGetLastError() == kInitialization);
    }));
    EXPECT(launch_add(cells, 4) == cudaSuccess);
    EXPECT(cells_are(cells, 4));
}

/// Two processes at once: the second one is told that the device is taken.
void two_processes() {
    int ready[2];
    if (pipe(ready) != 0) { std::exit(2); }
    const pid_t child = fork();
    if (child == 0) {
        char go = 0;
        void* cells = nullptr;
        _exit(read(ready[0], &go, 1) == 1 && cudaMalloc(&cells, 4) == kDevicesUnavailable ? 0 : 1);
    }
    void* const cells = new_cells();
    if (write(ready[1], "g", 1) != 1) { std::exit(2); }
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    EXPECT(cells_are(cells, 0));
}

void killed() {
    new_cells();
    kill(getpid(), SIGKILL);
}
void bad_host_address() {
    void* const cells = new_cells();
    cudaMemcpy(cells, reinterpret_cast<void*>(64), 64, cudaMemcpyHostToDevice);
}
void status_three() {
    new_cells();
    std::exit(3);
}
/// Processes left behind with the program's sockets do not delay the end of the capture.
void left_behind() {
    new_cells();
    const pid_t child = fork();
    if (child == 0) {
        close(STDOUT_FILENO);
        close(STDERR_FILENO);
        sleep(1000);
        _exit(0);
    }
    std::printf("left behind: process %d\n", static_cast<int>(child));
}

/// The lanes of a warp lock one another out, which devices of capability 7.5 allow.
void scheduling() {
    void* cells = new_cells();
    EXPECT(launch(&locked, dim3(3), dim3(96), {&cells}) == cudaSuccess);
    std::uint32_t sum[2] = {};
    EXPECT(cudaMemcpy(sum, cells, sizeof sum, cudaMemcpyDeviceToHost) == cudaSuccess);
    EXPECT(sum[0] == 0 && sum[1] == 3 * 96);
}

void slow() {
    void* const cells = new_cells();
    for (int round = 0; round < 4; ++round) {
        EXPECT(launch_add(cells, 1) == cudaSuccess);
        std::this_thread::sleep_for(std::chrono::milliseconds(700));
    }
}

/// A program that only queries the device.
void properties() {
    constexpr int kMultiprocessors = 16;
    int devices = 0, multiprocessors = 0;
    EXPECT(cudaGetDeviceCount(&devices) == cudaSuccess && devices == 1);
    EXPECT(cudaDeviceGetAttribute(&multiprocessors, kMultiprocessors, 0) == cudaSuccess && multiprocessors > 0);
}

/// A kernel that waits for the host to write shared data.
void waits_for_host() {
    void* cells = nullptr;
    CUDA_CHECK(cudaMallocHost(&cells, kCells * 4));
    auto* const lock = static_cast<volatile std::uint32_t*>(cells);
    *lock = 1;
    EXPECT(launch(&locked, dim3(1), dim3(1), {&cells}) == cudaSuccess);
    *lock = 0;
    EXPECT(cudaDeviceSynchronize() == kLaunchFailure);
}

const std::map<std::string, void (*)()> kParts = {
    {"errors", errors},
    {"launches", launches},
    {"copies", copies},
    {"memory", memory},
    {"streams", streams},
    {"events", events},
    {"threads", threads},
    {"processes", processes},
    {"killed", killed},
    {"two_processes", two_processes},
    {"status_three", status_three},
    {"bad_host_address", bad_host_address},
    {"left_behind", left_behind},
    {"scheduling", scheduling},
    {"slow", slow},
    {"waits_for_host", waits_for_host},
    {"properties", properties},
};

}  // namespace

int main(int count, char** arguments) {
    const auto part = count == 2 ? kParts.find(arguments[1]) : kParts.end();
    if (part == kParts.end()) { return 2; }
    static EmbeddedModule module(kPtx);
    module.add_kernel(&add, "add");
    module.add_kernel(&bounded, "bounded");
    module.add_kernel(&shared, "shared");
    module.add_kernel(&locked, "locked");
    module.add_kernel(&poke, "poke");
    module.add_kernel(&stop, "stop");
    module.add_variable(&counter, "counter");
    module.complete();
    part->second();
    return finish(arguments[1]);
}
