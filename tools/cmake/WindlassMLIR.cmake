# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What the rooms on MLIR add: TableGen, precompiled headers, the shared libraries.
list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
include(TableGen)
include(AddLLVM)
include(AddMLIR)

# windlass_mlir_precompiled(NAME HEADERS ... [OPTIONS ...] [LINK ...]): windlass_precompiled of headers that read MLIR's
# and, if WINDLASS_DIALECTS are among them, what is generated for these.
set(WINDLASS_DIALECTS dialects/Dist/IR/DistDialect.h dialects/Flow/IR/FlowDialect.h dialects/Graph/IR/GraphDialect.h)
function(windlass_mlir_precompiled name)
  windlass_precompiled(${name} ${ARGN})
  target_include_directories(${name} SYSTEM PUBLIC ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
  if(dialects/Graph/IR/GraphDialect.h IN_LIST ARGN)
    add_dependencies(${name} windlass_graph_tablegen windlass_dist_tablegen windlass_flow_tablegen)
  endif()
endfunction()

# Parsing MLIR takes ten seconds, reading this takes one. The dialects' headers take two more: they are precompiled for
# all rooms but their own.
windlass_mlir_precompiled(windlass_mlir_pch HEADERS MlirPch.h JsonPch.h)
windlass_mlir_precompiled(windlass_dialects_pch HEADERS MlirPch.h JsonPch.h ${WINDLASS_DIALECTS})

# windlass_mlir_library(NAME SOURCES ... LINK ... DEPENDS tablegen targets [HEADERS precompiled])
function(windlass_mlir_library name)
  cmake_parse_arguments(ARG "" "HEADERS" "SOURCES;LINK;DEPENDS" ${ARGN})
  if(NOT ARG_HEADERS)
    set(ARG_HEADERS windlass_dialects_pch)
  endif()
  windlass_library(${name} SOURCES ${ARG_SOURCES} LINK ${ARG_LINK} HEADERS ${ARG_HEADERS})
  target_include_directories(${name} SYSTEM PUBLIC ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
  target_compile_options(${name} PRIVATE -Wno-init-list-lifetime)
  target_link_libraries(${name} PUBLIC MLIR LLVM)
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
endfunction()

# windlass_mlir_test(NAME SOURCES ... LINK ...): a windlass_test that reads MLIR's precompiled headers, too.
function(windlass_mlir_test name)
  windlass_test(${name} ${ARGN} HEADERS windlass_mlir_test_pch)
  target_include_directories(${name} SYSTEM PRIVATE ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
endfunction()

# windlass_plans(TOOL): a tool that searches plans. It makes and drops copies of modules all the time, for which mimalloc takes a
# quarter less of a processor than the C library; built without it, the tool is only slower. Sanitizers bring an allocator of their own.
find_package(mimalloc QUIET CONFIG)
function(windlass_plans tool)
  if(TARGET mimalloc AND NOT WINDLASS_SANITIZE)
    target_link_libraries(${tool} PRIVATE mimalloc)
  endif()
endfunction()

# windlass_tablegen_includes(): TableGen reads its includes as C++ does, from the repository's root and from MLIR. It goes by what the
# folder includes. What is not on MLIR must not: it is compiled the same where there is none.
function(windlass_tablegen_includes)
  include_directories(SYSTEM ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
  include_directories(${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
endfunction()
