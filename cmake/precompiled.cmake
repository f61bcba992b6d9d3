# Headers that most files include, parsed once: a file then takes half the time. Nobody may lean on them (tools/check_headers.sh
# compiles without). Position-independent layers cannot share them.
option(ATYS_PRECOMPILE "Parse the headers that most files include once" ON)
if(NOT ATYS_PRECOMPILE)
  return()
endif()

set(nothing ${CMAKE_CURRENT_BINARY_DIR}/nothing.cpp)
file(CONFIGURE OUTPUT ${nothing} CONTENT "// Only the headers count.\n")
add_library(atys_common_headers OBJECT ${nothing})
target_link_libraries(atys_common_headers PRIVATE fmt::fmt nlohmann_json::nlohmann_json Threads::Threads)
target_precompile_headers(atys_common_headers PRIVATE
  <algorithm> <array> <atomic> <chrono> <cstdint> <cstring> <filesystem> <fstream> <functional> <map> <memory> <mutex> <numeric>
  <optional> <set> <span> <sstream> <string> <string_view> <thread> <tuple> <unordered_map> <unordered_set> <utility> <variant> <vector>
  <fmt/format.h> <nlohmann/json.hpp>)

if(ATYS_TESTS)
  add_library(atys_common_test_headers OBJECT ${nothing})
  target_link_libraries(atys_common_test_headers PRIVATE fmt::fmt nlohmann_json::nlohmann_json Threads::Threads GTest::gtest)
  target_precompile_headers(atys_common_test_headers PRIVATE
    <algorithm> <array> <atomic> <chrono> <cstdint> <cstring> <filesystem> <fstream> <functional> <map> <memory> <mutex> <numeric>
    <optional> <set> <span> <sstream> <string> <string_view> <thread> <tuple> <unordered_map> <unordered_set> <utility> <variant>
    <vector> <fmt/format.h> <nlohmann/json.hpp> <gtest/gtest.h>)
endif()
