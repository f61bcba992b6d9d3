add_custom_target(thread_tests)

# atys_layer(NAME [THREADS] [TALKS] [USES layer…] [LINKS target…] [FOLDERS folder…] [GENERATED file…])
#
# THREADS: code of this layer runs in several threads. Its tests have the label `threads` and belong to the target
# `thread_tests`, for the thread sanitizer: ninja -C build/tsan thread_tests && ctest --test-dir build/tsan -L threads
#
# TALKS: code of this layer reads options and writes answers. A release optimises it as little as tests: nobody waits for it, but
# for its compiler.
#
# Makes the library atys_NAME of every .cpp in the current folder and in FOLDERS. The suffix of a file says what it is:
#   x_test.cpp    goes into the test program NAME_test
#   x_fuzzer.cpp  becomes the program x_fuzzer: with ATYS_FUZZ a libFuzzer target, else a replay of its corpus
#   x_bench.cpp   is built by bench/
function(atys_layer name)
  cmake_parse_arguments(LAYER "THREADS;TALKS" "" "USES;LINKS;FOLDERS;GENERATED" ${ARGN})
  set(sources)
  set(headers)
  foreach(folder IN ITEMS . LISTS LAYER_FOLDERS)
    file(GLOB found CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.cpp)
    list(APPEND sources ${found})
    file(GLOB found CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.h)
    list(APPEND headers ${found})
  endforeach()
  list(FILTER headers EXCLUDE REGEX "\\.bpf\\.h$")  # of programs for the kernel: no C++
  atys_without_own_file(headers)
  set(tests ${sources})
  set(fuzzers ${sources})
  list(FILTER tests INCLUDE REGEX "_test\\.cpp$")
  list(FILTER fuzzers INCLUDE REGEX "_fuzzer\\.cpp$")
  list(FILTER sources EXCLUDE REGEX "_(test|fuzzer|bench)\\.cpp$")
  list(FILTER sources EXCLUDE REGEX "/main\\.cpp$")

  add_library(atys_${name} STATIC ${sources} ${LAYER_GENERATED})
  target_sources(atys_${name} PUBLIC FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}/src FILES ${headers})
  set_target_properties(atys_${name} PROPERTIES VERIFY_INTERFACE_HEADER_SETS ON)
  if(ATYS_PRECOMPILE AND NOT name STREQUAL base)
    target_precompile_headers(atys_${name} REUSE_FROM atys_common_headers)
  endif()
  if(LAYER_TALKS)
    target_compile_options(atys_${name} PRIVATE $<$<CONFIG:Release>:-O1>)
  endif()
  atys_unity(atys_${name})
  foreach(used IN LISTS LAYER_USES)
    target_link_libraries(atys_${name} PUBLIC atys_${used})
  endforeach()
  target_link_libraries(atys_${name} PUBLIC ${LAYER_LINKS})

  if(ATYS_TESTS AND tests)
    add_executable(${name}_test ${tests})
    target_link_libraries(${name}_test PRIVATE atys_${name} atys_test_support GTest::gtest GTest::gtest_main)
    target_compile_options(${name}_test PRIVATE $<$<CONFIG:Release>:-O1>)  # what is tested is as users run it; tests compile in two thirds
    if(ATYS_PRECOMPILE)
      target_precompile_headers(${name}_test REUSE_FROM atys_common_test_headers)
    endif()
    atys_unity(${name}_test)
    set(labels)
    if(LAYER_THREADS)
      set(labels PROPERTIES LABELS threads)
      add_dependencies(thread_tests ${name}_test)
    endif()
    gtest_discover_tests(${name}_test TEST_PREFIX ${name}. DISCOVERY_TIMEOUT 60 ${labels})
  endif()
  foreach(fuzzer IN LISTS fuzzers)
    atys_fuzzer(${name} ${fuzzer})
  endforeach()
endfunction()

# Leaves in the list the headers that no file of their name, nor its test, includes first: those compile on their own if that file does.
function(atys_without_own_file list)
  set(alone)
  foreach(header IN LISTS ${list})
    file(RELATIVE_PATH name ${PROJECT_SOURCE_DIR}/src ${header})
    string(REGEX REPLACE "\\.h$" "" stem ${header})
    set(first)
    foreach(source IN ITEMS ${stem}.cpp ${stem}_test.cpp)
      if(EXISTS ${source})
        file(STRINGS ${source} line REGEX "^#include" LIMIT_COUNT 1)
        list(APPEND first ${line})
      endif()
    endforeach()
    if(NOT "#include \"${name}\"" IN_LIST first)
      list(APPEND alone ${header})
    endif()
  endforeach()
  set(${list} ${alone} PARENT_SCOPE)
endfunction()

# A fuzzer's corpus is the folder tests/corpus/NAME beside the seeds that other tests share.
function(atys_fuzzer layer source)
  get_filename_component(fuzzer ${source} NAME_WE)
  if(ATYS_FUZZ)
    add_executable(${fuzzer} ${source})
    target_link_options(${fuzzer} PRIVATE -fsanitize=fuzzer)
    target_include_directories(${fuzzer} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
    target_link_libraries(${fuzzer} PRIVATE atys_${layer})
  elseif(ATYS_TESTS)
    add_executable(${fuzzer} ${source} ${PROJECT_SOURCE_DIR}/tests/support/replay_corpus.cpp)
    target_link_libraries(${fuzzer} PRIVATE atys_${layer} atys_test_support)
    add_test(NAME replay.${fuzzer} COMMAND ${fuzzer} ${PROJECT_SOURCE_DIR}/tests/corpus/${fuzzer})
  endif()
endfunction()
