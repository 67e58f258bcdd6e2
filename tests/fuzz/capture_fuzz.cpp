// A capture file with any contents: columns of any length and values, any texts. It is read and, if accepted and small,
// replayed on the emulator. A wrong one must be refused, or misbehave as programs do.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "components/emulator/emulated_device.h"
#include "components/frontend/finaliser/finalise.h"
#include "components/frontend/ptx/parse_module.h"
#include "core/error/error.h"
#include "core/hdf5/file.h"
#include "core/param/configuration.h"
#include "experiments/capture/capture.h"
#include "experiments/workloads/workload.h"
#include "hdf5_schemas/capture_schema.h"
#include "tests/fuzz/fuzz_target.h"

using namespace lookahead;

namespace {

namespace schema = capture_schema;

/// Takes values from the input; zeros when it is used up.
class Input {
  public:
    Input(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}

    template <class T>
    T take() {
        T value{};
        const std::size_t bytes = std::min(sizeof value, size_);
        if (bytes != 0) { std::memcpy(&value, data_, bytes); }
        data_ += bytes;
        size_ -= bytes;
        return value;
    }
    std::string take_text(std::size_t length) {
        length = std::min(length, size_);
        std::string text(reinterpret_cast<const char*>(data_), length);
        data_ += length;
        size_ -= length;
        return text.substr(0, text.find('\0'));
    }

  private:
    const std::uint8_t* data_;
    std::size_t size_;
};

constexpr const char* kPtx =
    ".version 9.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 p) {\n.reg .b64 %rd<2>;\n"
    "ld.param.u64 %rd1, [p];\nst.global.u64 [%rd1], %rd1;\nret;\n}\n";

/// Small values, so that calls sometimes fit together, or any.
std::uint64_t number(Input& input) {
    const auto choice = input.take<std::uint8_t>();
    if (choice < 0x80) { return choice; }
    if (choice < 0xe0) {
        return 0x1000000000 + (choice & 0x1fU) * 256;  // allocations are there
    }
    return input.take<std::uint64_t>();
}

template <class T>
void write_column(hdf5::Group& group, const DatasetName& name, std::size_t rows, Input& input,
                  const hdf5::Dataset& scale) {
    std::vector<T> values(rows);
    for (T& value : values) { value = static_cast<T>(number(input)); }
    hdf5::Dataset column = group.write_column<T>(name.name, values, {name.units, name.description});
    if (rows == scale.size()) { column.attach_scale(0, scale); }
}

void write_file(Input& input, const std::string& path) {
    hdf5::OutputFile file(path);
    {
        hdf5::Group root = file.root();
        const auto odd = input.take<std::uint8_t>();
        root.set_attribute(schema::kSchemaAttribute, odd == 1 ? input.take_text(20) : std::string(schema::kId));
        root.set_attribute(schema::kSchemaVersionAttribute,
                           odd == 2 ? input.take_text(4) : std::string(schema::kVersion));
        root.set_attribute(schema::kProgramAttribute, std::string("p"));
        if (odd != 3) { root.set_attribute(schema::kPtxAttribute, std::string("p.ptx")); }
        std::vector<std::string> modules(odd == 4 ? 2 : 1, kPtx);
        if (odd == 5) { modules[0] = input.take_text(200); }
        root.create_group(schema::kModulesGroup)
            .write_texts(schema::kModulesText.name, modules,
                         {schema::kModulesText.units, schema::kModulesText.description});
        hdf5::Group calls = root.create_group(schema::kCallsGroup);
        const std::size_t rows = input.take<std::uint8_t>() % 12;
        // One column may have a different length.
        const auto other = input.take<std::uint8_t>();
        std::uint8_t column = 0;
        const auto length = [&] { return ++column == other ? rows + 1 : rows; };
        std::vector<std::uint64_t> ids(rows);
        for (std::size_t i = 0; i < rows; ++i) { ids[i] = i; }
        hdf5::Dataset scale = calls.write_column<std::uint64_t>(schema::kCallsId.name, ids,
                                                                {schema::kCallsId.units, schema::kCallsId.description});
        scale.make_scale(schema::kCallsId.name);
        write_column<std::uint32_t>(calls, schema::kCallsKind, length(), input, scale);
        for (const DatasetName& name : {schema::kCallsAddress, schema::kCallsSource, schema::kCallsBytes}) {
            write_column<std::uint64_t>(calls, name, length(), input, scale);
        }
        write_column<std::uint32_t>(calls, schema::kCallsValue, length(), input, scale);
        write_column<std::uint64_t>(calls, schema::kCallsFirstWord, length(), input, scale);
        std::vector<std::string> kernels(length());
        for (std::string& kernel : kernels) { kernel = input.take<std::uint8_t>() % 4 != 0 ? "k" : input.take_text(3); }
        hdf5::Dataset names = calls.write_texts(schema::kCallsKernel.name, kernels,
                                                {schema::kCallsKernel.units, schema::kCallsKernel.description});
        if (kernels.size() == rows) { names.attach_scale(0, scale); }
        for (const DatasetName& name :
             {schema::kCallsGridX, schema::kCallsGridY, schema::kCallsGridZ, schema::kCallsBlockX, schema::kCallsBlockY,
              schema::kCallsBlockZ, schema::kCallsDynamicSharedBytes}) {
            write_column<std::uint32_t>(calls, name, length(), input, scale);
        }
        if (odd != 6) { write_column<std::int32_t>(calls, schema::kCallsError, length(), input, scale); }
        std::vector<std::uint32_t> words(input.take<std::uint8_t>() % 64);
        for (std::uint32_t& word : words) { word = static_cast<std::uint32_t>(number(input)); }
        hdf5::Group contents = root.create_group(schema::kContentsGroup);
        contents.write_column<std::uint32_t>(schema::kContentsWords.name, words,
                                             {schema::kContentsWords.units, schema::kContentsWords.description});
        std::vector<std::uint64_t> blocks(odd == 7 ? input.take<std::uint8_t>() % 4 : 1);
        for (std::uint64_t& block : blocks) { block = odd == 7 ? number(input) : 0; }
        contents.write_column<std::uint64_t>(schema::kContentsBlocks.name, blocks,
                                             {schema::kContentsBlocks.units, schema::kContentsBlocks.description});
    }
    file.commit();
}

/// A fuzzer spends its time and memory on many small captures.
bool is_small(const Capture& capture) {
    return std::ranges::all_of(capture.calls, [](const CapturedCall& call) {
        return call.bytes < 1 << 20 && call.configuration.grid.count() < 64;
    });
}

void replay(const std::string& path) {
    Configuration configuration;
    configuration.override_value("capture.file=" + path);
    const auto workload = make_variant<Workload>("capture", configuration, WorkloadContext{});
    EmulatorOptions options;
    options.max_warp_instructions = 100'000;
    EmulatedDevice device(
        finaliser::finalise_module(ptx::parse_module(workload->code().text, std::string(workload->code().file)), {}),
        options);
    workload->run(device);
    workload->check();
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const std::string path = "/dev/shm/lookahead_fuzz" + std::to_string(getpid()) + ".h5";
    Input input(data, size);
    write_file(input, path);
    try {
        if (is_small(read_capture(path))) { replay(path); }
    } catch (const InputError&) {
    } catch (const ProgramError&) {}
    std::remove(path.c_str());
    return 0;
}
