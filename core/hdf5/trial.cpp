#include "core/hdf5/trial.h"

#include <fcntl.h>
#include <hdf5.h>
#include <hdf5_hl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <vector>

#include "core/error/error.h"
#include "core/hdf5/group.h"
#include "core/hdf5/library.h"

namespace lookahead::hdf5 {

namespace {

void read_attribute(const Object& object, const std::string& name) {
    const Handle attribute(H5Aopen(object.id(), name.c_str(), H5P_DEFAULT), H5Aclose);
    const auto action = [&] { return fmt::format("read the attribute \"{}\" of {}", name, object.name()); };
    check(attribute.get(), object.id(), action);
    const Handle type(H5Aget_type(attribute.get()), H5Tclose);
    const Handle space(H5Aget_space(attribute.get()), H5Sclose);
    const auto points = check(H5Sget_simple_extent_npoints(space.get()), object.id(), action);
    std::vector<std::byte> values(static_cast<std::size_t>(points) * H5Tget_size(type.get()));
    if (!values.empty()) {
        check(H5Aread(attribute.get(), type.get(), values.data()), object.id(), action);
        H5Dvlen_reclaim(type.get(), space.get(), H5P_DEFAULT, values.data());
    }
    object.attribute(name);
}

void read_scales(const Dataset& dataset) {
    const auto ask = [](hid_t column, unsigned dimension, hid_t scale, void*) -> herr_t {
        return H5DSis_attached(column, scale, dimension) < 0 ? -1 : 0;
    };
    const auto rank = static_cast<unsigned>(dataset.shape().size());
    for (unsigned dimension = 0; !dataset.is_scale() && dimension < rank; ++dimension) {
        check(H5DSiterate_scales(dataset.id(), dimension, nullptr, +ask, nullptr), dataset.id(),
              [&] { return fmt::format("read the scales of {}", dataset.name()); });
    }
}

void read_attributes(const Object& object) {
    for (const std::string& name : object.attribute_names()) { read_attribute(object, name); }
}

void read_all(const Group& group) {
    read_attributes(group);
    for (const std::string& name : group.names()) {
        const LinkKind kind = group.kind_of(name);
        if (kind == LinkKind::group) {
            read_all(group.open_group(name));
        } else if (kind == LinkKind::dataset) {
            const Dataset dataset = group.open_dataset(name);
            read_attributes(dataset);
            read_scales(dataset);
            if (dataset.type() == ElementType::text) {
                dataset.read_texts();
            } else {
                dataset.read_bytes();
            }
        }
    }
}

void limit(__rlimit_resource resource, rlim_t most) {
    const rlimit both{most, most};
    ::setrlimit(resource, &both);
}

/// Allows the resources to read a file whose columns gzip has made 64 times smaller, at 8 MiB a second.
void limit_resources(std::uint64_t file_bytes) {
    constexpr rlim_t kLeastSeconds = 10;
    constexpr rlim_t kBytesPerSecond = rlim_t{8} << 20;
    constexpr rlim_t kLeastBytes = rlim_t{2} << 30;
    constexpr rlim_t kUnpackedBytes = 64;
    rlim_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    limit(RLIMIT_CPU, kLeastSeconds + file_bytes / kBytesPerSecond);
    limit(RLIMIT_AS, pages * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE)) + kLeastBytes + kUnpackedBytes * file_bytes);
    limit(RLIMIT_CORE, 0);
}

/// Gives the child the default handling of signals and crashes, silences it, and ends it with its parent.
void leave_parent() {
    for (const int signal : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGXCPU, SIGTERM, SIGINT, SIGHUP, SIGUSR1}) {
        std::signal(signal, SIG_DFL);
    }
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
    ::dup2(nowhere, STDERR_FILENO);
}

/// Reads all of the file and writes its fault, or nothing, to the descriptor `report`.
[[noreturn]] void read_as_child(const std::string& path, std::uint64_t file_bytes, int report) {
    std::string fault;
    try {
        leave_parent();
        limit_resources(file_bytes);
        Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
        if (file.get() < 0) { fail(path, kOpenAction); }
        read_all(Group::root_of(file.get()));
        file.reset();
    } catch (const InputError& error) { fault = error.what(); } catch (const std::exception&) {
        fault = fmt::format("{}: is damaged: the size in it is impossible; copy it again or make it again", path);
    }
    const bool is_written = ::write(report, fault.data(), fault.size()) == static_cast<ssize_t>(fault.size());
    ::_exit(is_written ? 0 : 1);
}

std::string all_of(int descriptor) {
    std::string text;
    std::array<char, 4096> piece{};
    for (ssize_t got = 0; (got = ::read(descriptor, piece.data(), piece.size())) != 0;) {
        if (got > 0) {
            text.append(piece.data(), static_cast<std::size_t>(got));
        } else if (errno != EINTR) {
            break;
        }
    }
    return text;
}

}  // namespace

void read_on_trial(const std::string& path) {
    std::error_code unknown;
    const std::uint64_t file_bytes = std::filesystem::file_size(path, unknown);
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) {
        throw InputError("{}: cannot be read: no pipe to a child process: {}", path, std::strerror(errno));
    }
    const pid_t child = ::fork();
    if (child == 0) { read_as_child(path, unknown ? 0 : file_bytes, ends[1]); }
    const int reason = errno;
    ::close(ends[1]);
    const std::string fault = child < 0 ? std::string() : all_of(ends[0]);
    ::close(ends[0]);
    if (child < 0) { throw InputError("{}: cannot be read: no child process: {}", path, std::strerror(reason)); }
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    if (!fault.empty()) { throw InputError(fault); }
    if (status != 0) {
        const bool is_slow = WIFSIGNALED(status) && (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL);
        throw InputError("{}: is damaged: reading it {}; copy it again or make it anew", path,
                         (is_slow ? "does not end" : "crashes HDF5"));
    }
}

}  // namespace lookahead::hdf5
