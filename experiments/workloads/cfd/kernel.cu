// The compressible Euler equations on an unstructured mesh of elements with four neighbours. Five variables an element
// (density, momentum, energy), variable by variable. A neighbour is an element, or -1 for the wing's surface, or -2 for
// the far field. Elements are padded to full blocks.
constexpr int kNeighbours = 4;
constexpr int kStages = 3;
constexpr float kGamma = 1.4f;
constexpr float kSmoothing = 0.2f;

struct Vector {
    float x, y, z;
};

struct State {
    float density;
    Vector momentum;
    float energy;
};

__constant__ State cfd_far_field;

__device__ inline State read(const float* variables, int i, int n) {
    return {variables[i], {variables[i + n], variables[i + 2 * n], variables[i + 3 * n]}, variables[i + 4 * n]};
}

struct Derived {
    Vector velocity;
    float speed_squared, pressure, sound;
};

__device__ inline Derived derive(const State& s) {
    Derived d;
    d.velocity = {s.momentum.x / s.density, s.momentum.y / s.density, s.momentum.z / s.density};
    d.speed_squared = d.velocity.x * d.velocity.x + d.velocity.y * d.velocity.y + d.velocity.z * d.velocity.z;
    d.pressure = (kGamma - 1.0f) * (s.energy - 0.5f * s.density * d.speed_squared);
    d.sound = sqrtf(kGamma * d.pressure / s.density);
    return d;
}

// Adds half of the normal times the flux of the state through it.
__device__ inline void add_flux(State& sum, const State& s, const Derived& d, const Vector& normal) {
    const float through = 0.5f * (normal.x * d.velocity.x + normal.y * d.velocity.y + normal.z * d.velocity.z);
    sum.density += through * s.density;
    sum.momentum.x += through * s.momentum.x + 0.5f * normal.x * d.pressure;
    sum.momentum.y += through * s.momentum.y + 0.5f * normal.y * d.pressure;
    sum.momentum.z += through * s.momentum.z + 0.5f * normal.z * d.pressure;
    sum.energy += through * (s.energy + d.pressure);
}

extern "C" __global__ void cfd_copy(float* to, const float* from, int words) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < words) to[i] = from[i];
}

extern "C" __global__ void cfd_step_factor(int n, const float* variables, const float* areas, float* factors) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const Derived d = derive(read(variables, i, n));
    factors[i] = 0.5f / (sqrtf(areas[i]) * (sqrtf(d.speed_squared) + d.sound));
}

extern "C" __global__ void cfd_flux(int n, const int* neighbours, const float* normals, const float* variables,
                                    float* fluxes) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const State here = read(variables, i, n);
    const Derived derived = derive(here);
    const float speed = sqrtf(derived.speed_squared);
    State sum = {0.0f, {0.0f, 0.0f, 0.0f}, 0.0f};
#pragma unroll
    for (int j = 0; j < kNeighbours; ++j) {
        const int neighbour = neighbours[i + j * n];
        const Vector normal = {normals[i + j * n], normals[i + (j + kNeighbours) * n],
                               normals[i + (j + 2 * kNeighbours) * n]};
        if (neighbour >= 0) {
            const State there = read(variables, neighbour, n);
            const Derived d = derive(there);
            const float length = sqrtf(normal.x * normal.x + normal.y * normal.y + normal.z * normal.z);
            const float factor =
                -length * kSmoothing * 0.5f * (speed + sqrtf(d.speed_squared) + derived.sound + d.sound);
            sum.density += factor * (here.density - there.density);
            sum.energy += factor * (here.energy - there.energy);
            sum.momentum.x += factor * (here.momentum.x - there.momentum.x);
            sum.momentum.y += factor * (here.momentum.y - there.momentum.y);
            sum.momentum.z += factor * (here.momentum.z - there.momentum.z);
            add_flux(sum, there, d, normal);
            add_flux(sum, here, derived, normal);
        } else if (neighbour == -1) {
            sum.momentum.x += normal.x * derived.pressure;
            sum.momentum.y += normal.y * derived.pressure;
            sum.momentum.z += normal.z * derived.pressure;
        } else {
            const State far = cfd_far_field;
            add_flux(sum, far, derive(far), normal);
            add_flux(sum, here, derived, normal);
        }
    }
    fluxes[i] = sum.density;
    fluxes[i + n] = sum.momentum.x;
    fluxes[i + 2 * n] = sum.momentum.y;
    fluxes[i + 3 * n] = sum.momentum.z;
    fluxes[i + 4 * n] = sum.energy;
}

extern "C" __global__ void cfd_advance(int stage, int n, const float* old, float* variables, const float* factors,
                                       const float* fluxes) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float factor = factors[i] / (kStages + 1 - stage);
#pragma unroll
    for (int k = 0; k < 5; ++k) variables[i + k * n] = old[i + k * n] + factor * fluxes[i + k * n];
}
