# The files that `cmake --install build/release --prefix DIR` and packages install. The program finds the others
# relative to its own path (core/files):
#
#   bin/lookahead
#   lib/lookahead/liblookahead_mpi.so           the module that the program loads under mpirun
#   lib/lookahead/cudart/libcudart.so.13 ...    the libraries that captured programs load
#   share/lookahead/lookahead_analysis-*.whl    for pip; share/lookahead/python has the same, for PYTHONPATH
#   share/bash-completion/completions/lookahead
#   share/doc/lookahead                         guides and reference
set(private lib/lookahead)
set(doc share/doc/lookahead)
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME lookahead)
# Only those who build the program need its tables of source lines, which are nine tenths of its size.
install(CODE "set(CMAKE_INSTALL_DO_STRIP TRUE)")
install(TARGETS lookahead RUNTIME DESTINATION bin)
install(TARGETS lookahead_mpi LIBRARY DESTINATION ${private})
install(TARGETS cudart_replacement_11 cudart_replacement_12 cudart_replacement_13 cuda_driver_replacement
        LIBRARY DESTINATION ${private}/cudart)

install(DIRECTORY experiments/analysis/lookahead_analysis DESTINATION share/lookahead/python
        FILES_MATCHING PATTERN *.py PATTERN __pycache__ EXCLUDE)
file(GLOB papers CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/experiments ${PROJECT_SOURCE_DIR}/experiments/studies/*/paper.json)
foreach(file ${papers})
  get_filename_component(folder ${file} DIRECTORY)
  install(FILES experiments/${file} experiments/${folder}/figures.py
          DESTINATION share/lookahead/python/lookahead_analysis/${folder})
endforeach()
install(FILES experiments/analysis/study.ipynb DESTINATION share/lookahead)
install(DIRECTORY experiments/guide/ DESTINATION ${doc}/guide FILES_MATCHING PATTERN *.md)
install(FILES README.md DESTINATION ${doc})

# The wheel, the reference and the completions are made during the installation, from the sources and by the program.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
install(CODE "
  function(make_or_stop)
    execute_process(COMMAND \${ARGN} RESULT_VARIABLE result)
    if(result)
      message(FATAL_ERROR \"failed: \${ARGN}\")
    endif()
  endfunction()
  set(root \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}\")
  make_or_stop(\"${Python3_EXECUTABLE}\" \"${PROJECT_SOURCE_DIR}/experiments/analysis/make_wheel.py\" ${PROJECT_VERSION}
               \"\${root}/share/lookahead\")
  make_or_stop(\"${PROJECT_BINARY_DIR}/lookahead\" describe --markdown \"\${root}/${doc}/reference\")
  set(completions \"\${root}/share/bash-completion/completions\")
  file(MAKE_DIRECTORY \"\${completions}\")
  make_or_stop(\"${PROJECT_BINARY_DIR}/lookahead\" completion bash OUTPUT_FILE \"\${completions}/lookahead\")
")

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME lookahead)
set(CPACK_PACKAGE_CONTACT "Lookahead maintainers <maintainers@lookahead.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
# The dependencies on libraries are found from the files. mpirun is only recommended: only the module needs Open MPI,
# and the program loads it only under mpirun.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "openmpi-bin, python3-h5py, python3-pandas, python3-matplotlib, bash-completion")
include(CPack)
