// A workload as an ordinary CUDA program: `build` compiles this file with the workload's kernel.cu and the list of its
// kernels. It does with the CUDA runtime what the workload's host driver did (a file of `lookahead capture --workload`)
// and compares what it copies back:
//
//     PROGRAM NAME.capture.h5
//
// On a device that gives other addresses than the driver's got, parameters of 8 bytes that were addresses are
// translated.
#include <hdf5.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include LOOKAHEAD_KERNELS  // kernel.cu, and the tables that follow from it:
// const std::map<std::string, const void*> kernels: by name
// const std::vector<const void*> variables: symbols of the module's __constant__ and __device__ variables
// void load_module(const char* capture): called first

namespace {

[[noreturn]] void fail(const std::string& sentence) {
    std::printf("%s\n", sentence.c_str());
    std::exit(1);
}

void check(cudaError_t error, const char* what) {
    if (error != cudaSuccess) fail(std::string(what) + ": " + cudaGetErrorString(error));
}

/// The driver's calls: columns of /calls, and /contents (hdf5_schemas/capture.schema.json).
class Calls {
  public:
    explicit Calls(const char* path) : file_(H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT)) {
        if (file_ < 0) fail(std::string(path) + ": cannot be read as HDF5");
        kind = numbers("/calls/kind");
        address = numbers("/calls/address");
        source = numbers("/calls/source");
        bytes = numbers("/calls/bytes");
        value = numbers("/calls/value");
        first_word = numbers("/calls/first_word");
        shared_bytes = numbers("/calls/dynamic_shared_bytes");
        const char* const shape[6] = {"grid_x", "grid_y", "grid_z", "block_x", "block_y", "block_z"};
        for (int i = 0; i < 6; ++i) shapes[i] = numbers((std::string("/calls/") + shape[i]).c_str());
        read_words();
        kernel = texts("/calls/kernel");
    }

    std::vector<std::uint64_t> kind, address, source, bytes, value, first_word, shared_bytes, shapes[6];
    std::vector<std::uint32_t> words;
    std::vector<std::string> kernel;

    dim3 shape(std::size_t call, int first) const {
        return dim3(static_cast<unsigned>(shapes[first][call]), static_cast<unsigned>(shapes[first + 1][call]),
                    static_cast<unsigned>(shapes[first + 2][call]));
    }
    const char* contents(std::size_t call) const {
        return reinterpret_cast<const char*>(words.data() + first_word[call]);
    }

  private:
    struct Column {
        hid_t dataset;
        std::size_t size;
    };
    /// Blocks of 4096 words that are equal are in the file once.
    void read_words() {
        const std::vector<std::uint64_t> kept = numbers("/contents/words");
        for (const std::uint64_t block : numbers("/contents/blocks")) {
            const std::size_t first = block * 4096;
            words.insert(words.end(), kept.begin() + first, kept.begin() + std::min(kept.size(), first + 4096));
        }
    }
    Column open(const char* path) const {
        const hid_t dataset = H5Dopen2(file_, path, H5P_DEFAULT);
        if (dataset < 0) fail(std::string("the file has no ") + path);
        const hid_t space = H5Dget_space(dataset);
        return {dataset, static_cast<std::size_t>(H5Sget_simple_extent_npoints(space))};
    }
    std::vector<std::uint64_t> numbers(const char* path) const {
        const Column column = open(path);
        std::vector<std::uint64_t> values(column.size);
        if (H5Dread(column.dataset, H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0)
            fail(std::string(path) + " cannot be read");
        return values;
    }
    std::vector<std::string> texts(const char* path) const {
        const Column column = open(path);
        std::vector<char*> pointers(column.size);
        const hid_t type = H5Dget_type(column.dataset);
        if (H5Dread(column.dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, pointers.data()) < 0)
            fail(std::string(path) + " cannot be read");
        return {pointers.begin(), pointers.end()};
    }

    hid_t file_;
};

/// The driver's allocations and where they are here.
class Memory {
  public:
    void allocate(std::uint64_t driver, std::uint64_t bytes) {
        Block& block = blocks_[driver];
        block.bytes = bytes;
        check(cudaMalloc(&block.here, bytes), "cudaMalloc");
    }
    void release(std::uint64_t driver) {
        check(cudaFree(blocks_.at(driver).here), "cudaFree");
        blocks_.erase(driver);
    }
    /// nullptr: not an address.
    char* find(std::uint64_t driver) const {
        auto above = blocks_.upper_bound(driver);
        if (above == blocks_.begin()) return nullptr;
        const auto& [begin, block] = *--above;
        return driver - begin < block.bytes ? static_cast<char*>(block.here) + (driver - begin) : nullptr;
    }
    char* at(std::uint64_t driver) const {
        char* const found = find(driver);
        return found != nullptr ? found : in_variable(driver);
    }

