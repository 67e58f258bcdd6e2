// K-means as a map-reduce library computes it: the map phase of one round, one thread a record. A record's key and value are
// found through a directory of places and sizes in bytes, and so are the centroids; nothing is transposed, so that the lanes
// of a warp read the points as they came, one behind the other. Map emits the nearest centroid as the key and the point's
// place as the value, where a first pass, which only counts bytes, and the prefix sums of its counts put them.

struct alignas(16) Record {
    int key_at, key_bytes, value_at, value_bytes;
};

// A record's key: the cluster that the point was in.
struct Key {
    int cluster;
};

extern "C" __global__ void mars_kmeans_map_count(const Record* directory, int* key_bytes, int* value_bytes, int records) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= records) return;
    const Record record = directory[i];
    key_bytes[i] = record.key_bytes;
    value_bytes[i] = static_cast<int>(sizeof(record.value_at));
}

extern "C" __global__ void mars_kmeans_map(const Record* directory, char* keys, const char* values,
                                           const Record* centroid_directory, const char* centroids, int clusters,
                                           const int* key_at, const int* value_at, char* out_keys, char* out_values,
                                           int* changed, int records) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= records) return;
    const Record record = directory[i];
    Key* key = reinterpret_cast<Key*>(keys + record.key_at);
    const int before = key->cluster;
    const int* point = reinterpret_cast<const int*>(values + record.value_at);
    const int features = record.value_bytes / static_cast<int>(sizeof(int));
    int nearest = -1;
    unsigned least = 0xffffffff;
#pragma unroll 1  // as the papers' compilers, which unrolled only loops "with a known trip count" (CUDA guide 4.0, B.19)
    for (int cluster = 0; cluster < clusters; ++cluster) {
        const Record centroid = centroid_directory[cluster];
        const int* centre = reinterpret_cast<const int*>(centroids + centroid.value_at);
        unsigned distance = 0;
#pragma unroll 1
        for (int feature = 0; feature < features; ++feature) {
            const int difference = point[feature] - centre[feature];
            distance += static_cast<unsigned>(difference * difference);
        }
        if (distance < least) {
            least = distance;
            nearest = cluster;
        }
    }
    if (nearest != before) {
        key->cluster = nearest;
        *changed = 1;
    }
    *reinterpret_cast<int*>(out_keys + key_at[i]) = nearest;
    *reinterpret_cast<int*>(out_values + value_at[i]) = record.value_at;
}
