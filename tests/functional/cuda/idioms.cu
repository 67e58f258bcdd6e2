// What programs write in passing: a managed class, asynchronous copies to shared memory, 128-bit integers, switches, inline
// PTX with barriers that part of a block arrives at, functors as parameters, tables of strings, registered host memory,
// callbacks.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>

#include <cstring>
#include <cuda/pipeline>
#include <vector>

#include "check.h"

namespace cg = cooperative_groups;

struct Managed {
    void* operator new(std::size_t bytes) {
        void* memory;
        CUDA_CHECK(cudaMallocManaged(&memory, bytes));
        return memory;
    }
    void operator delete(void* memory) { CUDA_CHECK(cudaFree(memory)); }
};
struct Series : Managed {
    int size = 0;
    float values[40];
    struct {
        double mean;
        char grade;
    } result[2];
    __host__ __device__ float sum() const {
        float total = 0;
        for (int i = 0; i < size; ++i) total += values[i];
        return total;
    }
};
__global__ void summarise(Series* series) {
    if (threadIdx.x < series->size) series->values[threadIdx.x] *= 2;
    __syncthreads();
    if (threadIdx.x != 0) return;
    series->result[1].mean = series->sum() / static_cast<double>(series->size);
    series->result[1].grade = series->result[1].mean > 5 ? 'a' : 'b';
}

__global__ void reverse(const int* in, int* out) {
    extern __shared__ int cells[];
    const cg::thread_block block = cg::this_thread_block();
    cg::memcpy_async(block, cells, in, sizeof(int) * block.size());
    cg::wait(block);
    out[threadIdx.x] = cells[blockDim.x - 1 - threadIdx.x];
    block.sync();
    auto pipeline = cuda::make_pipeline();
    pipeline.producer_acquire();
    cuda::memcpy_async(cells + threadIdx.x, in + threadIdx.x, sizeof(int), pipeline);
    pipeline.producer_commit();
    pipeline.consumer_wait();
    out[threadIdx.x] += 1000 * cells[threadIdx.x];
    pipeline.consumer_release();
}

__host__ __device__ unsigned long long wide(unsigned i) {
    unsigned __int128 product = static_cast<unsigned __int128>(i + 1) << 70;
    product = product * 12345 / 7;
    return static_cast<unsigned long long>(product >> 40) ^ static_cast<unsigned long long>(product >> 100);
}
__host__ __device__ int choose(int i) {
    switch (i % 11) {
        case 0:
            return 5;
        case 1:
            return 3 * i;
        case 2:
            return 77 / (i + 1);
        case 3:
            return -i;
        case 4:
            return i ^ 9;
        case 5:
            return 1 << (i % 9);
        case 6:
            return 60;
        case 7:
            return i % 5;
        case 8:
            return i & 6;
        default:
            return -9;
    }
}
struct Line {
    int a, b;
    __host__ __device__ int operator()(int x) const { return a * x + b; }
};
template <class Function, class... Arguments>
__global__ void apply(int* out, Function function, Arguments... arguments) {
    out[threadIdx.x] = function(static_cast<int>(threadIdx.x), arguments...);
}
struct Sum {
    __device__ int operator()(int i, int a, Line line) const { return i + a + line(i); }
};
__global__ void compute(unsigned long long* words, int* numbers) {
    words[threadIdx.x] = wide(threadIdx.x);
    numbers[threadIdx.x] = choose(static_cast<int>(threadIdx.x));
}

/// The first warp arrives, the second waits; both count the odd values of all.
__global__ void hand_over(const int* in, int* out) {
    __shared__ int cell;
    int value, odd;
    asm volatile("ld.global.cg.s32 %0, [%1];" : "=r"(value) : "l"(in + threadIdx.x));
    asm volatile("prefetch.global.L2 [%0];" ::"l"(in));
    asm volatile("{ .reg .pred odd; setp.ne.s32 odd, %1, 0; bar.red.popc.u32 %0, 1, odd; }" : "=r"(odd) : "r"(value & 1));
    if (threadIdx.x < 32) {
        if (threadIdx.x == 7) cell = value;
        __threadfence_block();
        asm volatile("bar.arrive 3, 64;" ::: "memory");
    } else {
        asm volatile("bar.sync 3, 64;" ::: "memory");
        value += 1000 * cell;
    }
    asm volatile("st.global.cs.s32 [%0], %1;" ::"l"(out + threadIdx.x), "r"(value + 100 * odd) : "memory");
}

