# Writes OUTPUT, a header with the revision of the sources in SOURCE, when the revision has changed.
execute_process(COMMAND git describe --always --dirty --abbrev=12 --exclude=*
                WORKING_DIRECTORY ${SOURCE} OUTPUT_VARIABLE revision OUTPUT_STRIP_TRAILING_WHITESPACE
                RESULT_VARIABLE failed ERROR_QUIET)
# What is new and not ignored is compiled as well, where CMake looks for files by patterns.
execute_process(COMMAND git ls-files --others --exclude-standard --directory
                WORKING_DIRECTORY ${SOURCE} OUTPUT_VARIABLE untracked ERROR_QUIET)
if(NOT untracked STREQUAL "" AND NOT revision MATCHES "-dirty$")
  string(APPEND revision -dirty)
endif()
if(failed OR revision STREQUAL "")
  set(revision unknown)
endif()
set(text "// Made by git_revision.cmake.\n#pragma once\n\nnamespace lookahead {\n
inline constexpr const char* kGitRevision = \"${revision}\";\n\n}  // namespace lookahead\n")
set(old "")
if(EXISTS ${OUTPUT})
  file(READ ${OUTPUT} old)
endif()
if(NOT old STREQUAL text)
  file(WRITE ${OUTPUT} "${text}")
endif()
