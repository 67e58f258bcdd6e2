#include "experiments/capture/capture.h"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/error/error.h"
#include "core/hdf5/file.h"
#include "hdf5_schemas/capture_schema.h"
#include "hdf5_schemas/validate.h"

namespace lookahead {

namespace {

namespace schema = capture_schema;
using hdf5::Dataset;
using hdf5::Group;

class CallTable {
  public:
    CallTable(Group group, const std::vector<CapturedCall>& calls)
        : group_(std::move(group)), calls_(calls), scale_(write_scale()) {}

    /// The column of what `member` gives for each call.
    template <class Member>
    void write(const DatasetName& name, Member member) {
        std::vector<std::decay_t<decltype(member(calls_.front()))>> values;
        values.reserve(calls_.size());
        for (const CapturedCall& call : calls_) values.push_back(member(call));
        write_values(name, values);
    }

  private:
    Dataset write_scale() {
        std::vector<std::uint64_t> numbers(calls_.size());
        std::iota(numbers.begin(), numbers.end(), 0);
        Dataset scale =
            group_.write_column<std::uint64_t>(schema::kCallsId.name, numbers, meaning_of(schema::kCallsId));
        scale.make_scale(schema::kCallsId.name);
        return scale;
    }
    void write_values(const DatasetName& name, const std::vector<std::string>& values) {
        group_.write_texts(name.name, values, meaning_of(name)).attach_scale(0, scale_);
    }
    template <class T>
    void write_values(const DatasetName& name, const std::vector<T>& values) {
        group_.write_column<T>(name.name, values, meaning_of(name)).attach_scale(0, scale_);
    }

