#include <fstream>
#include <map>
#include <sstream>

#include "core/error/error.h"
#include "partitioning/partitioners/partitioners.h"

namespace lookahead {

std::vector<int> partition_from_file(const Model& model, int ranks, const std::string& file) {
    std::ifstream stream(file);
    if (!stream) { throw InputError("cannot read the partition file {}", file); }
    std::map<std::string, std::size_t, std::less<>> ids;
    for (std::size_t id = 0; id < model.processes().size(); ++id) { ids.emplace(model.processes()[id].name, id); }
    std::vector<int> rank_of_lp(model.processes().size(), -1);
    std::string line;
    for (int number = 1; std::getline(stream, line); ++number) {
        const std::string where = fmt::format("{}:{}: ", file, number);
        std::istringstream words(line.substr(0, line.find('#')));
        std::string name;
        if (!(words >> name)) { continue; }
        const auto found = ids.find(name);
        if (found == ids.end()) { throw InputError("{}the model has no logical process {}", where, name); }
        int rank = -1;
        std::string rest;
        if (!(words >> rank) || rank < 0 || rank >= ranks || words >> rest) {
            throw InputError("{}after {} there must be one rank from 0 to {}", where, name, ranks - 1);
        }
        if (rank_of_lp[found->second] >= 0) { throw InputError("{}{} was placed before", where, name); }
        rank_of_lp[found->second] = rank;
    }
    for (std::size_t id = 0; id < rank_of_lp.size(); ++id) {
        if (rank_of_lp[id] < 0) {
            throw InputError("{} does not place {}; every logical process needs a line NAME RANK", file,
                             model.processes()[id].name);
        }
    }
    return rank_of_lp;
}

}  // namespace lookahead
