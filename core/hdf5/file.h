#pragma once

#include <string>

#include "core/hdf5/group.h"
#include "core/hdf5/handle.h"

namespace lookahead::hdf5 {

/// A file opened for reading. A missing, truncated or foreign file is an InputError with the path.
class InputFile {
  public:
    explicit InputFile(const std::string& path);
    Group root() const;

  private:
    Handle file_;
};

}  // namespace lookahead::hdf5
