#pragma once

#include <string>

#include "core/hdf5/output/output_group.h"
#include "core/hdf5/output/output_image.h"

namespace lookahead::hdf5 {

/// `synced`: the file is on the disk when commit() returns. `renamed`: the system writes it there in its own time, so that
/// a machine that loses power just then may lose the contents; waiting for the disk is a third of a short run.
enum class Commit { synced, renamed };

/// A file that appears under its name only when it is complete: it is written to `path`.partial, and commit() finishes,
/// syncs and renames it. Without commit() the partial file is removed. Groups and datasets are used no more after it.
class OutputFile {
  public:
    explicit OutputFile(std::string path);
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;
    ~OutputFile();

    OutputGroup root() { return {image_, image_.root()}; }
    void commit(Commit how = Commit::synced);

    const std::string& path() const { return path_; }
    std::string partial_path() const { return path_ + ".partial"; }

  private:
    std::string path_;
    OutputImage image_;
    bool committed_ = false;
};

}  // namespace lookahead::hdf5
