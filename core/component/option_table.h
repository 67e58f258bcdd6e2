#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/component/catalogue.h"
#include "core/error/error.h"
#include "core/param/suggestion.h"

namespace lookahead {

/// The choices of a command-line option: a slot whose variants are rows of a table instead of classes. A row has
/// `name`, `description` and `source`.
template <class Row>
class OptionTable {
  public:
    /// Adds the slot and its variants to the catalogue; define the table at namespace scope. `what` names a row in
    /// errors.
    OptionTable(SlotEntry slot, std::string_view what, std::vector<Row> rows) : what_(what), rows_(std::move(rows)) {
        for (const Row& row : rows_) {
            add_variant({slot.name, std::string(row.name), std::string(row.description), std::string(row.source)});
        }
        add_slot(std::move(slot));
    }

    /// Finds a row. An unknown name is a ConfigurationError with "did you mean" and the list of names, which ends with
    /// `others`.
    const Row& find(std::string_view name, std::string_view others = {}) const {
        const auto found = std::ranges::find(rows_, name, &Row::name);
        if (found != rows_.end()) { return *found; }
        std::vector<std::string> known;
        for (const Row& row : rows_) { known.emplace_back(row.name); }
        throw ConfigurationError("unknown {} {}{}; there are {}{}", what_, name, did_you_mean(name, known),
                                 fmt::join(known, ", "), others);
    }

  private:
    std::string_view what_;
    std::vector<Row> rows_;
};

}  // namespace lookahead
