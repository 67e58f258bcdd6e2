#include <doctest/doctest.h>

#include <cstring>
#include <functional>
#include <limits>
#include <numeric>

#include "core/error/error.h"
#include "core/hdf5/file.h"
#include "tests/core/error/error_of.h"
#include "tests/core/hdf5/temporary_folder.h"

namespace lookahead::hdf5 {
namespace {

void round_trip(const std::function<void(Group)>& write, const std::function<void(Group)>& read) {
    const TemporaryFolder folder;
    OutputFile output(folder.file("a.h5"));
    write(output.root());
    output.commit();
    read(InputFile(folder.file("a.h5")).root());
}

constexpr Meaning kCycles{"cycle", "Cycles with work."};

TEST_CASE("a column comes back with its type, units and description") {
    const std::vector<std::uint64_t> values{0, 1, std::numeric_limits<std::uint64_t>::max()};
    round_trip(
        [&](Group root) { root.create_group("counters").write_column<std::uint64_t>("cycles", values, kCycles); },
        [&](Group root) {
            const Dataset column = root.open_dataset("counters/cycles");
            CHECK(column.type() == ElementType::uint64);
            CHECK(column.shape() == std::vector<std::uint64_t>{3});
            CHECK(column.read<std::uint64_t>() == values);
            CHECK(column.text_attribute("units") == "cycle");
            CHECK(column.text_attribute("description") == "Cycles with work.");
            CHECK(column.name() == "/counters/cycles");
        });
}

TEST_CASE("every element type is told apart") {
    round_trip(
        [](Group root) {
            root.write_scalar<std::int32_t>("i32", -1, {"", "x"});
            root.write_scalar<std::int64_t>("i64", -2, {"", "x"});
            root.write_scalar<std::uint32_t>("u32", 3, {"", "x"});
            root.write_scalar<std::uint64_t>("u64", 4, {"", "x"});
            root.write_scalar<double>("f64", 0.1, {"", "x"});
            root.write_scalar("flag", true, {"", "x"});
            root.write_scalar("text", std::string_view("é"), {"", "x"});
        },
        [](Group root) {
            CHECK(root.open_dataset("i32").type() == ElementType::int32);
            CHECK(root.open_dataset("i64").read<std::int64_t>() == std::vector<std::int64_t>{-2});
            CHECK(root.open_dataset("u32").type() == ElementType::uint32);
            CHECK(root.open_dataset("u64").type() == ElementType::uint64);
            CHECK(root.open_dataset("f64").read<double>() == std::vector<double>{0.1});
            CHECK(root.open_dataset("flag").type() == ElementType::boolean);
            CHECK(root.open_dataset("flag").read_bytes() == std::vector<std::byte>{std::byte{1}});
            CHECK(root.open_dataset("text").read_texts() == std::vector<std::string>{"é"});
            CHECK(root.open_dataset("text").shape().empty());
            CHECK(root.names() == std::vector<std::string>{"f64", "flag", "i32", "i64", "text", "u32", "u64"});
        });
}

TEST_CASE("a large array is compressed and comes back whole") {
    std::vector<double> values(300 * 70);
    std::iota(values.begin(), values.end(), 0.25);
    const std::uint64_t shape[] = {300, 70};
    round_trip(
        [&](Group root) {
            root.write_array<double>("x", values, shape, {"", "x"});
        },
        [&](Group root) {
            CHECK(root.open_dataset("x").shape() == std::vector<std::uint64_t>{300, 70});
            CHECK(root.open_dataset("x").read<double>() == values);
        });
    const TemporaryFolder folder;
    OutputFile output(folder.file("zeros.h5"));
    const std::vector<std::uint64_t> zeros(1'000'000);
    output.root().write_column<std::uint64_t>("zeros", zeros, {"", "x"});
    output.commit();
    CHECK(std::filesystem::file_size(folder.file("zeros.h5")) < 100'000);
}

TEST_CASE("values that do not fill the shape are an internal error") {
    const TemporaryFolder folder;
    OutputFile output(folder.file("a.h5"));
    const std::vector<double> values(5);
    const std::uint64_t shape[] = {2, 3};
    CHECK_THROWS_AS(output.root().write_array<double>("x", values, shape, {"", "x"}), InternalError);
}

TEST_CASE("empty columns and texts are kept") {
    const std::vector<std::string> texts{"", "two words", "日本"};
    round_trip(
        [&](Group root) {
            root.write_column<double>("none", {}, {"", "x"});
            root.write_texts("no_texts", {}, {"", "x"});
            root.write_texts("texts", texts, {"", "x"});
        },
        [&](Group root) {
            CHECK(root.open_dataset("none").shape() == std::vector<std::uint64_t>{0});
            CHECK(root.open_dataset("none").read<double>().empty());
            CHECK(root.open_dataset("no_texts").read_texts().empty());
            CHECK(root.open_dataset("texts").read_texts() == texts);
        });
}

TEST_CASE("attributes of every type come back") {
    const std::vector<std::string> words{"run", "vecadd", ""};
    round_trip(
        [&](Group root) {
            root.set_attribute("text", "é");
            root.set_attribute("empty", "");
            root.set_attribute("words", std::span<const std::string>(words));
            root.set_attribute("no_words", std::span<const std::string>());
            root.set_attribute("signed", std::int64_t{-3});
            root.set_attribute("unsigned", std::numeric_limits<std::uint64_t>::max());
            root.set_attribute("real", 0.1);
            root.set_attribute("long", std::string(100'000, 'x'));
        },
        [&](Group root) {
            CHECK(root.text_attribute("text") == "é");
            CHECK(root.text_attribute("empty").empty());
            CHECK(root.attribute("words") == AttributeValue(words));
            CHECK(root.attribute("no_words") == AttributeValue(std::vector<std::string>{}));
            CHECK(root.attribute("signed") == AttributeValue(std::int64_t{-3}));
            CHECK(root.attribute("unsigned") == AttributeValue(std::numeric_limits<std::uint64_t>::max()));
            CHECK(root.attribute("real") == AttributeValue(0.1));
            CHECK(root.text_attribute("long").size() == 100'000);
            CHECK(root.attribute_names().size() == 8);
            CHECK_FALSE(root.has_attribute("other"));
        });
}

TEST_CASE("a dimension scale is attached to the columns of its dimension") {
    const std::vector<std::string> names{"sm0", "sm1"};
    const std::vector<std::uint64_t> cycles{5, 6};
    round_trip(
        [&](Group root) {
            Dataset scale = root.write_texts("component", names, {"", "Components."});
            scale.make_scale("component");
            root.write_column<std::uint64_t>("cycles", cycles, kCycles).attach_scale(0, scale);
            root.write_column<std::uint64_t>("alone", cycles, kCycles);
        },
        [](Group root) {
            const Dataset scale = root.open_dataset("component");
            CHECK(scale.is_scale());
            CHECK(root.open_dataset("cycles").has_scale(0, scale));
            CHECK_FALSE(root.open_dataset("alone").has_scale(0, scale));
            CHECK_FALSE(root.open_dataset("cycles").is_scale());
        });
}

TEST_CASE("a scale attached to many columns at once is attached to each, and to more afterwards") {
    const std::vector<std::uint64_t> cycles{5, 6};
    round_trip(
        [&](Group root) {
            Dataset scale = root.write_column<std::uint64_t>("component", cycles, {"", "Components."});
            scale.make_scale("component");
            std::vector<Dataset> columns;
            for (int i = 0; i < 300; ++i) {
                columns.push_back(root.write_column<std::uint64_t>("c" + std::to_string(i), cycles, kCycles));
            }
            attach_scales(columns, {&scale});
            root.write_column<std::uint64_t>("later", cycles, kCycles).attach_scale(0, scale);
            root.write_column<std::uint64_t>("alone", cycles, kCycles);
        },
        [](Group root) {
            const Dataset scale = root.open_dataset("component");
            for (int i = 0; i < 300; ++i) { CHECK(root.open_dataset("c" + std::to_string(i)).has_scale(0, scale)); }
            CHECK(root.open_dataset("later").has_scale(0, scale));
            CHECK_FALSE(root.open_dataset("alone").has_scale(0, scale));
        });
}

TEST_CASE("each dimension of many arrays gets its scale at once") {
    const std::vector<std::uint64_t> values{1, 2, 3, 4, 5, 6};
    round_trip(
        [&](Group root) {
            Dataset row = root.write_column<std::uint64_t>("row", std::span(values).first(2), {"", "Rows."});
            Dataset column = root.write_column<std::uint64_t>("column", std::span(values).first(3), {"", "Columns."});
            row.make_scale("row");
            column.make_scale("column");
            const std::uint64_t shape[] = {2, 3};
            std::vector<Dataset> arrays;
            arrays.push_back(root.write_array<std::uint64_t>("a", values, shape, kCycles));
            arrays.push_back(root.write_array<std::uint64_t>("b", values, shape, kCycles));
            attach_scales(arrays, {&row, &column});
            root.write_column<std::uint64_t>("c", std::span(values).first(3), kCycles).attach_scale(0, column);
        },
        [](Group root) {
            const Dataset row = root.open_dataset("row");
            const Dataset column = root.open_dataset("column");
            for (const char* name : {"a", "b"}) {
                CHECK(root.open_dataset(name).has_scale(0, row));
                CHECK(root.open_dataset(name).has_scale(1, column));
                CHECK_FALSE(root.open_dataset(name).has_scale(0, column));
                CHECK_FALSE(root.open_dataset(name).has_scale(1, row));
            }
            CHECK(root.open_dataset("c").has_scale(0, column));
        });
}

TEST_CASE("what is missing or of another kind is an input error with the file's path") {
    round_trip(
        [](Group root) {
            root.write_scalar<double>("x", 1, {"", "x"});
        },
        [](Group root) {
            const std::string path = root.file_name();
            CHECK_THROWS_AS(root.open_group("missing"), InputError);
            CHECK_THROWS_AS(root.open_dataset("missing"), InputError);
            CHECK_THROWS_AS(root.open_dataset("x").read_texts(), InputError);
            CHECK_THROWS_WITH_AS(root.text_attribute("schema"), (path + ": / has no attribute \"schema\"").c_str(),
                                 InputError);
            CHECK(root.kind_of("x") == LinkKind::dataset);
            CHECK(test::error_of<InputError>([&] {
                      root.open_dataset("missing");
                  }).starts_with(path + ": cannot open dataset missing: "));
        });
}

}  // namespace
}  // namespace lookahead::hdf5
