# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Flags, and the two functions every room uses.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()

# A product of floats is rounded before it is added, on every machine: no -ffast-math, no fused contraction.
add_compile_options(-Wall -Wextra -Wno-unused-parameter -Wno-restrict -ffp-contract=off
                    $<$<CXX_COMPILER_ID:Clang>:-Wno-unknown-warning-option>)
# Clang forgets, in precompiled headers, that libstdc++ may call what it deprecates. GCC still warns of our calls.
add_compile_options($<$<CXX_COMPILER_ID:Clang>:-Wno-deprecated-declarations>)
if(WINDLASS_SANITIZE)
  add_compile_options(-fsanitize=${WINDLASS_SANITIZE} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${WINDLASS_SANITIZE})
endif()
if(WINDLASS_SANITIZE MATCHES undefined)
  # They take longer to compile than the other checks together. The address sanitizer stops at what the first two find.
  add_compile_options(-fno-sanitize=null,object-size,vptr)
endif()
# LLVM's linker takes two fifths of the time of gold, which the default linker takes four times.
include(CheckLinkerFlag)
foreach(linker lld gold)
  check_linker_flag(CXX -fuse-ld=${linker} WINDLASS_HAS_${linker})
  if(WINDLASS_HAS_${linker})
    add_link_options(-fuse-ld=${linker})
    break()
  endif()
endforeach()
find_program(CCACHE ccache)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # The slackness that ccache asks for with precompiled headers; without it, it compiles what reads them anew.
  # Files are told apart by their place below the root, so that a second clone finds what the first compiled. What a
  # file includes is what the compiler says (CCACHE_DEPEND): no preprocessor runs before a first compilation.
  set(CMAKE_CXX_COMPILER_LAUNCHER
      ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_NOHASHDIR=1 CCACHE_PCH_EXTSUM=1
      CCACHE_DEPEND=1 CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} ${CCACHE})
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL Clang) # by the option whose file ccache tells by its place below the root
  set(CMAKE_CXX_COMPILE_OPTIONS_USE_PCH -include-pch <PCH_FILE>)
endif()

# windlass_precompiled(NAME HEADERS ... [OPTIONS ...] [LINK ...]): headers of tools/cmake, or from the repository's root,
# that many files read, compiled once, as those are that link the same.
function(windlass_precompiled name)
  cmake_parse_arguments(ARG "" "" "HEADERS;OPTIONS;LINK" ${ARGN})
  add_library(${name} OBJECT ${PROJECT_SOURCE_DIR}/tools/cmake/Precompiled.cpp)
  target_include_directories(${name} PUBLIC ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
  target_compile_options(${name} PRIVATE ${ARG_OPTIONS})
  target_link_libraries(${name} PRIVATE ${ARG_LINK})
  list(TRANSFORM ARG_HEADERS PREPEND tools/cmake/ REGEX "^[^/]+$")
  windlass_precompiled_sum(${name} ${ARG_HEADERS})
  list(TRANSFORM ARG_HEADERS REPLACE "(.+)" "<\\1>") # by a name that no folder is in
  target_precompile_headers(${name} PRIVATE ${ARG_HEADERS})
endfunction()

# Clang's precompiled headers hold the paths of one clone. ccache goes by the file beside them, which says what they
# are made from, and by what the headers of a file hold.
function(windlass_precompiled_sum name)
  set(sum "${CMAKE_CXX_COMPILER_VERSION} ${LLVM_PACKAGE_VERSION} ${GTest_VERSION} ${nlohmann_json_VERSION}")
  foreach(header ${ARGN})
    file(MD5 ${PROJECT_SOURCE_DIR}/${header} hash)
    string(APPEND sum " ${hash}")
  endforeach()
  file(CONFIGURE OUTPUT CMakeFiles/${name}.dir/cmake_pch.hxx.pch.sum CONTENT "${sum}\n")
endfunction()

# An executable that reads headers as they were compiled; it would get -fPIE.
function(windlass_read_precompiled name headers)
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(${name} PRIVATE -fPIC)
  target_precompile_headers(${name} REUSE_FROM ${headers})
endfunction()

# windlass_library(NAME SOURCES a.cpp ... LINK lib ... [HEADERS precompiled]): one static library per folder;
# includes are written from the repository's root.
function(windlass_library name)
  cmake_parse_arguments(ARG "" "HEADERS" "SOURCES;LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_include_directories(${name} PUBLIC ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
  if(NOT ARG_HEADERS AND TARGET windlass_pch)
    set(ARG_HEADERS windlass_pch)
  endif()
  if(ARG_HEADERS)
    target_precompile_headers(${name} REUSE_FROM ${ARG_HEADERS})
  endif()
endfunction()

# What is installed finds LLVM's libraries where the linker did; nothing of the build folder.
set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON)

# windlass_tool(NAME [OPTIONAL] LINK lib ... [HEADERS precompiled]): an executable from NAME.cpp in bin/. An optional one
# is for developers: the quickstart does not build it, and it is installed where it has been built.
function(windlass_tool name)
  cmake_parse_arguments(ARG "OPTIONAL" "HEADERS" "LINK" ${ARGN})
  add_executable(${name} ${name}.cpp)
  target_link_libraries(${name} PRIVATE ${ARG_LINK})
  if(NOT ARG_HEADERS AND TARGET windlass_pch)
    set(ARG_HEADERS windlass_pch)
  endif()
  if(ARG_HEADERS)
    windlass_read_precompiled(${name} ${ARG_HEADERS})
  endif()
  if(ARG_OPTIONAL)
    install(TARGETS ${name} OPTIONAL)
  else()
    install(TARGETS ${name})
  endif()
endfunction()

# Tests are compiled to be ready soon, not to run fast, and are not what is fuzzed.
set(WINDLASS_TEST_OPTIONS $<$<CONFIG:Release>:-O0>)
if(WINDLASS_SANITIZE MATCHES address)
  list(APPEND WINDLASS_TEST_OPTIONS -O0)
endif()
if(WINDLASS_SANITIZE MATCHES fuzzer)
  list(APPEND WINDLASS_TEST_OPTIONS -fno-sanitize=fuzzer-no-link)
endif()

# windlass_test(NAME [OPTIMIZED] SOURCES a.cpp ... LINK lib ... [HEADERS precompiled]): a GoogleTest binary, run by ctest
# as one test. One that computes much by itself is optimized as what it tests is, and reads no precompiled headers.
function(windlass_test name)
  cmake_parse_arguments(ARG "OPTIMIZED" "HEADERS" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
  target_link_libraries(${name} PRIVATE ${ARG_LINK} GTest::gtest_main)
  if(NOT ARG_OPTIMIZED)
    if(NOT ARG_HEADERS)
      set(ARG_HEADERS windlass_test_pch)
    endif()
    windlass_read_precompiled(${name} ${ARG_HEADERS})
    target_compile_options(${name} PRIVATE ${WINDLASS_TEST_OPTIONS})
  endif()
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES TIMEOUT 600)
endfunction()

# windlass_costs(TEST=SECONDS ...): about how long tests of this folder take. Those that take longest begin first, so
# that none runs alone at the end. Of a test that is not named, ctest goes by what it took before, if it ran.
function(windlass_costs)
  foreach(cost ${ARGN})
    string(REPLACE "=" ";" cost ${cost})
    list(GET cost 0 test)
    list(GET cost 1 seconds)
    set_tests_properties(${test} PROPERTIES COST ${seconds})
  endforeach()
endfunction()
