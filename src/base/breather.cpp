// SPDX-License-Identifier: Apache-2.0
#include "base/breather.h"

#include <utility>

namespace atys {

namespace {

thread_local Breather* of_this_thread = nullptr;

}  // namespace

Breather::Breather(std::function<void()> rest) : rest_(std::move(rest)), before_(std::exchange(of_this_thread, this)) {}

Breather::~Breather() { of_this_thread = before_; }

void breathe() {
  if (of_this_thread != nullptr) of_this_thread->rest_();
}

}  // namespace atys
