#include "core/text/readable_name.h"

#include <doctest/doctest.h>

namespace lookahead {
namespace {

TEST_CASE("a mangled name reads as in the source, and any other stays") {
    CHECK(readable_name("_Z5scalePfi") == "scale(float*, int)");
    CHECK(readable_name("scale") == "scale");
    CHECK(readable_name("_Zebra") == "_Zebra");
    CHECK(readable_name("i") == "i");  // the mangled name of a type
}

TEST_CASE("a short name has no return type, and its parameters while there is room") {
    CHECK(short_name("_Z5scalePfi") == "scale(float*, int)");
    CHECK(short_name("_Z3addIfEvPKT_PS0_i") == "add<float>(float const*, float*, int)");
    CHECK(short_name("_Z3addIfEvPKT_PS0_i", 38) == "add<float>(float const*, float*, int)");
    CHECK(short_name("_Z3addIfEvPKT_PS0_i", 36) == "add<float>");
    CHECK(short_name("_Z3addIfEvPKT_PS0_i", 9) == "add<..>");
    CHECK(short_name("_ZN2ns5scaleEPfi", 9) == "ns::scale");
    CHECK(short_name("_ZN2ns5scaleEPfi", 8) == "scale");
    CHECK(short_name("_ZN12_GLOBAL__N_15scaleEPfi", 30) == "(anonymous namespace)::scale");
    CHECK(short_name("a_name_that_no_compiler_made_and_that_is_longer_than_sixty_characters") ==
          "a_name_that_no_compiler_made_and_that_is_longer_than_sixty_characters");
}

TEST_CASE("every mangled name of a text is shortened, and nothing else") {
    CHECK(with_short_names("launch of _Z5scalePfi: it and '_Z3addIfEvPKT_PS0_i'") ==
          "launch of scale(float*, int): it and 'add<float>(float const*, float*, int)'");
    CHECK(with_short_names("") == "");
    CHECK(with_short_names("no names, MAX_Z, _Zebra and _Z") == "no names, MAX_Z, _Zebra and _Z");
    CHECK(with_short_names("_Z5scalePfi") == "scale(float*, int)");
}

}  // namespace
}  // namespace lookahead
