#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace lookahead {

/// The lines of a PTX text, and the lines of CUDA source that its `.loc` directives name for them (nvcc -lineinfo).
class SourceLines {
  public:
    struct Place {
        std::string_view file;   ///< of the CUDA source; empty if no directive names one
        std::uint32_t line = 0;  ///< from 1 on; 0 with no file
    };

    /// `ptx` must outlive this object.
    explicit SourceLines(std::string_view ptx);

    /// The text of a line, from 1 on, without the space around it; empty if there is no such line.
    std::string_view text(std::uint32_t line) const;
    /// What the last `.loc` before the line, in its function, says.
    Place cuda(std::uint32_t line) const;

  private:
    struct Line {
        std::string_view text;
        std::uint32_t file = 0;  ///< a `.file`'s number; 0: none
        std::uint32_t cuda_line = 0;
    };

    std::vector<Line> lines_;
    std::map<std::uint32_t, std::string_view> files_;
};

}  // namespace lookahead
