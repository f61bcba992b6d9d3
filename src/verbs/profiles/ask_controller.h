// SPDX-License-Identifier: Apache-2.0
// Questions to a controller, wherever it is: ATYS_CONTROLLER and ATYS_TOKEN say where and as whom.
#pragma once

#include <string>

#include "base/json.h"
#include "base/result.h"

namespace atys::verbs {

inline constexpr const char* kDefaultController = "http://127.0.0.1:4318";

// The body of the answer. What the controller says of an error is the error; a wrong token is PermissionDenied.
Result<std::string> ask_controller(const std::string& method, const std::string& path, const std::string& body = {},
                                   const std::string& content_type = {});
Result<Json> ask_controller_json(const std::string& method, const std::string& path, const std::string& body = {},
                                 const std::string& content_type = {});

// How long a controller may take for one answer, from now on; 0: as long as usual. For who has to answer in time himself.
void set_controller_patience(int seconds);

// Fields of what a controller sends, which may be of another version: what is not there is empty or 0.
std::string text_field(const Json& object, const char* key);
int64_t int_field(const Json& object, const char* key);
double number_field(const Json& object, const char* key);
bool bool_field(const Json& object, const char* key);
const Json& list_field(const Json& object, const char* key);  // an array, maybe empty

}  // namespace atys::verbs
