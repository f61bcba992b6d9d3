// SPDX-License-Identifier: Apache-2.0
#include "capture/php/php_reader.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "capture/walking/walk_remote.h"
#include "support/fake_php.h"

namespace atys::capture::php {
namespace {

constexpr uint32_t kTop = 1 << 17;  // ZEND_CALL_TOP

class ReaderOfFake : public testing::TestWithParam<const char*> {
 protected:
  ReaderOfFake()
      : php_(*layout_of(GetParam())),
        reader_(std::make_unique<test::BorrowedMemory>(php_.memory()), php_.process()),
        file_(php_.text("/a.php")) {}

  // "name file:line*" of each frame, innermost first; "torn".
  std::vector<std::string> read() {
    std::vector<atys_walked> walk;
    EXPECT_NE(walk_remote(php_.memory(), reader_.walker(), reader_.walker().holder, walk), RemoteWalk::Torn);
    std::vector<LanguageFrame> frames = {{77, false}};
    if (!reader_.read(walk, frames)) {
      EXPECT_EQ(frames.size(), 1U);
      return {"torn"};
    }
    std::vector<std::string> lines;
    for (size_t i = 1; i < frames.size(); ++i) {
      const LanguageName name = reader_.name(frames[i].id);
      EXPECT_EQ(name.kind, "php");
      lines.push_back(fmt::format("{} {}:{}{}", name.function, name.file, name.line, frames[i].is_entry ? "*" : ""));
    }
    return lines;
  }
  uint64_t function(std::string_view name, uint32_t line, uint64_t owner = 0) {
    return php_.function({.name = php_.text(name), .owner = owner, .file = file_, .line = line});
  }
  void call(uint64_t function, uint32_t op, uint32_t info = 0) { php_.call(function, php_.op(function, op), info); }

