// SPDX-License-Identifier: Apache-2.0
// The unwind rules of a module, read where its file is read: by the worker (symbolize/jail.h), if there is one.
#pragma once

#include "symbolize/jail_worker.h"
#include "symbolize/module.h"
#include "unwind/unwind_table.h"

namespace atys::unwind {

Result<UnwindTable> compile_rules(symbolize::Module& module);

// The worker's answers, with those of symbolize.
symbolize::JailQuestions jail_questions();

}  // namespace atys::unwind
