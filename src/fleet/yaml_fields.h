// SPDX-License-Identifier: Apache-2.0
// Reads a YAML mapping field by field, so that whatever is wrong is named with its line, and fields that nobody asked for
// are errors: a budget that is misspelt must not be a budget that is not there.
#pragma once

#include <yaml-cpp/yaml.h>

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace atys::fleet {

class YamlFields {
 public:
  // `where` is how errors begin: the name of the file.
  static Result<YamlFields> of(const YAML::Node& node, std::string_view where, std::string_view what);
  // Text that is no YAML, or nests too deep or is too long, is an error with its line.
  static Result<YAML::Node> parse(const std::string& text, std::string_view where);

  bool has(const std::string& field) const;
  YAML::Node node(const std::string& field);  // undefined if it is not there

  // Hands the text of a field to `read`; its error gets the place. A field that is absent is left alone.
  Result<> text(const std::string& field, const std::function<Result<>(const std::string&)>& read);
  // A list of texts, or one text alone.
  Result<> texts(const std::string& field, std::vector<std::string>& into);
  Result<> must_have(const std::string& field) const;
  // A field that was not asked for by then is an error, with the nearest that there is.
  Result<> end() const;

  Error error(const YAML::Node& at, const std::string& message, const std::string& hint = {}) const;

 private:
  YamlFields(YAML::Node node, std::string_view where, std::string_view what)
      : node_(std::move(node)), where_(where), what_(what) {}

  YAML::Node node_;
  std::string where_;
  std::string what_;
  std::set<std::string> known_;
};

}  // namespace atys::fleet
