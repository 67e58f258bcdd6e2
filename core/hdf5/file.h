#pragma once

#include <functional>
#include <string>

#include "core/hdf5/group.h"
#include "core/hdf5/handle.h"

namespace lookahead::hdf5 {

/// A file opened for reading. Throws InputError, with the path, for a missing, truncated, damaged or foreign file: HDF5
/// opens a file only if its checksum is right or, without a checksum, after a child process has read all of it.
class InputFile {
  public:
    explicit InputFile(const std::string& path);
    Group root() const;
    /// Whether the file has its checksum, so that its bytes are as a program of this project has written them.
    bool has_checksum() const { return has_checksum_; }

  private:
    Handle file_;
    bool has_checksum_ = false;
};

/// Whether a file exists and is not shorter than its HDF5 superblock says. Takes a hundredth of the time that opening
/// the file takes.
bool is_whole_file(const std::string& path);

/// Whether an HDF5 file exists and a process is writing it, which HDF5's lock shows. False if this process may not open
/// the file.
bool is_being_written(const std::string& path);

/// A file that appears under its name only when it is complete and on the disk. It is written to `path`.partial;
/// commit() closes it, adds its checksum, syncs and renames it. Without commit() the partial file is removed. Throws
/// InputError if another run is writing the file; the partial file of a killed run is overwritten.
class OutputFile {
  public:
    explicit OutputFile(std::string path);
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;
    ~OutputFile();

    Group root() const;
    /// Completes the file. All its groups and datasets must have been closed.
    void commit();
    /// Like commit(), but keeps an existing file: the new file then gets the first unused name that `other` returns.
    void commit_beside(const std::function<std::string()>& other);

    const std::string& path() const { return path_; }
    const std::string& partial_path() const { return partial_path_; }

  private:
    void close_on_disk();
    void note_commit();

    std::string path_;
    std::string partial_path_;
    Handle file_;
    bool committed_ = false;
};

}  // namespace lookahead::hdf5
