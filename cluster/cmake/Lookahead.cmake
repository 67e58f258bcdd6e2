# Compiler settings, packages, and the functions that declare the project's libraries and tests.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()

set(LOOKAHEAD_SANITIZE "" CACHE STRING "value for -fsanitize=, or empty")

# One baseline for every host, so that a run's result cannot depend on the machine that computed it.
add_compile_options(-march=x86-64-v3 -ffp-contract=off -Wall -Wextra -Wpedantic -Wshadow -Werror)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 reports overruns where strings are joined. It hides such reports about system headers, but not if these are
  # precompiled.
  add_compile_options(-Wno-array-bounds -Wno-restrict -Wno-stringop-overflow -Wno-stringop-overread)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  # Clang does not know the pragmas and attributes that guide GCC's vectoriser. Clang builds are for fuzzing only.
  add_compile_options(-Wno-unknown-pragmas -Wno-unknown-attributes)
endif()
if(CMAKE_UNITY_BUILD AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options(-Wno-subobject-linkage)  # a source that another includes is not a header
endif()
add_compile_definitions(TOML_HEADER_ONLY=0)
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -ftree-vectorize -g1 -DNDEBUG")
if(LOOKAHEAD_SANITIZE)
  # GCC 12 takes the code that sanitizers add to a std::optional's moves for a read of uninitialised memory.
  add_compile_options(-fsanitize=${LOOKAHEAD_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all
                      -Wno-error=maybe-uninitialized)
  add_link_options(-fsanitize=${LOOKAHEAD_SANITIZE})
endif()

# A design-space point takes tens of milliseconds. Loading HDF5's shared library would take six of them, because it
# brings network and cryptography libraries for drivers that are not used here.
add_link_options(-Wl,--as-needed)
set(HDF5_USE_STATIC_LIBRARIES ON)
set(Boost_USE_STATIC_LIBS ON)

set(MPI_CXX_SKIP_MPICXX ON)
find_package(MPI 3.1 REQUIRED COMPONENTS CXX)
set(HDF5_PREFER_PARALLEL OFF)
find_package(HDF5 1.10 REQUIRED COMPONENTS C HL)
find_package(ZLIB REQUIRED)
find_library(LOOKAHEAD_LZMA lzma REQUIRED)
find_library(LOOKAHEAD_ZSTD zstd REQUIRED)
find_package(Boost 1.74 REQUIRED COMPONENTS serialization)
find_package(benchmark REQUIRED)
find_package(doctest REQUIRED)
find_package(CLI11 REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(Threads REQUIRED)

# ccache takes a unit's headers from the compiler's dependency file instead of preprocessing each unit a second time, and has
# to be told that the time stamps in a precompiled header do not matter.
find_program(LOOKAHEAD_CCACHE ccache)
if(LOOKAHEAD_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_DEPEND=1
    CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${LOOKAHEAD_CCACHE})
  add_compile_options($<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)
endif()

# The headers of the standard library that most files include are compiled once, for all targets. Each costs a unit that
# does not use it one to ten milliseconds; <filesystem>, the streams, <chrono> and <thread> would cost it 60 to 110,
# because they leave instantiations to the end of each unit. -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON builds without them.
set(standard_headers
  <algorithm> <array> <bit> <cmath> <cstddef> <cstdint> <cstdio> <cstdlib> <cstring> <deque> <exception> <functional>
  <iterator> <limits> <map> <memory> <numeric> <optional> <set> <span> <stdexcept> <string> <string_view> <tuple>
  <type_traits> <unordered_map> <utility> <variant> <vector> <immintrin.h> <fmt/core.h>)
file(WRITE ${PROJECT_BINARY_DIR}/generated/standard_headers.cpp "")
foreach(headers standard_headers test_headers)
  add_library(${headers} OBJECT ${PROJECT_BINARY_DIR}/generated/standard_headers.cpp)
  target_link_libraries(${headers} PRIVATE fmt::fmt)
  target_precompile_headers(${headers} PRIVATE ${standard_headers})
endforeach()
# Tests draw random numbers. Their assertions are calls, because inlined ones take a tenth more time to compile.
target_precompile_headers(test_headers PRIVATE <random> <doctest/doctest.h>)
target_compile_definitions(test_headers PRIVATE DOCTEST_CONFIG_SUPER_FAST_ASSERTS)

# lookahead_source_options(OPTIONS options ... SOURCES files ...): sets compiler options for some sources of a folder.
# These do not use the precompiled header, which was made without the options.
function(lookahead_source_options)
  cmake_parse_arguments(ARG "" "" "SOURCES;OPTIONS" ${ARGN})
  set_source_files_properties(${ARG_SOURCES} PROPERTIES COMPILE_OPTIONS "${ARG_OPTIONS}" SKIP_PRECOMPILE_HEADERS ON)
endfunction()

# Moves the sources with points of mutation (core/mutation/rule.h) from the list named `sources` to the one named `mutated`.
# Sources are read when the build is configured. If a source gets its first point later, or loses its last one, the
# build does not configure itself again: tests/mutation/test_without_rules.py asks for it.
function(lookahead_part_mutated sources mutated)
  set(without "")
  set(with "")
  foreach(source ${${sources}})
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} NORMALIZE OUTPUT_VARIABLE path)
    set(point "")
    if(EXISTS ${path})
      file(STRINGS ${path} point REGEX "LOOKAHEAD_RULE" LIMIT_COUNT 1)
    endif()
    if(point)
      list(APPEND with ${source})
      cmake_path(RELATIVE_PATH path BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
      set_property(GLOBAL APPEND PROPERTY LOOKAHEAD_MUTATED_SOURCES ${path})
    else()
      list(APPEND without ${source})
    endif()
  endforeach()
  set(${sources} ${without} PARENT_SCOPE)
  set(${mutated} ${with} PARENT_SCOPE)
endfunction()

# The sources of a declaration: those given, by their names in FOLDER, or all of FOLDER.
function(lookahead_sources result folder)
  if(ARGN)
    set(sources ${ARGN})
    if(folder)
      list(TRANSFORM sources PREPEND ${folder}/)
    endif()
  else()
    file(GLOB sources CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.cpp)
  endif()
  set(${result} ${sources} PARENT_SCOPE)
endfunction()

# lookahead_library(NAME [FOLDER f] [SOURCES ...] [DEPENDS ...] [PRIVATE_DEPENDS ...])
# Makes one library for one folder: an OBJECT library, so that the linker keeps the statements that register variants. A
# folder without sources has only headers, which include no other library's. NAME_rules has the objects of the sources
# with points of mutation, and NAME_rules_mutated has them a second time for the tests that take rules away.
function(lookahead_library name)
  cmake_parse_arguments(ARG "" "FOLDER" "SOURCES;DEPENDS;PRIVATE_DEPENDS" ${ARGN})
  lookahead_sources(ARG_SOURCES "${ARG_FOLDER}" ${ARG_SOURCES})
  lookahead_part_mutated(ARG_SOURCES rules)
  set(compiled "")
  if(ARG_SOURCES)
    add_library(${name} OBJECT ${ARG_SOURCES})
    set(compiled ${name})
  else()
    add_library(${name} INTERFACE)
    target_include_directories(${name} INTERFACE ${PROJECT_SOURCE_DIR})
  endif()
  if(rules)
    add_library(${name}_rules OBJECT ${rules})
    set_target_properties(${name}_rules PROPERTIES UNITY_BUILD OFF)  # sgemm was simulated 5 % slower with them as one unit
    add_library(${name}_rules_mutated OBJECT EXCLUDE_FROM_ALL ${rules})
    target_compile_definitions(${name}_rules_mutated PRIVATE LOOKAHEAD_MUTATIONS)
    target_compile_options(${name}_rules_mutated PRIVATE $<$<CONFIG:Release>:-O1>)
    list(APPEND compiled ${name}_rules ${name}_rules_mutated)
  endif()
  foreach(target ${compiled})
    target_include_directories(${target} PUBLIC ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/generated)
    target_link_libraries(${target} PUBLIC ${ARG_DEPENDS} fmt::fmt PRIVATE ${ARG_PRIVATE_DEPENDS})
    target_precompile_headers(${target} REUSE_FROM standard_headers)
  endforeach()
  if(rules AND ARG_SOURCES)
    target_link_libraries(${name} PUBLIC ${name}_rules)
  elseif(rules)
    target_link_libraries(${name} INTERFACE ${name}_rules)
  endif()
endfunction()

# lookahead_run_once(NAME ...): libraries that do nothing while a simulation runs. With less optimisation they take a fifth
# less time to compile, and a run takes no longer.
function(lookahead_run_once)
  foreach(name ${ARGN})
    target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1>)
  endforeach()
endfunction()

# The names of all OBJECT libraries that `targets` need, themselves included.
function(lookahead_closure result)
  set(open ${ARGN})
  set(closed "")
  while(open)
    list(POP_FRONT open target)
    if(TARGET ${target} AND NOT target IN_LIST closed)
      get_target_property(type ${target} TYPE)
      if(type STREQUAL "OBJECT_LIBRARY")
        list(APPEND closed ${target})
        get_target_property(links ${target} LINK_LIBRARIES)
      else()
        get_target_property(links ${target} INTERFACE_LINK_LIBRARIES)
      endif()
      if(links)
        list(APPEND open ${links})
      endif()
    endif()
  endwhile()
  set(${result} ${closed} PARENT_SCOPE)
endfunction()

# lookahead_program(NAME [FOLDER f] [SOURCES ...] LIBRARIES ... [MUTATIONS] [HEADERS target]): links the objects of
# LIBRARIES and of all libraries on which they depend; with MUTATIONS the objects of the mutation build where there are
# such. HEADERS is the target with the precompiled header, standard_headers by default.
function(lookahead_program name)
  cmake_parse_arguments(ARG "MUTATIONS" "FOLDER;HEADERS" "SOURCES;LIBRARIES" ${ARGN})
  lookahead_sources(ARG_SOURCES "${ARG_FOLDER}" ${ARG_SOURCES})
  if(NOT ARG_HEADERS)
    set(ARG_HEADERS standard_headers)
  endif()
  add_executable(${name} ${ARG_SOURCES})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/generated)
  target_precompile_headers(${name} REUSE_FROM ${ARG_HEADERS})
  lookahead_closure(objects ${ARG_LIBRARIES})
  if(ARG_MUTATIONS)
    target_compile_definitions(${name} PRIVATE LOOKAHEAD_MUTATIONS)
    list(TRANSFORM objects REPLACE "_rules$" "_rules_mutated")
  endif()
  foreach(object ${objects})
    target_sources(${name} PRIVATE $<TARGET_OBJECTS:${object}>)
  endforeach()
  target_link_libraries(${name} PRIVATE ${ARG_LIBRARIES} ${objects} fmt::fmt)
  if(core_transport IN_LIST objects)
    add_dependencies(${name} lookahead_mpi)  # the program loads it under mpirun
  endif()
