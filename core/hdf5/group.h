#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/hdf5/dataset.h"
#include "core/hdf5/object.h"

namespace lookahead::hdf5 {

enum class LinkKind { group, dataset, other };

class Group : public Object {
  public:
    using Object::Object;

    Group open_group(std::string_view name) const;
    Dataset open_dataset(std::string_view name) const;

    bool has(std::string_view name) const;
    std::vector<std::string> names() const;  ///< in alphabetical order
    LinkKind kind_of(std::string_view name) const;
};

}  // namespace lookahead::hdf5
