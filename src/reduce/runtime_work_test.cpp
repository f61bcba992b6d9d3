// SPDX-License-Identifier: Apache-2.0
#include "reduce/runtime_work.h"

#include <gtest/gtest.h>

#include <vector>

namespace atys::reduce {

using Names = std::vector<std::string_view>;

TEST(runtime_work, is_told_by_any_function_of_the_stack) {
  EXPECT_EQ(runtime_work(Names{"(garbage collector)"}), "[garbage collection]");
  EXPECT_EQ(runtime_work(Names{"runtime.lock2", "runtime.gcDrain", "runtime.gcBgMarkWorker", "runtime.goexit"}),
            "[garbage collection]");
  EXPECT_EQ(runtime_work(Names{"PhaseLive::compute", "C2Compiler::compile_method", "CompileBroker::compiler_thread_loop",
                               "thread_native_entry", "clone3"}),
            "[compiling code]");
  EXPECT_EQ(runtime_work(Names{"Zone::Allocate", "v8::internal::OptimizingCompileDispatcher::CompileNext", "clone3"}),
            "[compiling code]");
  EXPECT_EQ(runtime_work(Names{"runtime.nanotime", "runtime.schedule", "runtime.mcall"}), "[scheduling]");
  EXPECT_EQ(runtime_work(Names{"_int_free", "Py_FinalizeEx", "pymain_main", "_start"}), "[starting and ending]");
  EXPECT_EQ(runtime_work(Names{"read", "worker"}), "[other runtime work]");
  EXPECT_EQ(runtime_work(Names{}), "[other runtime work]");
}

}  // namespace atys::reduce
