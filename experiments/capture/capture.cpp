#include "experiments/capture/capture.h"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <type_traits>
#include <utility>

#include "core/error/error.h"
#include "core/hdf5/file.h"
#include "hdf5_schemas/capture_schema.h"
#include "hdf5_schemas/table_writer.h"
#include "hdf5_schemas/validate.h"

namespace lookahead {

namespace {

namespace schema = capture_schema;
using hdf5::Group;

/// The member of an object at the end of `path`, a chain of pointers to members.
template <class Object, class... Path>
auto& member_of(Object& object, Path... path) {
    return (object.*....*path);
}

/// Calls `column` with the name of each column of /calls and the path from a call to its member.
template <class Column>
void for_each_column(Column column) {
    using Call = CapturedCall;
    using Launch = LaunchConfiguration;
    using isa::Dim3;
    column(schema::kCallsKind, &Call::kind);
    column(schema::kCallsAddress, &Call::address);
    column(schema::kCallsSource, &Call::source);
    column(schema::kCallsBytes, &Call::bytes);
    column(schema::kCallsValue, &Call::value);
    column(schema::kCallsFirstWord, &Call::first_word);
    column(schema::kCallsKernel, &Call::kernel);
    column(schema::kCallsGridX, &Call::configuration, &Launch::grid, &Dim3::x);
    column(schema::kCallsGridY, &Call::configuration, &Launch::grid, &Dim3::y);
    column(schema::kCallsGridZ, &Call::configuration, &Launch::grid, &Dim3::z);
    column(schema::kCallsBlockX, &Call::configuration, &Launch::block, &Dim3::x);
    column(schema::kCallsBlockY, &Call::configuration, &Launch::block, &Dim3::y);
    column(schema::kCallsBlockZ, &Call::configuration, &Launch::block, &Dim3::z);
    column(schema::kCallsDynamicSharedBytes, &Call::configuration, &Launch::dynamic_shared_bytes);
    column(schema::kCallsError, &Call::error);
}

/// A member's type in the file.
template <class Member>
struct InFile {
    using Type = Member;
};
template <>
struct InFile<CapturedCall::Kind> {
    using Type = std::uint32_t;
};

void write_calls(Group group, const std::vector<CapturedCall>& calls) {
    TableWriter table(group, schema::kCallsId, numbers_below<std::uint64_t>(calls.size()));
    for_each_column([&](const DatasetName& name, auto... path) {
        using Type = typename InFile<std::decay_t<decltype(member_of(calls.front(), path...))>>::Type;
        table.write(name, calls, [=](const CapturedCall& call) { return static_cast<Type>(member_of(call, path...)); });
    });
    table.finish();
}

std::vector<CapturedCall> read_calls(const Group& group) {
    std::vector<CapturedCall> calls(group.open_dataset(schema::kCallsId.name).size());
    for_each_column([&](const DatasetName& name, auto... path) {
        using Member = std::decay_t<decltype(member_of(calls.front(), path...))>;
        if (std::string_view(name.name) == schema::kCallsError.name && !group.has(name.name)) {
            return;  // not in files of version 1.0
        }
        const auto values = [dataset = group.open_dataset(name.name)] {
            if constexpr (std::is_same_v<Member, std::string>) {
                return dataset.read_texts();
            } else {
                return dataset.template read<typename InFile<Member>::Type>();
            }
        }();
        for (std::size_t i = 0; i < calls.size(); ++i) {
            member_of(calls[i], path...) = static_cast<Member>(values[i]);
        }
    });
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
    auto blocks = numbers_below<std::uint64_t>(kept);
    if (group.has(schema::kContentsBlocks.name)) {  // not in files of versions 1.0 and 1.1
        blocks = group.open_dataset(schema::kContentsBlocks.name).read<std::uint64_t>();
    }
    if (std::ranges::any_of(blocks, [kept](std::uint64_t block) { return block >= kept; })) {
        throw InputError("{}: /contents/blocks names a block that is not in /contents/words", path);
    }
    return {std::move(words), std::move(blocks)};
}

void write_cubins(Group group, const std::vector<cudart::CubinImage>& cubins) {
    std::vector<std::uint32_t> architectures, words;
    std::vector<std::uint64_t> bytes;
    for (const cudart::CubinImage& each : cubins) {
        architectures.push_back(each.architecture);
        bytes.push_back(each.bytes.size());
        const std::size_t first = words.size();
        words.resize(first + (each.bytes.size() + 3) / 4);
        std::memcpy(words.data() + first, each.bytes.data(), each.bytes.size());
    }
    group.write_column<std::uint32_t>(schema::kCubinsArchitecture.name, architectures,
                                      meaning_of(schema::kCubinsArchitecture));
    group.write_column<std::uint64_t>(schema::kCubinsBytes.name, bytes, meaning_of(schema::kCubinsBytes));
    group.write_column<std::uint32_t>(schema::kCubinsWords.name, words, meaning_of(schema::kCubinsWords));
}

std::vector<cudart::CubinImage> read_cubins(const Group& group, const std::string& path) {
    const auto architectures = group.open_dataset(schema::kCubinsArchitecture.name).read<std::uint32_t>();
    const auto bytes = group.open_dataset(schema::kCubinsBytes.name).read<std::uint64_t>();
    const auto words = group.open_dataset(schema::kCubinsWords.name).read<std::uint32_t>();
    std::vector<cudart::CubinImage> cubins;
    std::uint64_t first = 0;
    for (std::size_t i = 0; i < architectures.size(); ++i) {
        const std::uint64_t left = (words.size() - first) * 4;
        if (bytes[i] > left) { throw InputError("{}: cubin {} lies outside /cubins/words", path, i); }
        const std::span<const std::byte> all = std::as_bytes(std::span(words).subspan(first)).first(bytes[i]);
        cubins.push_back({architectures[i], {all.begin(), all.end()}});
        first += (bytes[i] + 3) / 4;
    }
    return cubins;
}

void check(const Capture& capture, const std::string& path) {
    for (std::size_t i = 0; i < capture.calls.size(); ++i) {
        const CapturedCall& call = capture.calls[i];
        if (static_cast<std::uint32_t>(call.kind) >= CapturedCall::kKinds) {
            throw InputError("{}: call {} has the unknown kind {}", path, i, static_cast<std::uint32_t>(call.kind));
        }
        if (call.has_contents() && !capture.contents_of_calls.has(call.first_word, call.bytes)) {
            throw InputError("{}: the contents of call {} lie outside /contents", path, i);
        }
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
        write_cubins(root.create_group(schema::kCubinsGroup), capture.cubins);
        write_calls(root.create_group(schema::kCallsGroup), capture.calls);
        write_contents(root.create_group(schema::kContentsGroup), capture.contents_of_calls);
    }
    file.commit();
}

Capture read_capture(const std::string& path) {
    const hdf5::InputFile file(path);
    require_valid(file, schema::kId);
    const Group root = file.root();
    Capture capture;
    capture.program = root.text_attribute(schema::kProgramAttribute);
    capture.ptx_name = root.text_attribute(schema::kPtxAttribute);
    capture.modules = root.open_group(schema::kModulesGroup).open_dataset(schema::kModulesText.name).read_texts();
    if (root.has(schema::kCubinsGroup)) {  // not in files before version 1.4
        capture.cubins = read_cubins(root.open_group(schema::kCubinsGroup), path);
    }
    capture.calls = read_calls(root.open_group(schema::kCallsGroup));
    capture.contents_of_calls = read_contents(root.open_group(schema::kContentsGroup), path);
    check(capture, path);
    return capture;
}

void repeat(const CapturedCall& call, std::span<const std::byte> contents, Device& device) {
    switch (call.kind) {
        case CapturedCall::Kind::allocate: {
            const DeviceAddress address = device.allocate(call.bytes);
            if (address != call.address) {
                throw InputError(
                    "the program allocates {:#x}, but {:#x} is free: its capture is damaged or has another address "
                    "layout",
                    call.address, address);
            }
            break;
        }
        case CapturedCall::Kind::release:
            device.release(call.address);
            break;
        case CapturedCall::Kind::copy_to_device:
            device.copy_to_device(call.address, contents);
            break;
        case CapturedCall::Kind::fill:
            device.fill(call.address, static_cast<std::byte>(call.value), call.bytes);
            break;
        case CapturedCall::Kind::copy_on_device: {
            // The devices have no such copies: the bytes pass through the host, over the link and back.
            std::vector<std::byte> bytes(call.bytes);
            device.copy_from_device(bytes, call.source);
            device.copy_to_device(call.address, bytes);
            break;
        }
        case CapturedCall::Kind::use_pages:
            device.use_pages();
            break;
        case CapturedCall::Kind::copy_from_device:
        case CapturedCall::Kind::launch:
            break;
    }
}

}  // namespace lookahead
