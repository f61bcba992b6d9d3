# What a release is built with, so that a mistake of ours is a crash and not somebody's way in. tools/check_hardening.py reads what
# becomes of it in the finished files. Linking is the same in every build; code is compiled so in releases alone, because sanitizers
# replace it and tests need not wait for it. The library that is loaded into other programs (cmake/preload.cmake) and the programs
# for the kernel (cmake/bpf.cmake) are compiled by commands of their own: the one has no C library to call when its stack is
# overwritten, the others are checked by the kernel.
include(CheckCXXSourceCompiles)

add_link_options(-Wl,-z,relro,-z,now,-z,noexecstack $<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-pie>)

# Level 3 bounds also what is only known as the program runs.
check_cxx_source_compiles("
  #include <features.h>
  #if !__GLIBC_PREREQ(2, 34)
  #error level 3 is new in 2.34
  #endif
  int main(int argc, char** argv) { return static_cast<int>(__builtin_dynamic_object_size(argv[argc - 1], 0)) == 7; }"
  ATYS_FORTIFY_3)

if(CMAKE_BUILD_TYPE STREQUAL Release AND NOT ATYS_SANITIZE)
  add_compile_options($<$<NOT:$<BOOL:$<TARGET_PROPERTY:POSITION_INDEPENDENT_CODE>>>:-fPIE>)
  add_compile_options(-fstack-protector-strong -fstack-clash-protection -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=$<IF:$<BOOL:${ATYS_FORTIFY_3}>,3,2>)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
    add_compile_options(-fcf-protection=full)
    add_link_options(-Wl,-z,ibt,-z,shstk)
  elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
    add_compile_options(-mbranch-protection=standard)
  endif()
endif()
