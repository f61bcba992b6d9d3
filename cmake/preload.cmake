# The library that is loaded into programs which Atys starts without any right to look at them: compiled without a C library, so
# that it loads into programs of any, and put into a .cpp with
#   std::span<const std::byte> atys::preload::preload_library();
file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/preload/library/*.cpp)
file(GLOB headers CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/preload/library/*.h ${CMAKE_CURRENT_SOURCE_DIR}/preload/*.h
     ${CMAKE_CURRENT_SOURCE_DIR}/native/walker_records.h)
set(object ${CMAKE_CURRENT_BINARY_DIR}/preload_library.so)
separate_arguments(flags UNIX_COMMAND "${CMAKE_CXX_FLAGS}")
add_custom_command(
  OUTPUT ${object}
  COMMAND ${CMAKE_CXX_COMPILER} ${flags} -std=c++20 -O2 -fPIC -shared -nostdlib -ffreestanding -fno-exceptions -fno-rtti -fno-stack-protector
          -fno-threadsafe-statics -fvisibility=hidden -Wall -Wextra -Wno-builtin-declaration-mismatch -I${PROJECT_SOURCE_DIR}/src
          ${sources} -Wl,--hash-style=both -Wl,-z,noexecstack -Wl,-z,relro -Wl,-soname,atys -Wl,--build-id=none -s -o ${object}
  DEPENDS ${sources} ${headers}
  VERBATIM)
atys_embed_object(${object} HEADER capture/preload/shared_space.h NAMESPACE atys::preload FUNCTION preload_library
                  OUTPUT ATYS_PRELOAD_GENERATED)
