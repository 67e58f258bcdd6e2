#include "core/component/option_table.h"

#include <fmt/format.h>

#include "core/error/error.h"
#include "core/param/suggestion.h"

namespace lookahead::detail {

void unknown_option(std::string_view what, std::string_view name, const std::vector<std::string>& known,
                    std::string_view others) {
    throw ConfigurationError("unknown {} {}{}; there are {}{}", what, name, did_you_mean(name, known),
                             fmt::join(known, ", "), others);
}

}  // namespace lookahead::detail
