// SPDX-License-Identifier: Apache-2.0
#include "verbs/profiles/source_access.h"

#include <utility>

namespace atys::verbs {

namespace {

thread_local SourceAccess* of_thread = nullptr;

}  // namespace

SourceAccess::SourceAccess(MaySee may_see) : may_see_(std::move(may_see)), before_(std::exchange(of_thread, this)) {}

SourceAccess::~SourceAccess() { of_thread = before_; }

MaySee SourceAccess::of_this_thread() { return of_thread == nullptr ? MaySee() : of_thread->may_see_; }

}  // namespace atys::verbs
