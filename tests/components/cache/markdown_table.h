#pragma once

#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace lookahead::gpu::test {

using TableRow = std::map<std::string, std::string>;

inline std::vector<std::string> split_cells(const std::string& line) {
    std::vector<std::string> cells;
    std::istringstream stream(line.substr(1));
    for (std::string cell; std::getline(stream, cell, '|');) {
        const auto first = cell.find_first_not_of(' ');
        cells.push_back(first == std::string::npos ? "" : cell.substr(first, cell.find_last_not_of(' ') - first + 1));
    }
    return cells;
}

/// The rows of the first table under the heading of a Markdown file, by column.
inline std::vector<TableRow> read_table(const std::string& file, const std::string& heading) {
    std::ifstream stream(file);
    std::vector<TableRow> rows;
    std::vector<std::string> columns;
    bool under_heading = false;
    for (std::string line; std::getline(stream, line);) {
        if (line == heading) {
            under_heading = true;
        } else if (under_heading && line.starts_with("|")) {
            const auto cells = split_cells(line);
            if (columns.empty()) {
                columns = cells;
            } else if (!line.starts_with("|-")) {
                TableRow row;
                for (std::size_t i = 0; i < columns.size(); ++i) { row[columns[i]] = cells.at(i); }
                rows.push_back(row);
            }
        } else if (!columns.empty()) {
            break;
        }
    }
    if (rows.empty()) { throw std::runtime_error("no table under \"" + heading + "\" in " + file); }
    return rows;
}

}  // namespace lookahead::gpu::test
