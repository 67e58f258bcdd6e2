// Forces of the embedded atom method, an atom a thread, in three passes: pairs and electron densities, the energies of
// embedding, and the forces that come from these. Space is cut into cells at least as wide as the cutoff, with a layer
// of cells around them for the periodic images; a cell has kCellAtoms places for atoms. Arrays are by cell and place.
constexpr int kThreads = 128;
constexpr int kCellAtoms = 64;
constexpr int kNeighbours = 27;

// Values of a function at `first` + i / per_unit, i from -1 to count + 2; `values` points at i = 0.
struct Table {
    const float* values;
    float first, per_unit;
    int count;
};

struct Cells {
    const int* neighbours;  // kNeighbours of each cell inside, itself among them
    const int* atoms;       // how many
    const float *x, *y, *z;
    float *force_x, *force_y, *force_z, *energy, *density, *slope;  // slope: of the energy of embedding
};

struct AtomList {
    const int *cells, *places;
    int count;
};

// Quadratic between the table's values, and the derivative.
__device__ inline void look_up(const Table& table, float x, float& value, float& derivative) {
    x = fmaxf(x - table.first, 0.0f) * table.per_unit;
    const int i = min(static_cast<int>(x), table.count);
    x = i == table.count ? 0.0f : x - i;
    const float v0 = table.values[i - 1], v1 = table.values[i], v2 = table.values[i + 1], v3 = table.values[i + 2];
    const float g1 = v2 - v0, g2 = v3 - v1;
    value = v1 + 0.5f * x * (g1 + x * (v2 + v0 - 2.0f * v1));
    derivative = 0.5f * (g1 + x * (g2 - g1)) * table.per_unit;
}

struct Sums {
    float force_x = 0.0f, force_y = 0.0f, force_z = 0.0f, energy = 0.0f, density = 0.0f;
};

// What the atom at place `other`, (dx, dy, dz) away, does to the atom at place `me`; nothing where it is the same or beyond
// the cutoff.
template <bool kPairs>
__device__ inline void add(Sums& sums, const Cells& cells, int me, int other, float dx, float dy, float dz,
                           const Table& pair, const Table& density, float cutoff2) {
    const float r2 = dx * dx + dy * dy + dz * dz;
    if (r2 > cutoff2 || r2 <= 0.0f) return;
    const float r = sqrtf(r2);
    float value, slope, rho, rho_slope;
    look_up(density, r, rho, rho_slope);
    if (kPairs) {
        look_up(pair, r, value, slope);
        sums.energy += value;
        sums.density += rho;
    } else {
        slope = (cells.slope[me] + cells.slope[other]) * rho_slope;
    }
    slope /= r;
    sums.force_x -= slope * dx;
    sums.force_y -= slope * dy;
    sums.force_z -= slope * dz;
}

// `add_cell(sums, me, x, y, z, cutoff2, cell)` adds what the atoms of a cell do to the atom at place `me`.
template <bool kPairs, class AddCell>
__device__ inline void force(const Cells& cells, const AtomList& list, float cutoff, const AddCell& add_cell) {
    const int thread = blockIdx.x * blockDim.x + threadIdx.x;
    if (thread >= list.count) return;
    const int cell = list.cells[thread];
    const int me = cell * kCellAtoms + list.places[thread];
    const float cutoff2 = cutoff * cutoff;
    Sums sums;
    if (!kPairs) {
        sums.force_x = cells.force_x[me];
        sums.force_y = cells.force_y[me];
        sums.force_z = cells.force_z[me];
    }
    const float x = cells.x[me], y = cells.y[me], z = cells.z[me];
    for (int j = 0; j < kNeighbours; ++j) {
        add_cell(sums, me, x, y, z, cutoff2, cells.neighbours[cell * kNeighbours + j]);
    }
    cells.force_x[me] = sums.force_x;
    cells.force_y[me] = sums.force_y;
    cells.force_z[me] = sums.force_z;
    if (kPairs) {
        cells.energy[me] = 0.5f * sums.energy;  // of a pair, a half for each atom
        cells.density[me] = sums.density;
    }
}

template <bool kPairs>
__device__ inline void force(const Cells& cells, const AtomList& list, const Table& pair, const Table& density,
                             float cutoff) {
    force<kPairs>(cells, list, cutoff, [&](Sums& sums, int me, float x, float y, float z, float cutoff2, int cell) {
        for (int place = 0; place < cells.atoms[cell]; ++place) {
            const int other = cell * kCellAtoms + place;
            add<kPairs>(sums, cells, me, other, x - cells.x[other], y - cells.y[other], z - cells.z[other], pair,
                        density, cutoff2);
        }
    });
}

extern "C" __global__ void __launch_bounds__(kThreads)
    comd_pairs(Cells cells, AtomList list, Table pair, Table density, float cutoff) {
    force<true>(cells, list, pair, density, cutoff);
}

extern "C" __global__ void __launch_bounds__(kThreads) comd_embed(Cells cells, AtomList list, Table embedding) {
    const int thread = blockIdx.x * blockDim.x + threadIdx.x;
    if (thread >= list.count) return;
    const int me = list.cells[thread] * kCellAtoms + list.places[thread];
    float energy, slope;
    look_up(embedding, cells.density[me], energy, slope);
    cells.energy[me] += energy;
    cells.slope[me] = slope;
}

// The images' slopes are those of the atoms in the cells that they are images of; a place a thread.
extern "C" __global__ void __launch_bounds__(kThreads)
    comd_images(Cells cells, const int* image_cells, const int* original_cells, int images) {
    const int thread = blockIdx.x * blockDim.x + threadIdx.x;
    const int image = thread / kCellAtoms, place = thread % kCellAtoms;
    if (image >= images || place >= cells.atoms[image_cells[image]]) return;
    cells.slope[image_cells[image] * kCellAtoms + place] = cells.slope[original_cells[image] * kCellAtoms + place];
}

extern "C" __global__ void __launch_bounds__(kThreads)
    comd_densities(Cells cells, AtomList list, Table density, float cutoff) {
    force<false>(cells, list, density, density, cutoff);
}
