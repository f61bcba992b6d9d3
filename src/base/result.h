// SPDX-License-Identifier: Apache-2.0
// Result<T>: a value or the reason why there is none. The only error channel of the project; no exception leaves a
// function of ours. Callers branch on the code, people read the message: "what failed: why; what to do".
#pragma once

#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <variant>

namespace atys {

enum class ErrorCode {
  InvalidInput,       // bytes or arguments that make no sense
  NotFound,           // no such file, profile, function
  PermissionDenied,   // the system refused
  Unsupported,        // understood, but not something that we can do
  Unavailable,        // could work later: busy, unreachable
  ResourceExhausted,  // a limit, of the system or our own, was reached
  BudgetSpent,        // what the caller may spend is spent: exit status 3
  Internal,           // our bug
};

const char* to_string(ErrorCode code);

struct Error {
  ErrorCode code = ErrorCode::Internal;
  std::string message;
  std::string hint;  // what to do about it; may be empty
  const char* file = "";
  int line = 0;
};

// Fails with a message and, where one exists, advice. Converts to any Result<T>.
inline Error fail(ErrorCode code, std::string message, std::string hint = {}, const char* file = __builtin_FILE(),
                  int line = __builtin_LINE()) {
  return Error{code, std::move(message), std::move(hint), file, line};
}

// Puts context in front of an error on its way up: "reading a.pb: truncated".
inline Error in_context(const std::string& context, Error error) {
  error.message = context + ": " + error.message;
  return error;
}

// Captures errno at the point of failure; `what` says what was attempted.
Error fail_errno(const std::string& what, const char* file = __builtin_FILE(), int line = __builtin_LINE());

template <typename T = void>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::move(value)) {}
  Result(Error error) : state_(std::move(error)) {}

  bool ok() const { return std::holds_alternative<T>(state_); }
  explicit operator bool() const { return ok(); }
  T& value() { return std::get<T>(state_); }
  const T& value() const { return std::get<T>(state_); }
  T& operator*() { return value(); }
  const T& operator*() const { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  const Error& error() const { return std::get<Error>(state_); }
  T take() { return std::move(std::get<T>(state_)); }

 private:
  std::variant<T, Error> state_;
};

// Costs one pointer where all is well: loops over millions of rows return these.
template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::make_unique<Error>(std::move(error))) {}

  bool ok() const { return error_ == nullptr; }
  explicit operator bool() const { return ok(); }
  const Error& error() const { return *error_; }
  void take() const {}

 private:
  std::unique_ptr<Error> error_;
};

}  // namespace atys

// Evaluates to the value of a Result, or returns its error from the enclosing function. Calls may nest.
#define TRY(expression) ATYS_TRY_UNIQUE(expression, __COUNTER__)
#define ATYS_TRY_UNIQUE(expression, number) ATYS_TRY_NAMED(expression, number)
#define ATYS_TRY_NAMED(expression, number) ATYS_TRY_IN(expression, try_result_##number)
#define ATYS_TRY_IN(expression, result)      \
  __extension__({                            \
    auto result = (expression);              \
    if (!result.ok()) return result.error(); \
    result.take();                           \
  })

// Programmer errors only: bytes from outside never reach a CHECK.
#define CHECK(condition)                                                    \
  do {                                                                      \
    if (!(condition)) ::atys::check_failed(#condition, __FILE__, __LINE__); \
  } while (false)

namespace atys {
[[noreturn]] void check_failed(const char* condition, const char* file, int line);
}
