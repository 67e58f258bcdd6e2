// A lock in global memory that one thread of each block takes, and an order of tickets among blocks.
#include "check.h"

struct Account {
    int lock, balance, entries;
    int order[64];
};

__device__ void take(int* lock) {
    while (atomicCAS(lock, 0, 1) != 0) {
    }
    __threadfence();
}
__device__ void give(int* lock) {
    __threadfence();
    atomicExch(lock, 0);
}

__global__ void pay(Account* account) {
    __shared__ int amount;
    if (threadIdx.x == 0) amount = 0;
    __syncthreads();
    atomicAdd(&amount, static_cast<int>(threadIdx.x));
    __syncthreads();
    if (threadIdx.x != 0) return;
    volatile Account* const shared = account;
    take(&account->lock);
    shared->balance = shared->balance + amount;
    const int entry = shared->entries;
    shared->order[entry] = static_cast<int>(blockIdx.x);
    shared->entries = entry + 1;
    give(&account->lock);
}

int main() {
    Account* account;
    CUDA_CHECK(cudaMalloc(&account, sizeof(Account)));
    CUDA_CHECK(cudaMemset(account, 0, sizeof(Account)));
    pay<<<20, 64>>>(account);
    int head[3];
    CUDA_CHECK(cudaMemcpy(head, account, sizeof head, cudaMemcpyDeviceToHost));
    EXPECT(head[0] == 0);
    EXPECT(head[1] == 20 * (63 * 64 / 2));
    EXPECT(head[2] == 20);
    return finish("locks");
}
