#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace lookahead::test {

/// Draws random programs' text from patterns. In a pattern `<add|sub||mul>` stands for one of the texts between the
/// bars, `<-2..9>` for a number of the range, `<0..15*4>` for four times such a number, and `<name>` for one of the
/// patterns with this name.
class RandomText {
  public:
    using Names = std::map<std::string, std::vector<std::string>, std::less<>>;

    RandomText(std::uint64_t seed, Names patterns) : names(std::move(patterns)), random_(seed) {}

    unsigned below(unsigned end) { return static_cast<unsigned>(random_() % end); }
    bool one_in(unsigned times) { return below(times) == 0; }

    std::string fill(std::string_view pattern) {
        std::string text;
        while (true) {
            const std::size_t open = pattern.find('<'), close = pattern.find('>', open);
            text += pattern.substr(0, open);
            if (open == std::string_view::npos) { return text; }
            text += draw(std::string(pattern.substr(open + 1, close - open - 1)));
            pattern.remove_prefix(close + 1);
        }
    }

    Names names;

  private:
    std::string draw(const std::string& what) {
        if (const auto named = names.find(what); named != names.end()) {
            return fill(named->second[below(static_cast<unsigned>(named->second.size()))]);
        }
        int first = 0, last = 0, factor = 1;
        if (std::sscanf(what.c_str(), "%d..%d*%d", &first, &last, &factor) >= 2) {
            return std::to_string((first + static_cast<int>(below(static_cast<unsigned>(last - first + 1)))) * factor);
        }
        std::size_t begin = 0;
        for (unsigned skip = below(1 + static_cast<unsigned>(std::ranges::count(what, '|'))); skip > 0; --skip) {
            begin = what.find('|', begin) + 1;
        }
        return what.substr(begin, what.find('|', begin) - begin);
    }

    std::mt19937_64 random_;
};

}  // namespace lookahead::test