  using Lines = std::vector<std::string>;
  test::FakePhp php_;
  PhpReader reader_;
  uint64_t file_;
};

INSTANTIATE_TEST_SUITE_P(versions, ReaderOfFake, testing::Values("7.4", "8.0", "8.1", "8.2", "8.3", "8.4"),
                         [](const auto& one) { return fmt::format("php_{}_{}", one.param[0], one.param[2]); });

TEST_P(ReaderOfFake, names_functions_methods_and_scripts) {
  call(php_.function({.file = file_, .line = 1}), 2, kTop);
  call(php_.function({.file = php_.text("/a.php(3) : eval()'d code"), .line = 1, .type = 4}), 0);
  call(function("method", 20, php_.php_class("App\\Box")), 3);
  call(function("plain", 30), 1);
  php_.call(php_.internal("usort"), 0);
  EXPECT_EQ(read(), (Lines{"usort :0", "plain /a.php:31", "App\\Box::method /a.php:23", "<eval> /a.php(3) : eval()'d code:1",
                           "<main> /a.php:3*"}));
}

TEST_P(ReaderOfFake, has_one_state_for_the_first_thread) {
  const auto states = reader_.thread_states();
  ASSERT_EQ(states.size(), 1U);
  EXPECT_EQ(states[0].first, 1);
  EXPECT_EQ(states[0].second, reader_.walker().holder);
}

TEST_P(ReaderOfFake, tells_closures_apart_and_keeps_the_names_of_newer_versions) {
  call(function("App\\{closure}", 12), 0, kTop);
  call(function("{closure:App\\f():7}", 7), 0, kTop);
  call(function("{closure}", 9, php_.php_class("Box")), 0, kTop);
  EXPECT_EQ(read(), (Lines{"Box::{closure:a.php:9} /a.php:9*", "{closure:App\\f():7} /a.php:7*",
                           "App\\{closure:a.php:12} /a.php:12*"}));
}

TEST_P(ReaderOfFake, cuts_the_name_of_an_anonymous_class_and_of_a_function_made_up) {
  call(function("run", 3, php_.php_class({"class@anonymous\0/a.php:3$0", 26})), 0, kTop);
  call(function({"\0lambda_1", 9}, 5), 0);
  EXPECT_EQ(read(), (Lines{"lambda_1 /a.php:5", "class@anonymous::run /a.php:3*"}));
}

TEST_P(ReaderOfFake, leaves_out_the_engines_own_frames) {
  call(function("main", 1), 0, kTop);
  php_.call(0, 0);                  // a placeholder
  php_.call(php_.internal(""), 0);  // below a fiber
  call(function("inner", 5), 0, kTop);
  EXPECT_EQ(read(), (Lines{"inner /a.php:5*", "main /a.php:1*"}));
}

TEST_P(ReaderOfFake, does_not_take_a_c_function_for_a_run_of_the_evaluator) {
  call(function("main", 1), 0, kTop);
  php_.call(php_.internal("array_map"), 0);
  php_.call(php_.internal("strlen"), 0, kTop);
  EXPECT_EQ(read(), (Lines{"strlen :0", "array_map :0", "main /a.php:1*"}));
}

TEST_P(ReaderOfFake, knows_no_line_of_an_innermost_frame_that_has_not_told_it) {
  const uint64_t outer = function("outer", 1);
  call(outer, 0, kTop);
  php_.call(function("inner", 9), php_.op(outer, 3));
  EXPECT_EQ(read(), (Lines{"inner /a.php:0", "outer /a.php:1*"}));
}

TEST_P(ReaderOfFake, does_not_take_an_innermost_frame_for_what_had_its_place_on_the_stack) {
  call(function("outer", 1), 0, kTop);
  const uint64_t before = function("before", 40);
  const uint64_t frame = php_.call(before, php_.op(before, 1));
  EXPECT_EQ(read(), (Lines{"before /a.php:41", "outer /a.php:1*"}));
  php_.memory().put(frame + 24, function("now", 60));
  EXPECT_EQ(read(), (Lines{"now /a.php:0", "outer /a.php:1*"}));
}

TEST_P(ReaderOfFake, knows_a_script_again_when_the_next_request_has_another_copy_of_it) {
  const auto call_script = [&] {
    const uint64_t script = php_.function({.file = file_, .line = 1});
    call(script, 2, kTop);
    return script;
  };
  const uint64_t first = call_script();
  EXPECT_EQ(read(), Lines{"<main> /a.php:3*"});
  php_.memory().unmap(first);
  call_script();
  EXPECT_EQ(read().front(), "<main> /a.php:3*");
}

// The reader comes late: the sampler came by when another request was served.
TEST_P(ReaderOfFake, does_not_give_freed_code_the_name_of_what_lies_there_now) {
  call(function("outer", 1), 0, kTop);
  const uint64_t name = php_.text("first");
  const uint64_t place = php_.function({.name = name, .file = file_, .line = 10});
  call(place, 1);
  std::vector<atys_walked> walk;
  walk_remote(php_.memory(), reader_.walker(), reader_.walker().holder, walk);
  php_.memory().put_bytes(name + kStringText, "later");
  std::vector<LanguageFrame> frames;
  ASSERT_TRUE(reader_.read(walk, frames));
  ASSERT_EQ(frames.size(), 2U);
  EXPECT_EQ(reader_.name(frames[0].id).function, "<freed code>");
  EXPECT_EQ(reader_.name(frames[1].id).function, "outer");
}

TEST_P(ReaderOfFake, says_that_code_is_freed_when_it_was_never_seen) {
  const uint64_t gone = function("gone", 40);
  php_.call(gone, php_.op(gone, 1), kTop);
  call(function("inner", 9), 1);
  php_.memory().unmap(gone);
  EXPECT_EQ(read(), (Lines{"inner /a.php:10", "<freed code> :0*"}));
}

TEST_P(ReaderOfFake, does_not_take_a_c_function_for_what_had_its_place_on_the_stack) {
  const uint64_t before = function("before", 40);
  const uint64_t frame = php_.call(before, php_.op(before, 1), kTop);
  EXPECT_EQ(read(), Lines{"before /a.php:41*"});
  php_.memory().put(frame + 24, php_.internal("strlen"));
  EXPECT_EQ(read(), Lines{"strlen :0"});
}

TEST_P(ReaderOfFake, accepts_a_frame_that_handles_an_exception) {
  php_.call(function("outer", 1), test::FakePhp::kGlobals + 600, kTop);
  call(function("destructor", 9), 1);
  EXPECT_EQ(read(), (Lines{"destructor /a.php:10", "outer /a.php:0*"}));
}

TEST_P(ReaderOfFake, notices_another_function_in_the_place_of_a_freed_one) {
  call(function("main", 1), 0, kTop);
  const uint64_t place = function("first", 10);
  const uint64_t frame = php_.call(place, php_.op(place, 1));
  EXPECT_EQ(read(), (Lines{"first /a.php:11", "main /a.php:1*"}));
  php_.fill(place, {.name = php_.text("second"), .file = file_, .line = 50});
  php_.memory().put(frame, php_.op(place, 2));
  EXPECT_EQ(read(), (Lines{"second /a.php:52", "main /a.php:1*"}));
}

TEST_P(ReaderOfFake, notices_another_function_even_if_instructions_lie_where_they_were) {
  const uint64_t place = function("first", 10);
  call(place, 1, kTop);
  EXPECT_EQ(read(), Lines{"first /a.php:11*"});
  php_.memory().put(place + kFunctionName, php_.text("second"));
  EXPECT_EQ(read(), Lines{"second /a.php:11*"});
}

TEST_P(ReaderOfFake, looks_each_time_where_code_is_freed_after_each_request) {
  PhpProcess process = php_.process();
  process.is_fleeting = true;
  PhpReader careful(std::make_unique<test::BorrowedMemory>(php_.memory()), process);
  EXPECT_EQ(careful.walker().is_fleeting, 1U);
  EXPECT_EQ(reader_.walker().is_fleeting, 0U);
  const uint64_t text = php_.text("first");
  call(php_.function({.name = text, .file = file_, .line = 10}), 1, kTop);
  for (const char* name : {"first", "other", "third"}) {
    php_.memory().put_bytes(text + kStringText, name);
    std::vector<atys_walked> walk;
    walk_remote(php_.memory(), careful.walker(), careful.walker().holder, walk);
    std::vector<LanguageFrame> frames;
    ASSERT_TRUE(careful.read(walk, frames));
    ASSERT_EQ(frames.size(), 1U);
    EXPECT_EQ(careful.name(frames[0].id).function, name);
  }
}

TEST_P(ReaderOfFake, reads_little_for_a_stack_that_it_knows) {
  for (uint32_t i = 0; i < 20; ++i) call(function(fmt::format("f{}", i), i + 1), 0);
  read();
  std::vector<atys_walked> walk;
  walk_remote(php_.memory(), reader_.walker(), reader_.walker().holder, walk);
  php_.memory().reads = 0;
  std::vector<LanguageFrame> frames;
  EXPECT_TRUE(reader_.read(walk, frames));
  EXPECT_EQ(php_.memory().reads, 0U);
}

TEST_P(ReaderOfFake, is_torn_where_there_is_no_function) {
  const uint64_t place = function("gone", 10);
  call(place, 0, kTop);
  for (const uint8_t type : {0, 3, 5, 255}) {
    php_.memory().put(place, type);
    EXPECT_EQ(read(), Lines{"torn"}) << int{type};
  }
  php_.memory().unmap(place);
  EXPECT_EQ(read(), Lines{"torn"});
}

TEST_P(ReaderOfFake, does_not_believe_the_length_of_a_string) {
  const uint64_t name = php_.text("name");
  call(php_.function({.name = name, .file = file_, .line = 1}), 0, kTop);
  for (const uint64_t length : {uint64_t{5}, uint64_t{1} << 20, uint64_t{1} << 40, ~uint64_t{0}, uint64_t{0}}) {
    php_.memory().put(name + kStringLength, length);
    EXPECT_EQ(read(), Lines{"torn"}) << length;
  }
  const uint64_t longer = php_.text(std::string(10000, 'x'));
  EXPECT_EQ(read_string(php_.memory(), longer), std::string(kMostText, 'x'));
}

TEST_P(ReaderOfFake, does_not_read_a_freed_string) {
  const uint64_t name = php_.text("name");
  EXPECT_EQ(read_string(php_.memory(), name), "name");
  php_.memory().put<uint64_t>(name + 8, 0x800000017c9b0c46);  // the engine's hash of it
  EXPECT_EQ(read_string(php_.memory(), name), "name");
  php_.memory().put<uint64_t>(name + 8, 0x800000017c9b0c47);
  EXPECT_EQ(read_string(php_.memory(), name), std::nullopt);
  const uint64_t unended = php_.text("name");
  php_.memory().put<char>(unended + kStringText + 4, 'x');
  EXPECT_EQ(read_string(php_.memory(), unended), std::nullopt);
  const uint64_t listed = php_.text("name");
  php_.memory().put<uint64_t>(listed, 0x00007f1234567890);  // the next free block
  EXPECT_EQ(read_string(php_.memory(), listed), std::nullopt);
}

TEST_P(ReaderOfFake, does_not_read_a_freed_class) {
  const uint64_t owner = php_.php_class("Box");
  call(function("method", 20, owner), 0, kTop);
  php_.memory().put<uint64_t>(owner, 0x00007f1234567890);
  EXPECT_EQ(read(), Lines{"torn"});
}

TEST_P(ReaderOfFake, is_torn_when_the_function_goes_while_its_name_is_read) {
  const uint64_t name = php_.text("name");
  const uint64_t place = php_.function({.name = name, .file = file_, .line = 1});
  call(place, 0, kTop);
  php_.memory().after_read = [&](uint64_t address) {
    if (address == name + kStringText) php_.fill(place, {.name = name, .file = file_, .line = 70});
  };
  EXPECT_EQ(read(), Lines{"torn"});
}

TEST(php_layout, is_known_of_the_versions_that_it_is_known_of) {
  EXPECT_EQ(layout_of("8.2.35")->version, "8.2");
  EXPECT_EQ(layout_of("7.4")->version, "7.4");
  for (const char* version : {"", "7", "7.3.33", "8.5.0", "8.20.1", "9.0.0", "8"})
    EXPECT_FALSE(layout_of(version)) << version;
}

TEST(php_version, is_found_in_the_header_that_php_adds) {
  EXPECT_EQ(version_in({"\0X-Powered-By: PHP/8.2.35\0rest", 31}), "8.2.35");
  EXPECT_EQ(version_in("X-Powered-By: PHP/8.4.0-dev"), "8.4.0");
  EXPECT_EQ(version_in("X-Powered-By: PHP/"), "");
  EXPECT_EQ(version_in("nothing"), "");
}

}  // namespace
}  // namespace atys::capture::php
