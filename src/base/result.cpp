// SPDX-License-Identifier: Apache-2.0
#include "base/result.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace atys {

const char* to_string(ErrorCode code) {
  switch (code) {
    case ErrorCode::InvalidInput: return "invalid_input";
    case ErrorCode::NotFound: return "not_found";
    case ErrorCode::PermissionDenied: return "permission_denied";
    case ErrorCode::Unsupported: return "unsupported";
    case ErrorCode::Unavailable: return "unavailable";
    case ErrorCode::ResourceExhausted: return "resource_exhausted";
    case ErrorCode::BudgetSpent: return "budget_spent";
    case ErrorCode::Internal: return "internal";
  }
  return "internal";
}

namespace {

ErrorCode code_of_errno(int number) {
  switch (number) {
    case ENOENT:
    case ENOTDIR: return ErrorCode::NotFound;
    case EACCES:
    case EPERM:
    case EROFS: return ErrorCode::PermissionDenied;
    case ENOSPC:
    case EDQUOT:
    case ENOMEM:
    case EMFILE:
    case ENFILE:
    case EFBIG: return ErrorCode::ResourceExhausted;
    case EAGAIN:
    case EBUSY: return ErrorCode::Unavailable;
    case EISDIR:
    case EINVAL: return ErrorCode::InvalidInput;
    default: return ErrorCode::Unavailable;
  }
}

std::string hint_for_errno(int number) {
  switch (number) {
    case ENOENT: return "check the path";
    case EACCES:
    case EPERM: return "check the permissions of the file and its folder";
    case EISDIR: return "name a file, not a folder";
    case ENOSPC:
    case EDQUOT: return "free some space or write elsewhere";
    case ENOMEM: return "free some memory or use a smaller input";
    default: return {};
  }
}

}  // namespace

Error fail_errno(const std::string& what, const char* file, int line) {
  const int number = errno;
  return fail(code_of_errno(number), what + ": " + std::strerror(number), hint_for_errno(number), file, line);
}

void check_failed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "atys: internal error: %s does not hold (%s:%d)\n", condition, file, line);
  std::abort();
}

}  // namespace atys