__device__ const char* words[3] = {"one", "two", "three"};
__global__ void spell(char* out) {
    for (int i = 0; i < 3; ++i)
        for (int k = 0; words[i][k] != 0; ++k) *out++ = words[i][k];
}

void CUDART_CB note(cudaStream_t, cudaError_t status, void* data) {
    *static_cast<int*>(data) = status == cudaSuccess ? 5 : -5;
}

int main() {
    Series* const series = new Series;
    series->size = 10;
    for (int i = 0; i < 10; ++i) series->values[i] = static_cast<float>(i);
    summarise<<<1, 32>>>(series);
    CUDA_CHECK(cudaDeviceSynchronize());
    EXPECT(series->sum() == 90 && series->result[1].mean == 9 && series->result[1].grade == 'a');
    delete series;

    constexpr int kThreads = 64;
    int *in, *out;
    unsigned long long* long_words;
    CUDA_CHECK(cudaMallocManaged(&in, kThreads * sizeof *in));
    CUDA_CHECK(cudaMallocManaged(&out, kThreads * sizeof *out));
    CUDA_CHECK(cudaMallocManaged(&long_words, kThreads * sizeof *long_words));
    for (int i = 0; i < kThreads; ++i) in[i] = 3 * i;
    reverse<<<1, kThreads, kThreads * sizeof(int)>>>(in, out);
    CUDA_CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < kThreads; ++i) EXPECT(out[i] == 3 * (kThreads - 1 - i) + 3000 * i);
    compute<<<1, kThreads>>>(long_words, out);
    CUDA_CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < kThreads; ++i) EXPECT(long_words[i] == wide(static_cast<unsigned>(i)) && out[i] == choose(i));
    apply<<<1, kThreads>>>(out, Sum{}, 40, Line{2, 1});
    CUDA_CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < kThreads; ++i) EXPECT(out[i] == 3 * i + 41);
    hand_over<<<1, kThreads>>>(in, out);
    CUDA_CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < kThreads; ++i) EXPECT(out[i] == 3 * i + 3200 + (i < 32 ? 0 : 21000));

    cudaStream_t stream;
    CUDA_CHECK(cudaStreamCreate(&stream));
    char* letters = nullptr;
    CUDA_CHECK(cudaMallocAsync(&letters, 16, stream));
    spell<<<1, 1, 0, stream>>>(letters);
    char text[12] = {};
    int called = 0;
    CUDA_CHECK(cudaMemcpyAsync(text, letters, 11, cudaMemcpyDeviceToHost, stream));
    CUDA_CHECK(cudaStreamAddCallback(stream, note, &called, 0));
    CUDA_CHECK(cudaStreamSynchronize(stream));
    EXPECT(std::strcmp(text, "onetwothree") == 0);
    EXPECT(called == 5);

    std::vector<int> numbers(2000, 4);
    int* there = nullptr;
    CUDA_CHECK(cudaHostRegister(numbers.data(), numbers.size() * sizeof(int), cudaHostRegisterMapped));
    CUDA_CHECK(cudaHostGetDevicePointer(&there, numbers.data(), 0));
    apply<<<1, kThreads>>>(there + 10, Line{7, -3});
    CUDA_CHECK(cudaDeviceSynchronize());
    EXPECT(numbers[9] == 4 && numbers[10] == -3 && numbers[10 + kThreads - 1] == 7 * 63 - 3 && numbers[1999] == 4);
    CUDA_CHECK(cudaHostUnregister(numbers.data()));
    return finish("idioms");
}