endfunction()

# lookahead_test(NAME [APART] [FOLDER f] [SOURCES ...] LIBRARIES ... [MUTATIONS] [RANKS n ...] [LABELS ...] [TIMES n])
# Makes a test of a doctest program; with RANKS it runs under mpirun once for each number of ranks, with MUTATIONS it
# may take rules away. APART: no unit may hold several of its sources, because they give different things the same name.
# TIMES: adds a long test NAME.all with LOOKAHEAD_TEST_TIMES=n, which tries all cases from which the test otherwise
# draws some.
function(lookahead_test name)
  cmake_parse_arguments(ARG "MUTATIONS;APART" "FOLDER;TIMES" "SOURCES;LIBRARIES;RANKS;LABELS" ${ARGN})
  lookahead_sources(ARG_SOURCES "${ARG_FOLDER}" ${ARG_SOURCES})
  if(ARG_RANKS)
    set(main tests_mpi_main)
  else()
    set(main tests_main)
  endif()
  set(mutations "")
  if(ARG_MUTATIONS)
    set(mutations MUTATIONS)
  endif()
  lookahead_program(${name} SOURCES ${ARG_SOURCES} LIBRARIES ${main} ${ARG_LIBRARIES} ${mutations} HEADERS test_headers)
  set_target_properties(${name} PROPERTIES LOOKAHEAD_LIBRARIES "${ARG_LIBRARIES}")
  if(ARG_APART)
    set_target_properties(${name} PROPERTIES UNITY_BUILD OFF)
  endif()
  target_link_libraries(${name} PRIVATE doctest::doctest MPI::MPI_CXX)
  target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1>)  # assertions compile in two thirds of the time
  target_compile_definitions(${name} PRIVATE DOCTEST_CONFIG_SUPER_FAST_ASSERTS
    LOOKAHEAD_SOURCE_DIR="${PROJECT_SOURCE_DIR}" LOOKAHEAD_BINARY_DIR="${PROJECT_BINARY_DIR}")
  if(ARG_RANKS)
    foreach(ranks ${ARG_RANKS})
      add_test(NAME ${name}.ranks${ranks}
        COMMAND ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} ${ranks} --oversubscribe $<TARGET_FILE:${name}>)
      set_tests_properties(${name}.ranks${ranks} PROPERTIES LABELS "${ARG_LABELS};mpi"
        ENVIRONMENT "OMPI_ALLOW_RUN_AS_ROOT=1;OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1")
    endforeach()
  else()
    add_test(NAME ${name} COMMAND ${name})
    set_tests_properties(${name} PROPERTIES LABELS "${ARG_LABELS}")
  endif()
  if(ARG_TIMES)
    add_test(NAME ${name}.all COMMAND ${name})
    set_tests_properties(${name}.all PROPERTIES LABELS "${ARG_LABELS};long" ENVIRONMENT LOOKAHEAD_TEST_TIMES=${ARG_TIMES})
  endif()
