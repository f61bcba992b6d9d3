# atys_bpf(file.bpf.c HEADER header NAMESPACE name FUNCTION name)
#
# Compiles a BPF program for the kernel of the architecture that we build for and puts the object into a .cpp with
#   std::span<const std::byte> NAMESPACE::FUNCTION();
# declared in HEADER, written by hand. Adds that .cpp to ATYS_BPF_GENERATED.
find_program(ATYS_BPF_CLANG NAMES clang-14 clang REQUIRED)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
  set(ATYS_BPF_ARCHITECTURE arm64)
else()
  set(ATYS_BPF_ARCHITECTURE x86)
endif()

function(atys_bpf source)
  cmake_parse_arguments(BPF "" "HEADER;NAMESPACE;FUNCTION" "" ${ARGN})
  get_filename_component(name ${source} NAME_WLE)
  get_filename_component(folder ${CMAKE_CURRENT_SOURCE_DIR}/${source} DIRECTORY)
  set(object ${CMAKE_CURRENT_BINARY_DIR}/${name}.o)
  file(GLOB headers CONFIGURE_DEPENDS ${folder}/*_records.h ${folder}/*.bpf.h)
  add_custom_command(
    OUTPUT ${object}
    COMMAND ${ATYS_BPF_CLANG} -target bpf -mcpu=v3 -g -O2 -Wall -Werror -D__TARGET_ARCH_${ATYS_BPF_ARCHITECTURE}
            --sysroot=${CMAKE_SYSROOT}/ -I${CMAKE_SYSROOT}/usr/include/${CMAKE_LIBRARY_ARCHITECTURE} -I${PROJECT_SOURCE_DIR}/src
            -c ${CMAKE_CURRENT_SOURCE_DIR}/${source} -o ${object}
    DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${source} ${headers}
    VERBATIM)
  atys_embed_object(${object} HEADER ${BPF_HEADER} NAMESPACE ${BPF_NAMESPACE} FUNCTION ${BPF_FUNCTION} OUTPUT generated)
  set(ATYS_BPF_GENERATED ${ATYS_BPF_GENERATED} ${generated} PARENT_SCOPE)
endfunction()
