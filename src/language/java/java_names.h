// SPDX-License-Identifier: Apache-2.0
// What the names of Java's methods say, and what they should not.
#pragma once

#include <string>
#include <string_view>

namespace atys::language {

// Without what a virtual machine puts into names at run time, so that two runs have one name for a function: addresses of
// hidden classes and numbers of generated ones. "Order$$Lambda$89/0x00007fad64008240.apply" → "Order$$Lambda.apply".
std::string stable_java_name(std::string_view name);

// The source file of a method, as stack traces have it: "Order.java" of com.shop.Order$Item.price. Empty where the name
// does not tell.
std::string java_file_of(std::string_view method);

}  // namespace atys::language
