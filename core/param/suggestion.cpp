#include "core/param/suggestion.h"

#include <algorithm>
#include <cstddef>

#include <fmt/format.h>

namespace lookahead {

namespace {

/// The optimal string alignment distance.
std::size_t edits(std::string_view a, std::string_view b) {
    std::vector<std::size_t> two_rows_up(b.size() + 1);
    std::vector<std::size_t> row_up(b.size() + 1);
    std::vector<std::size_t> row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) { row_up[j] = j; }
    for (std::size_t i = 1; i <= a.size(); ++i) {
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t replaced = row_up[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            row[j] = std::min({row_up[j] + 1, row[j - 1] + 1, replaced});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                row[j] = std::min(row[j], two_rows_up[j - 2] + 1);
            }
        }
        two_rows_up.swap(row_up);
        row_up.swap(row);
    }
    return row_up[b.size()];
}

}  // namespace

std::string nearest(std::string_view typed, const std::vector<std::string>& known) {
    std::size_t best = std::max<std::size_t>(2, typed.size() / 3) + 1;
    std::string result;
    for (const std::string& word : known) {
        const std::size_t distance = edits(typed, word);
        if (distance < best && distance < word.size()) {
            best = distance;
            result = word;
        }
    }
    return result;
}

std::string did_you_mean(std::string_view typed, const std::vector<std::string>& known) {
    const std::string word = nearest(typed, known);
    return word.empty() ? "" : fmt::format(": did you mean {}?", word);
}

}  // namespace lookahead
