#pragma once

// Named points at which a test takes a rule away, to check that the suite detects the loss.
//
//     if (copies != 0 && LOOKAHEAD_RULE(store_updates_copy)) { ... }
//
// In the product LOOKAHEAD_RULE is the constant `true` and leaves no trace. In the mutation build (LOOKAHEAD_MUTATIONS;
// see lookahead_test's MUTATIONS and lookahead_mutations in cluster/cmake/Lookahead.cmake) it reads a switch. A point
// is a conjunct of a condition that the product has, and nothing else: tests/mutation/point_form.py refuses any other
// form. A rule may have several points, which one switch controls together. Points are in sources and never in headers:
// a program may hold objects of both builds, and a header's definitions must be the same in both.

#ifndef LOOKAHEAD_MUTATIONS

#define LOOKAHEAD_RULE(name) true

#else

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#define LOOKAHEAD_RULE(name) (::lookahead::mutation::RuleNamed<#name>::rule.holds)

namespace lookahead::mutation {

/// The switch of a rule. Its constructor, which runs before main(), adds it to the list of all switches.
struct Rule {
    explicit Rule(const char* its_name) : name(its_name), next(first()) { first() = this; }
    Rule(const Rule&) = delete;
    Rule& operator=(const Rule&) = delete;

    static Rule*& first() {
        static Rule* head = nullptr;
        return head;
    }

    std::string_view name;
    bool holds = true;
    Rule* next;
};

template <std::size_t kSize>
struct RuleName {
    consteval RuleName(const char (&literal)[kSize]) {
        for (std::size_t i = 0; i < kSize; ++i) { text[i] = literal[i]; }
    }
    char text[kSize] = {};
};

template <RuleName kName>
struct RuleNamed {
    static inline Rule rule{kName.text};
};

/// The names of all rules of the program.
inline std::vector<std::string> rules() {
    std::vector<std::string> names;
    for (const Rule* rule = Rule::first(); rule != nullptr; rule = rule->next) { names.emplace_back(rule->name); }
    return names;
}

/// Switches the rule off during the lifetime of this object. Throws std::invalid_argument if the program has no rule of
/// this name.
class Without {
  public:
    explicit Without(std::string_view name) : rule_(find(name)) { rule_.holds = false; }
    ~Without() { rule_.holds = true; }
    Without(const Without&) = delete;
    Without& operator=(const Without&) = delete;

  private:
    static Rule& find(std::string_view name) {
        for (Rule* rule = Rule::first(); rule != nullptr; rule = rule->next) {
            if (rule->name == name) { return *rule; }
        }
        throw std::invalid_argument(fmt::format("there is no rule \"{}\" to remove", name));
    }

    Rule& rule_;
};

}  // namespace lookahead::mutation

#endif
