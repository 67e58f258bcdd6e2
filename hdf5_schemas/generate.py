#!/usr/bin/env python3
"""Checks the schemas and makes the C++ files that hold their names and texts.

    generate.py --header-folder DIR --source FILE SCHEMA...
"""

import argparse
import json
import pathlib
import re
import sys

ATTRIBUTE_TYPES = {"text", "texts", "int64", "uint64", "float64"}
DATASET_TYPES = {"boolean", "int32", "int64", "uint32", "uint64", "float64", "text"}
GROUP_MEMBERS = {"description", "since", "attributes", "datasets", "groups", "relations"}
DATASET_MEMBERS = {"type", "types", "dimensions", "scale", "units", "description", "long_name", "since", "attributes"}
ATTRIBUTE_MEMBERS = {"type", "values", "description", "since"}


class SchemaError(Exception):
    pass


def require(condition, place, sentence):
    if not condition:
        raise SchemaError(f"{place}: {sentence}")


def check_attribute(place, attribute):
    require(set(attribute) <= ATTRIBUTE_MEMBERS, place, f"unknown members {set(attribute) - ATTRIBUTE_MEMBERS}")
    require(attribute.get("type") in ATTRIBUTE_TYPES, place, f"type is not one of {sorted(ATTRIBUTE_TYPES)}")
    require(attribute.get("description"), place, "there is no description")


def check_dataset(place, name, dataset):
    require(set(dataset) <= DATASET_MEMBERS, place, f"unknown members {set(dataset) - DATASET_MEMBERS}")
    types = dataset.get("types", [dataset.get("type")])
    require(set(types) <= DATASET_TYPES, place, f"type is not one of {sorted(DATASET_TYPES)}")
    require("dimensions" in dataset, place, "there are no dimensions")
    if dataset.get("scale"):
        require(dataset["dimensions"] == [name], place, "a scale has the name of its dimension")
    require("long_name" not in dataset or is_drawn(dataset), place, "a long name is of an array of numbers")
    for attribute_name, attribute in dataset.get("attributes", {}).items():
        check_attribute(f"{place}@{attribute_name}", attribute)


def check_group(place, group):
    require(set(group) <= GROUP_MEMBERS, place, f"unknown members {set(group) - GROUP_MEMBERS}")
    require(group.get("description"), place, "there is no description")
    for name, attribute in group.get("attributes", {}).items():
        check_attribute(f"{place}@{name}", attribute)
    for name, dataset in group.get("datasets", {}).items():
        check_dataset(f"{place}/{name}", name, dataset)
    dimensions = {d for dataset in group.get("datasets", {}).values() for d in dataset["dimensions"]}
    for relation in group.get("relations", []):
        require(set(relation) == {"dimension", "is", "plus"}, place, "a relation has dimension, is and plus")
        require({relation["dimension"], relation["is"]} <= dimensions, place, "a relation is of unknown dimensions")
    for name, inner in group.get("groups", {}).items():
        check_group(f"{place}/{name}", inner)


def version_of(text):
    return tuple(int(part) for part in text.split("."))


def check_since(place, rule, newest):
    """Checks the `since` of a member and of all members in it: a minor version has those without a later `since`."""
    if "since" in rule:
        require(re.fullmatch(r"\d+\.\d+", rule["since"]), place, "since is not major.minor")
        since = version_of(rule["since"])
        require(since[0] == newest[0] and (newest[0], 0) < since <= newest, place,
                "since is not a later minor version than the first, up to the schema's own")
    for kind, mark in (("attributes", "@"), ("datasets", "/"), ("groups", "/")):
        for name, inner in rule.get(kind, {}).items():
            require(name != "*" or "since" not in inner, f"{place}{mark}{name}", "only a named member has a since")
            check_since(f"{place}{mark}{name}", inner, newest)