endfunction()

# lookahead_mutations(NAME TESTS ...): links the objects of test programs once more, with points of mutation, and adds a
# test that takes away each rule of tests/mutation/NAME.toml.
function(lookahead_mutations name)
  cmake_parse_arguments(ARG "" "" "TESTS" ${ARGN})
  set(objects "")
  set(libraries "")
  foreach(test ${ARG_TESTS})
    list(APPEND objects $<TARGET_OBJECTS:${test}>)
    get_target_property(of_test ${test} LOOKAHEAD_LIBRARIES)
    list(APPEND libraries ${of_test})
  endforeach()
  list(REMOVE_DUPLICATES libraries)
  set(folder ${PROJECT_SOURCE_DIR}/tests)
  lookahead_program(${name}_mutations SOURCES ${objects} LIBRARIES tests_mutation_main ${libraries} MUTATIONS)
  target_link_libraries(${name}_mutations PRIVATE doctest::doctest MPI::MPI_CXX)
  add_test(NAME mutation.${name}
    COMMAND /usr/bin/python3 ${folder}/mutation/without_rules.py ${folder}/mutation/${name}.toml
            $<TARGET_FILE:${name}_mutations>)
  set_tests_properties(mutation.${name} PROPERTIES LABELS mutation
    ENVIRONMENT "OMPI_ALLOW_RUN_AS_ROOT=1;OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1")
endfunction()

# Adds the given folders that hold a CMakeLists.txt, in this order.
function(lookahead_folders)
  foreach(folder ${ARGN})
    if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/CMakeLists.txt)
      add_subdirectory(${folder})
    endif()
  endforeach()
endfunction()
