// SPDX-License-Identifier: Apache-2.0
// Where bytes go. A file appears whole or not at all: it is written beside its target and renamed by `commit`; a sink
// that is dropped without commit leaves the old file as it was.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace atys {

class ByteSink {
 public:
  virtual ~ByteSink() = default;
  virtual Result<> write(std::string_view bytes) = 0;
  virtual Result<> commit() { return {}; }
};

class StringSink final : public ByteSink {
 public:
  Result<> write(std::string_view bytes) override {
    text_.append(bytes);
    return {};
  }
  const std::string& text() const { return text_; }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

// A file, replaced atomically, or standard output for "-".
Result<std::unique_ptr<ByteSink>> open_sink(const std::string& path);

}  // namespace atys