def check_schema(path, schema):
    require(set(schema) - {"long_names_since"} == {"id", "version", "description", "root"}, path,
            "it needs id, version, description, root, and may have long_names_since")
    require(re.fullmatch(r"\d+\.\d+", schema["version"]), path, "the version is not major.minor")
    check_group(path, schema["root"])
    check_since(path, schema["root"], version_of(schema["version"]))
    if "long_names_since" in schema:
        check_since(path, {"since": schema["long_names_since"]}, version_of(schema["version"]))
    attributes = schema["root"].get("attributes", {})
    require(attributes.get("schema", {}).get("values") == [schema["id"]], path, "@schema does not have the id")
    require("values" not in attributes.get("schema_version", {"values": []}), path,
            "@schema_version is missing, or has values: a file may be of an earlier version")


def camel(*words):
    parts = [part for word in words for part in re.split(r"[^A-Za-z0-9]+", word) if part]
    return "".join(part[0].upper() + part[1:] for part in parts)


def quoted(text):
    return json.dumps(text, ensure_ascii=False)


def is_drawn(dataset):
    """Whether viewers draw the dataset: whether it is an array of numbers."""
    return bool(dataset["dimensions"]) and "text" not in dataset.get("types", [dataset.get("type")])


def long_name(name, dataset):
    return dataset.get("long_name", name.replace("_", " ")) if is_drawn(dataset) else ""


def group_constants(path, group, with_long_names):
    """The lines for the attributes and the datasets with fixed names of a group and of all groups in it."""
    lines = []
    for name in group.get("attributes", {}):
        lines.append(f"inline constexpr const char* k{camel(path, name)}Attribute = {quoted(name)};")
    for name, dataset in group.get("datasets", {}).items():
        if name == "*":
            continue
        lines.append(f"inline constexpr DatasetName k{camel(path, name)}{{{quoted(name)}, "
                     f"{quoted(dataset.get('units', ''))}, {quoted(dataset.get('description', ''))}, "
                     f"{quoted(long_name(name, dataset) if with_long_names else '')}}};")
    for name, inner in group.get("groups", {}).items():
        if name != "*":
            lines.append(f"inline constexpr const char* k{camel(path, name)}Group = {quoted(name)};")
        lines += group_constants(f"{path} {'each' if name == '*' else name}", inner, with_long_names)
    return lines


def header(schema, file_name):
    namespace = schema["id"].split(".")[-1] + "_schema"
    lines = [f"// Made by hdf5_schemas/generate.py from {file_name}.", "#pragma once", "",
             '#include "hdf5_schemas/dataset_name.h"', "", f"namespace lookahead::{namespace} {{", "",
             f"inline constexpr const char* kId = {quoted(schema['id'])};",
             f"inline constexpr const char* kVersion = {quoted(schema['version'])};", ""]
    lines += group_constants("", schema["root"], "long_names_since" in schema)
    lines += ["", f"}}  // namespace lookahead::{namespace}", ""]
    return "\n".join(lines)


def source(schemas):
    lines = ["// Made by hdf5_schemas/generate.py.", '#include "hdf5_schemas/embedded_schemas.h"', "",
             "namespace lookahead {", "", "std::span<const EmbeddedSchema> embedded_schemas() {",
             "    static constexpr EmbeddedSchema kSchemas[] = {"]
    for schema in schemas:
        lines.append(f"        {{{quoted(schema['id'])}, R\"schema({json.dumps(schema)})schema\"}},")
    lines += ["    };", "    return kSchemas;", "}", "", "}  // namespace lookahead", ""]
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--header-folder", type=pathlib.Path, required=True)
    parser.add_argument("--source", type=pathlib.Path, required=True)
    parser.add_argument("schemas", type=pathlib.Path, nargs="+")
    arguments = parser.parse_args()

    schemas = []
    arguments.header_folder.mkdir(parents=True, exist_ok=True)
    for path in arguments.schemas:
        schema = json.loads(path.read_text())
        check_schema(path.name, schema)
        schemas.append(schema)
        name = path.name.replace(".schema.json", "_schema.h")
        (arguments.header_folder / name).write_text(header(schema, path.name))
    arguments.source.write_text(source(schemas))


if __name__ == "__main__":
    try:
        main()
    except (SchemaError, json.JSONDecodeError, OSError) as error:
        sys.exit(f"generate.py: {error}")
