#pragma once

#include <span>
#include <string_view>

namespace lookahead {

/// What a workload's `workload.toml` says of it: the manifest is all of these together. Empty: the paper does not use
/// the workload, or does not class it.
struct ManifestEntry {
    std::string_view name;
    std::string_view description;
    std::string_view suite;                 ///< and what it is called there
    std::string_view caps, caps_class;      ///< "regular" or "irregular"
    std::string_view pmode, pmode_class;    ///< "Type-L" or "Type-M"
    std::string_view dac, dac_class;        ///< "compute" or "memory"
    std::string_view vecmem, vecmem_class;  ///< what it uses: "stride", "shared stride", "indirect"; two with "and"
    std::string_view avc, avc_class;        ///< "high pressure" from 8 registers without spills on, or "low pressure"
};

/// In the order of their names.
std::span<const ManifestEntry> workload_manifest();

}  // namespace lookahead
