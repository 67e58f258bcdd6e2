#include "components/frontend/trace/trace.h"

#include <algorithm>
#include <filesystem>

#include "components/frontend/trace/trace_text.h"
#include "components/frontend/trace/traced_kernel.h"
#include "components/isa/address_space.h"
#include "core/error/error.h"

namespace lookahead::trace {
namespace {

namespace fs = std::filesystem;

/// The file of a trace that a list in the folder names; it may have been compressed since.
std::string file_of(const fs::path& folder, std::string_view name) {
    const std::string path = (folder / name).string();
    std::error_code unknown;
    for (const char* ending : {"", ".xz"}) {
        if (fs::is_regular_file(path + ending, unknown)) { return path + ending; }
    }
    throw InputError("{} is not beside the list, nor is {}.xz", name, name);
}

/// "MemcpyHtoD,0x00007fc841500000,32768".
TraceStep read_copy(std::string_view line) {
    TraceStep step;
    step.kind = TraceStep::Kind::copy_to_device;
    const std::size_t first = line.find(','), second = line.find(',', first + 1);
    if (second == std::string_view::npos) { throw InputError("'{}': a copy is MemcpyHtoD,ADDRESS,BYTES", line); }
    step.address = number<std::uint64_t>(line.substr(first + 1, second - first - 1), "address", 16);
    step.bytes = number<std::uint64_t>(line.substr(second + 1), "count of bytes");
    if (step.bytes > isa::kGlobalBytes || step.address > std::numeric_limits<std::uint64_t>::max() - step.bytes) {
        throw InputError("'{}' copies beyond the memory of any GPU", line);
    }
    return step;
}

/// Calls take(line) for each line of the list; its InputErrors get the list's file and line.
void for_each_line(const std::string& path, auto take) {
    LineReader lines(path);
    for (std::string_view text; lines.next(text);) {
        const std::string_view line = Words(text).next();
        if (line.empty()) { continue; }
        at_line(path, lines.number(), [&] { take(line); });
    }
}

class Reader {
  public:
    void read_list(const std::string& path) {
        for_each_line(path, [&](std::string_view line) { take(fs::path(path).parent_path(), line); });
        if (traced_.empty()) { throw InputError("{}: no kernel is in the list", path); }
    }
    void read_launch(const std::string& path) {
        TracedKernel traced = read_traced_kernel(path, accessed_);
        TraceStep step;
        step.kernel = static_cast<std::uint32_t>(traced_.size());
        step.grid = traced.header.grid;
        step.block = traced.header.block;
        to_.steps.push_back(step);
        // Launches of one kernel differ in what their warps do.
        traced.kernel.name = fmt::format("{}@{}", traced.header.name, traced_.size() + 1);
        traced_.push_back(std::move(traced));
    }

    Trace finish(const std::string& path) {
        constexpr std::uint64_t kPart = AccessedMemory::kPartBytes;
        std::vector<isa::Recording::Part> parts;
        for (const std::uint64_t part : accessed_.parts()) {
            parts.push_back({part * kPart, isa::kGlobalBase + (parts.size() - part) * kPart});
        }
        if (parts.size() > isa::kGlobalBytes / kPart) {
            throw InputError("{}: its addresses in global memory are in {} parts of 4 GiB; up to {} can be simulated",
                             path, parts.size(), isa::kGlobalBytes / kPart);
        }
        if (!parts.empty()) { to_.memory_bytes = accessed_.end() + parts.back().distance - isa::kGlobalBase; }
        for (TraceStep& step : to_.steps) {
            if (step.kind != TraceStep::Kind::copy_to_device) { continue; }
            const auto part = std::ranges::find_if(parts.rbegin(), parts.rend(),
                                                   [&](const auto& each) { return each.first <= step.address; });
            step.address += part->distance;
        }
        for (TracedKernel& traced : traced_) {
            traced.recording->move(parts);
            to_.kernels.push_back(std::move(traced.kernel));
        }
        return std::move(to_);
    }

  private:
    void take(const fs::path& folder, std::string_view line) {
        if (line.starts_with("MemcpyHtoD,")) {
            const TraceStep step = read_copy(line);
            if (step.bytes == 0) { return; }
            accessed_.include(step.address, step.bytes);
            to_.steps.push_back(step);
        } else if (is_trace_name(line)) {
            read_launch(file_of(folder, line));
        } else {
            throw InputError("'{}' is neither a copy, MemcpyHtoD,ADDRESS,BYTES, nor a trace, as kernel-1.traceg", line);
        }
    }

    Trace to_;
    std::vector<TracedKernel> traced_;
    AccessedMemory accessed_;
};

}  // namespace

bool is_trace_name(std::string_view path) {
    return path.ends_with(".g") || path.ends_with(".traceg") || path.ends_with(".traceg.xz") ||
           path.ends_with(".tracez");
}

std::vector<std::string> files_of_trace(const std::string& path) {
    std::vector<std::string> files{path};
    if (!path.ends_with(".g")) { return files; }
    for_each_line(path, [&](std::string_view line) {
        if (is_trace_name(line)) { files.push_back(file_of(fs::path(path).parent_path(), line)); }
    });
    return files;
}

Trace read_trace(const std::string& path) {
    Reader reader;
    if (path.ends_with(".g")) {
        reader.read_list(path);
    } else {
        reader.read_launch(path);
    }
    return reader.finish(path);
}

}  // namespace lookahead::trace
