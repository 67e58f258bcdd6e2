#include "experiments/results/provenance.h"

#include <elf.h>
#include <fmt/chrono.h>
#include <link.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iterator>
#include <span>

#include "core/error/error.h"
#include "core/state/state_hasher.h"
#include "experiments/results/git_revision.h"

namespace lookahead {

namespace {

std::string host_name() {
    std::array<char, 256> name{};
    return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

std::string utc_now() {
    return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

/// The linker's build id in a segment of notes; empty if it has none.
std::string build_id_in(const std::byte* at, std::size_t size) {
    const auto padded = [](std::size_t bytes) { return (bytes + 3) / 4 * 4; };
    const std::byte* const end = at + size;
    while (at + sizeof(ElfW(Nhdr)) <= end) {
        ElfW(Nhdr) note;
        std::memcpy(&note, at, sizeof note);
        const std::byte* const name = at + sizeof note;
        const std::byte* const content = name + padded(note.n_namesz);
        if (note.n_type == NT_GNU_BUILD_ID) {
            const auto* const bytes = reinterpret_cast<const unsigned char*>(content);
            return fmt::format("{:02x}", fmt::join(bytes, bytes + note.n_descsz, ""));
        }
        at = content + padded(note.n_descsz);
    }
    return {};
}

}  // namespace

std::string git_revision() {
    return kGitRevision;
}

std::string compiler() {
#ifdef __clang__
    return "clang " __clang_version__;
#else
    return "g++ " __VERSION__;
#endif
}

std::string build_id() {
    std::string id;
    // The first object reported is the program.
    const auto look = [](dl_phdr_info* program, std::size_t, void* found) {
        auto& text = *static_cast<std::string*>(found);
        for (const ElfW(Phdr) & segment : std::span(program->dlpi_phdr, program->dlpi_phnum)) {
            if (segment.p_type == PT_NOTE && text.empty()) {
                text = build_id_in(reinterpret_cast<const std::byte*>(program->dlpi_addr + segment.p_vaddr),
                                   segment.p_memsz);
            }
        }
        return 1;
    };
    ::dl_iterate_phdr(look, &id);
    return id;
}

RunMeta make_run_meta(std::vector<std::string> argv) {
    RunMeta meta;
    meta.argv = std::move(argv);
    meta.git_revision = git_revision();
    meta.program_hash = build_id();
    meta.compiler = compiler();
    meta.host = host_name();
    meta.started = utc_now();
    return meta;
}

std::string hash_of_file(const std::string& path) {
    std::ifstream stream(path, std::ios::binary);
    if (!stream) { throw InputError("{}: cannot be read", path); }
    const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
    StateHasher hasher;
    hasher.add_bytes(bytes.data(), bytes.size());
    return hash_text(hasher.value());
}

std::uint64_t peak_resident_bytes() {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;  // Linux counts in KiB
}

}  // namespace lookahead
