// One hidden layer of kHidden units; row i of the weights belongs to input unit i, column j to hidden unit j, and both
// have a unit 0 for the bias. A block of kHidden x kHidden threads works on as many input units.
#ifndef BLOCK_WIDTH
#define BLOCK_WIDTH 16
#endif
constexpr int kHidden = BLOCK_WIDTH;
constexpr float kRate = 0.3f;
constexpr float kMomentum = 0.3f;

// Products of inputs and weights, added up over the block's inputs by a tree: one partial sum a hidden unit and block.
extern "C" __global__ void backprop_forward(const float* input, float* weights, float* partial, int hidden) {
    __shared__ float inputs[kHidden];
    __shared__ float products[kHidden][kHidden];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int unit = kHidden * blockIdx.y + ty + 1;
    const int index = (hidden + 1) * unit + tx + 1;

    if (tx == 0) inputs[ty] = input[unit];
    __syncthreads();
    products[ty][tx] = weights[index];
    __syncthreads();
    products[ty][tx] *= inputs[ty];
    __syncthreads();
    for (int width = 2; width <= kHidden; width *= 2) {
        if (ty % width == 0) products[ty][tx] += products[ty + width / 2][tx];
        __syncthreads();
    }
    // The suite writes the products back as the weights that the second pass starts from.
    weights[index] = products[ty][tx];
    __syncthreads();
    if (tx == 0) partial[blockIdx.y * hidden + ty] = products[tx][ty];
}

// Every weight moves along its gradient, with momentum.
extern "C" __global__ void backprop_adjust(const float* delta, int hidden, const float* input, float* weights,
                                           float* old_change) {
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int unit = kHidden * blockIdx.y + ty + 1;
    const int index = (hidden + 1) * unit + tx + 1;
    const int column = tx + 1;

    const float change = kRate * delta[column] * input[unit] + kMomentum * old_change[index];
    weights[index] += change;
    old_change[index] = change;
    __syncthreads();
    if (ty == 0 && blockIdx.y == 0) {
        const float bias_change = kRate * delta[column] + kMomentum * old_change[column];
        weights[column] += bias_change;
        old_change[column] = bias_change;
    }
}