    Group group_;
    const std::vector<CapturedCall>& calls_;
    Dataset scale_;
};

void write_calls(Group group, const std::vector<CapturedCall>& calls) {
    using Call = const CapturedCall&;
    CallTable table(std::move(group), calls);
    table.write(schema::kCallsKind, [](Call call) { return static_cast<std::uint32_t>(call.kind); });
    table.write(schema::kCallsAddress, [](Call call) { return call.address; });
    table.write(schema::kCallsSource, [](Call call) { return call.source; });
    table.write(schema::kCallsBytes, [](Call call) { return call.bytes; });
    table.write(schema::kCallsValue, [](Call call) { return call.value; });
    table.write(schema::kCallsFirstWord, [](Call call) { return call.first_word; });
    table.write(schema::kCallsKernel, [](Call call) { return call.kernel; });
    table.write(schema::kCallsGridX, [](Call call) { return call.configuration.grid.x; });
    table.write(schema::kCallsGridY, [](Call call) { return call.configuration.grid.y; });
    table.write(schema::kCallsGridZ, [](Call call) { return call.configuration.grid.z; });
    table.write(schema::kCallsBlockX, [](Call call) { return call.configuration.block.x; });
    table.write(schema::kCallsBlockY, [](Call call) { return call.configuration.block.y; });
    table.write(schema::kCallsBlockZ, [](Call call) { return call.configuration.block.z; });
    table.write(schema::kCallsDynamicSharedBytes, [](Call call) { return call.configuration.dynamic_shared_bytes; });
    table.write(schema::kCallsError, [](Call call) { return call.error; });
}

/// Reads a column into a member of each call.
template <class T, class Assign>
void read_column(const Group& group, const DatasetName& name, std::vector<CapturedCall>& calls, Assign assign) {
    const Dataset dataset = group.open_dataset(name.name);
    if constexpr (std::is_same_v<T, std::string>) {
        const auto values = dataset.read_texts();
        for (std::size_t i = 0; i < calls.size(); ++i) assign(calls[i], values[i]);
    } else {
        const auto values = dataset.read<T>();
        for (std::size_t i = 0; i < calls.size(); ++i) assign(calls[i], values[i]);
    }
}

std::vector<CapturedCall> read_calls(const Group& group) {
    using Call = CapturedCall&;
    using u32 = std::uint32_t;
    using u64 = std::uint64_t;
    std::vector<CapturedCall> calls(group.open_dataset(schema::kCallsId.name).size());
    read_column<u32>(group, schema::kCallsKind, calls,
                     [](Call call, u32 value) { call.kind = static_cast<CapturedCall::Kind>(value); });
    read_column<u64>(group, schema::kCallsAddress, calls, [](Call call, u64 value) { call.address = value; });
    read_column<u64>(group, schema::kCallsSource, calls, [](Call call, u64 value) { call.source = value; });
    read_column<u64>(group, schema::kCallsBytes, calls, [](Call call, u64 value) { call.bytes = value; });
    read_column<u32>(group, schema::kCallsValue, calls, [](Call call, u32 value) { call.value = value; });
    read_column<u64>(group, schema::kCallsFirstWord, calls, [](Call call, u64 value) { call.first_word = value; });
    read_column<std::string>(group, schema::kCallsKernel, calls,
                             [](Call call, const std::string& value) { call.kernel = value; });
    read_column<u32>(group, schema::kCallsGridX, calls, [](Call c, u32 value) { c.configuration.grid.x = value; });
    read_column<u32>(group, schema::kCallsGridY, calls, [](Call c, u32 value) { c.configuration.grid.y = value; });
    read_column<u32>(group, schema::kCallsGridZ, calls, [](Call c, u32 value) { c.configuration.grid.z = value; });
    read_column<u32>(group, schema::kCallsBlockX, calls, [](Call c, u32 value) { c.configuration.block.x = value; });
    read_column<u32>(group, schema::kCallsBlockY, calls, [](Call c, u32 value) { c.configuration.block.y = value; });
    read_column<u32>(group, schema::kCallsBlockZ, calls, [](Call c, u32 value) { c.configuration.block.z = value; });
    read_column<u32>(group, schema::kCallsDynamicSharedBytes, calls,
                     [](Call c, u32 value) { c.configuration.dynamic_shared_bytes = value; });
    if (group.has(schema::kCallsError.name))  // not in files of version 1.0
        read_column<std::int32_t>(group, schema::kCallsError, calls,
                                  [](Call call, std::int32_t value) { call.error = value; });
    return calls;
}

void write_contents(Group group, const Contents& contents) {
    group.write_column<std::uint32_t>(schema::kContentsWords.name, contents.kept(), meaning_of(schema::kContentsWords));
    group.write_column<std::uint64_t>(schema::kContentsBlocks.name, contents.blocks(),
                                      meaning_of(schema::kContentsBlocks));
}

Contents read_contents(const Group& group, const std::string& path) {
    auto words = group.open_dataset(schema::kContentsWords.name).read<std::uint32_t>();
    const std::uint64_t kept = (words.size() + Contents::kBlockWords - 1) / Contents::kBlockWords;
    std::vector<std::uint64_t> blocks(kept);
    std::iota(blocks.begin(), blocks.end(), 0);
    if (group.has(schema::kContentsBlocks.name))  // not in files of versions 1.0 and 1.1
        blocks = group.open_dataset(schema::kContentsBlocks.name).read<std::uint64_t>();
    if (std::ranges::any_of(blocks, [kept](std::uint64_t block) { return block >= kept; }))
        throw InputError(path + ": /contents/blocks names a block that /contents/words has not");
    return {std::move(words), std::move(blocks)};
}

void check(const Capture& capture, const std::string& path) {
    for (std::size_t i = 0; i < capture.calls.size(); ++i) {
        const CapturedCall& call = capture.calls[i];
        if (static_cast<std::uint32_t>(call.kind) >= CapturedCall::kKinds)
            throw InputError(
                fmt::format("{}: call {} is of the unknown kind {}", path, i, static_cast<std::uint32_t>(call.kind)));
        if (call.has_contents() && !capture.contents_of_calls.has(call.first_word, call.bytes))
            throw InputError(fmt::format("{}: the contents of call {} lie outside /contents", path, i));
    }
}

}  // namespace

void Capture::add(CapturedCall call, std::span<const std::byte> contents) {
    if (call.has_contents()) {
        call.bytes = contents.size();
        call.first_word = contents_of_calls.add(contents);
    }
    calls.push_back(std::move(call));
}

std::vector<std::byte> Capture::contents(const CapturedCall& call) const {
    return contents_of_calls.at(call.first_word, call.bytes);
}

std::string Capture::ptx() const {
    return std::accumulate(modules.begin(), modules.end(), std::string());
}

void write_capture(const Capture& capture, const std::string& path) {
    hdf5::OutputFile file(path);
    {
        Group root = file.root();
        root.set_attribute(schema::kSchemaAttribute, schema::kId);
        root.set_attribute(schema::kSchemaVersionAttribute, schema::kVersion);
        root.set_attribute(schema::kProgramAttribute, capture.program);
        root.set_attribute(schema::kPtxAttribute, capture.ptx_name);
        root.create_group(schema::kModulesGroup)
            .write_texts(schema::kModulesText.name, capture.modules, meaning_of(schema::kModulesText));
        write_calls(root.create_group(schema::kCallsGroup), capture.calls);
        write_contents(root.create_group(schema::kContentsGroup), capture.contents_of_calls);
    }
    file.commit();
}

Capture read_capture(const std::string& path) {
    require_valid(path, schema::kId);
    const hdf5::InputFile file(path);
    const Group root = file.root();
    Capture capture;
    capture.program = root.text_attribute(schema::kProgramAttribute);
    capture.ptx_name = root.text_attribute(schema::kPtxAttribute);
    capture.modules = root.open_group(schema::kModulesGroup).open_dataset(schema::kModulesText.name).read_texts();
    capture.calls = read_calls(root.open_group(schema::kCallsGroup));
    capture.contents_of_calls = read_contents(root.open_group(schema::kContentsGroup), path);
    check(capture, path);
    return capture;
}

}  // namespace lookahead
