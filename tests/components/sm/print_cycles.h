#pragma once

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "core/time/time.h"

/// Lets doctest print lists of cycles.
template <>
struct doctest::StringMaker<std::vector<lookahead::Cycle>> {
    static String convert(const std::vector<lookahead::Cycle>& cycles) {
        std::string text = "{";
        for (const lookahead::Cycle cycle : cycles) {
            text += ' ';
            text += std::to_string(cycle);
        }
        text += " }";
        return text.c_str();
    }
};