  private:
    /// Lookahead's layout of a module's variables is one for all its devices; other devices have their own, and the file
    /// does not name the variable.
    static char* in_variable(std::uint64_t driver) {
        for (const void* symbol : variables) {
            void* begin = nullptr;
            std::size_t bytes = 0;
            check(cudaGetSymbolAddress(&begin, symbol), "cudaGetSymbolAddress");
            check(cudaGetSymbolSize(&bytes, symbol), "cudaGetSymbolSize");
            if (driver - reinterpret_cast<std::uint64_t>(begin) < bytes) return reinterpret_cast<char*>(driver);
        }
        fail("the driver copies from or to what is neither allocated nor, on this device, a variable");
    }

    struct Block {
        std::uint64_t bytes = 0;
        void* here = nullptr;
    };
    std::map<std::uint64_t, Block> blocks_;
};

void launch(const Calls& calls, std::size_t call, const Memory& memory) {
    const auto found = kernels.find(calls.kernel[call]);
    if (found == kernels.end()) fail("there is no kernel " + calls.kernel[call]);
    std::vector<std::uint64_t> storage((calls.bytes[call] + 7) / 8 + 1);
    char* const parameters = reinterpret_cast<char*>(storage.data());
    std::memcpy(parameters, calls.contents(call), calls.bytes[call]);
    std::vector<void*> arguments;
    for (std::size_t offset = 0, bytes = 0;
         cudaFuncGetParamInfo(found->second, arguments.size(), &offset, &bytes) == cudaSuccess;) {
        if (bytes == sizeof(std::uint64_t)) {
            std::uint64_t address = 0;
            std::memcpy(&address, parameters + offset, sizeof address);
            if (char* const here = memory.find(address)) std::memcpy(parameters + offset, &here, sizeof here);
        }
        arguments.push_back(parameters + offset);
    }
    cudaGetLastError();  // that of the parameter behind the last
    check(cudaLaunchKernel(found->second, calls.shape(call, 0), calls.shape(call, 3), arguments.data(),
                           calls.shared_bytes[call], nullptr),
          "cudaLaunchKernel");
}

}  // namespace

int main(int count, char** arguments) {
    if (count != 2) fail(std::string("usage: ") + arguments[0] + " CAPTURE (of lookahead capture --workload)");
    load_module(arguments[1]);
    const Calls calls(arguments[1]);
    enum Kind { kAllocate, kRelease, kToDevice, kFromDevice, kFill, kLaunch };
    Memory memory;
    std::size_t copies = 0, different = 0;
    for (std::size_t call = 0; call < calls.kind.size(); ++call) {
        const std::uint64_t address = calls.address[call], bytes = calls.bytes[call];
        switch (calls.kind[call]) {
            case kAllocate:
                memory.allocate(address, bytes);
                break;
            case kRelease:
                memory.release(address);
                break;
            case kToDevice:
                check(cudaMemcpy(memory.at(address), calls.contents(call), bytes, cudaMemcpyHostToDevice),
                      "cudaMemcpy");
                break;
            case kFromDevice: {
                std::vector<char> got(bytes);
                check(cudaMemcpy(got.data(), memory.at(address), bytes, cudaMemcpyDeviceToHost), "cudaMemcpy");
                different += std::memcmp(got.data(), calls.contents(call), bytes) != 0;
                ++copies;
                break;
            }
            case kFill:
                check(cudaMemset(memory.at(address), static_cast<int>(calls.value[call]), bytes), "cudaMemset");
                break;
            case kLaunch:
                launch(calls, call, memory);
                break;
            default:
                fail("the file has a call that no host driver makes");
        }
    }
    std::printf("%zu copies, %zu of them different from the driver's\n", copies, different);
    return different != 0;
}
