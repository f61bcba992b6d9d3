// SPDX-License-Identifier: Apache-2.0
// The variable of real libraries in this process: what is found is where the loader says that it is.
#include "capture/context/context_place.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <thread>

#include "support/compiled_program.h"

namespace atys::capture {
namespace {

constexpr const char* kLibrary = R"(
static __thread long before[5];
__thread void* otel_thread_ctx_v1 = 0;
void* where(void) { before[0]++; return &otel_thread_ctx_v1; }
)";

uint64_t thread_pointer() { return reinterpret_cast<uint64_t>(__builtin_thread_pointer()); }

// As the sampler does it.
uint64_t follow(const atys_context_place& place) {
  if (place.kind == ATYS_AT_THREAD_POINTER) return thread_pointer() + static_cast<uint64_t>(place.offset);
#if defined(__x86_64__)
  const uint64_t vector_at = thread_pointer() + 8;
#else
  const uint64_t vector_at = thread_pointer();
#endif
  uint64_t vector = 0;
  std::memcpy(&vector, reinterpret_cast<const void*>(vector_at), sizeof vector);
  uint64_t block = 0;
  std::memcpy(&block, reinterpret_cast<const void*>(vector + static_cast<uint64_t>(place.module) * 16), sizeof block);
  return block + static_cast<uint64_t>(place.offset);
}

class ContextPlaceTest : public testing::TestWithParam<const char*> {};

TEST_P(ContextPlaceTest, is_where_the_library_has_it_in_each_thread) {
  const test::BuildFolder folder;
  folder.write("library.c", kLibrary);
  if (!folder.run(std::string("cc -O2 -shared -fPIC ") + GetParam() + " -o library.so library.c"))
    GTEST_SKIP() << "the compiler does not take " << GetParam();
  void* library = ::dlopen(folder.file("library.so").c_str(), RTLD_NOW);
  ASSERT_NE(library, nullptr) << ::dlerror();
  auto* where = reinterpret_cast<void* (*)()>(::dlsym(library, "where"));
  ASSERT_NE(where, nullptr);
  const auto ranges = linux::read_maps(::getpid());
  linux::ProcessMemory memory(::getpid());
  const auto place = find_context_variable(::getpid(), ranges.value(), memory);
  ASSERT_TRUE(place);
  const auto check = [&] {
    const auto expected = reinterpret_cast<uint64_t>(where());  // first: this makes the thread's block
    EXPECT_EQ(follow(*place), expected);
  };
  check();
  std::thread(check).join();
  ::dlclose(library);
}

#if defined(__x86_64__)
constexpr const char* kOtherDialect = "-mtls-dialect=gnu2";
#else
constexpr const char* kOtherDialect = "-mtls-dialect=trad";
#endif
INSTANTIATE_TEST_SUITE_P(ways, ContextPlaceTest, testing::Values("", kOtherDialect, "-ftls-model=initial-exec"));

TEST(context_place, is_none_where_no_file_has_the_variable) {
  const auto ranges = linux::read_maps(::getpid());
  linux::ProcessMemory memory(::getpid());
  EXPECT_FALSE(find_context_variable(::getpid(), ranges.value(), memory));
}

TEST(context_place, knows_the_releases_of_go_that_keep_labels_in_a_list) {
  EXPECT_FALSE(go_labels_of("1.23.4"));
  EXPECT_FALSE(go_labels_of("1.27"));
  EXPECT_FALSE(go_labels_of(""));
  EXPECT_FALSE(go_labels_of("1.240"));
  ASSERT_TRUE(go_labels_of("1.26"));
  EXPECT_EQ(go_labels_of("1.26.8")->go_labels, 352u);
  EXPECT_EQ(go_labels_of("1.25.1")->go_labels, 344u);
}

}  // namespace
}  // namespace atys::capture
