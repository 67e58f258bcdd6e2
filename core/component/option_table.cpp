#include "core/component/option_table.h"

#include "core/error/error.h"
#include "core/param/suggestion.h"

namespace lookahead::detail {

void unknown_option(std::string_view what, std::string_view name, const std::vector<std::string>& known,
                    std::string_view others) {
    std::string listed;
    for (const std::string& each : known) { listed += (listed.empty() ? "" : ", ") + each; }
    throw ConfigurationError("unknown {} {}{}; there are {}{}", what, name, did_you_mean(name, known), listed, others);
}

}  // namespace lookahead::detail
