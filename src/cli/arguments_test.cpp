// SPDX-License-Identifier: Apache-2.0
#include "cli/arguments.h"

#include <gtest/gtest.h>

namespace atys::cli {
namespace {

using Words = std::vector<std::string>;

// A verb by its name, as the command line has it.
class Verb {
 public:
  explicit Verb(std::string_view name) {
    for (auto& subcommand : all_subcommands())
      if (subcommand->manual().name == name) subcommand_ = std::move(subcommand);
    app_ = make_app(*subcommand_);
  }
  Result<Arguments> read(const Words& words) const { return tell_apart(*app_, subcommand_->manual(), words); }
  std::string why_not(const Words& words) const {
    const auto read_words = read(words);
    return read_words.ok() ? "" : read_words.error().message + "; " + read_words.error().hint;
  }

 private:
  std::unique_ptr<Subcommand> subcommand_;
  std::unique_ptr<CLI::App> app_;
};

TEST(arguments, first_word_that_is_no_option_begins_the_command) {
  const Verb capture("capture");
  struct Case {
    Words words, own, command, like_ours;
  };
  const Case cases[] = {
      {{"python3", "-m", "foo", "--json"}, {}, {"python3", "-m", "foo", "--json"}, {"--json"}},
      {{"--json", "ls", "-l"}, {"--json"}, {"ls", "-l"}, {}},
      {{"-o", "x.pb", "--kind", "wall", "./a", "-o", "b"}, {"-o", "x.pb", "--kind", "wall"}, {"./a", "-o", "b"}, {"-o"}},
      {{"-ox.pb", "--kind=wall", "./a"}, {"-ox.pb", "--kind=wall"}, {"./a"}, {}},
      // A value is a value whatever it looks like.
      {{"--label", "--x=1", "./a"}, {"--label", "--x=1"}, {"./a"}, {}},
      {{"--label", "a=1", "--label", "b=2", "./a", "--label=c=3"},
       {"--label", "a=1", "--label", "b=2"},
       {"./a", "--label=c=3"},
       {"--label"}},
      {{"--pid", "1", "2,3", "ls"}, {"--pid", "1", "2,3"}, {"ls"}, {}},
      {{"--", "./a", "--json", "--", "b"}, {}, {"./a", "--json", "--", "b"}, {}},
      {{"./a", "--", "--json"}, {}, {"./a", "--", "--json"}, {"--json"}},
      {{"--json", "--", "--help"}, {"--json"}, {"--help"}, {}},
      {{"-"}, {}, {"-"}, {}},
      {{""}, {}, {""}, {}},
      {{"--ab", "A", "B", "--json"}, {"--ab", "A", "B", "--json"}, {}, {}},
      {{"--ab", "--", "a", "1", "--", "b"}, {"--ab"}, {"a", "1", "--", "b"}, {}},
  };
  for (const Case& one : cases) {
    const auto read = capture.read(one.words);
    ASSERT_TRUE(read.ok()) << read.error().message;
    EXPECT_EQ(read->own, one.own);
    EXPECT_EQ(read->command, one.command);
    EXPECT_EQ(read->like_ours, one.like_ours);
  }
}

TEST(arguments, other_verbs_take_a_command_behind_the_mark_only) {
  const auto compare = Verb("compare").read({"--max-runs", "5", "--", "a", "[1,2]", "--", "b"});
  ASSERT_TRUE(compare.ok());
  EXPECT_EQ(compare->own, (Words{"--max-runs", "5"}));
  EXPECT_EQ(compare->command, (Words{"a", "[1,2]", "--", "b"}));
  const auto summary = Verb("summary").read({"--top", "5", "--", "-strange-name"});
  ASSERT_TRUE(summary.ok());
  EXPECT_EQ(summary->own, (Words{"--top", "5", "--", "-strange-name"}));
  EXPECT_TRUE(summary->command.empty());
}

TEST(arguments, say_which_option_may_have_been_meant) {
  const Verb capture("capture");
  EXPECT_EQ(capture.why_not({"--durration", "5s", "ls"}),
            "--durration is no option of atys capture; did you mean --duration?");
  EXPECT_EQ(capture.why_not({"-duration", "5s", "ls"}), "-duration is no option of atys capture; did you mean --duration?");
  EXPECT_EQ(capture.why_not({"--durration=5s", "ls"}), "--durration is no option of atys capture; did you mean --duration?");
  EXPECT_EQ(capture.why_not({"--zzzzzz", "ls"}), "--zzzzzz is no option of atys capture; see atys capture --help");
  EXPECT_EQ(capture.why_not({"-x", "ls"}), "-x is no option of atys capture; see atys capture --help");
  // Of the command, not of ours.
  EXPECT_EQ(capture.why_not({"ls", "--durration"}), "");
}

TEST(arguments, say_what_is_missing_or_too_much) {
  EXPECT_EQ(Verb("summary").why_not({"x", "--top"}), "--top has no value; write --top K; see atys summary --help");
  EXPECT_EQ(Verb("summary").why_not({"x", "--top", "1", "--top", "2"}), "--top is given twice; give it once");
  EXPECT_EQ(Verb("summary").why_not({"x", "--json", "y"}),
            "'y' is one word too many; atys summary takes one PROFILE; see atys summary --help");
  EXPECT_EQ(Verb("diff").why_not({"x", "y", "z"}),
            "'z' is one word too many; atys diff takes one BASE and NEW; see atys diff --help");
  EXPECT_EQ(Verb("list").why_not({"x"}), "'x' is one word too many; atys list takes options alone; see atys list --help");
  EXPECT_EQ(Verb("merge").why_not({"x", "y", "z"}), "");
  EXPECT_EQ(Verb("summary").why_not({""}), "PROFILE is empty; is a variable of your script not set?");
  EXPECT_EQ(Verb("diff").why_not({"", "x"}), "BASE is empty; is a variable of your script not set?");
  EXPECT_EQ(Verb("diff").why_not({"x", ""}), "NEW is empty; is a variable of your script not set?");
  EXPECT_EQ(Verb("summary").why_not({"--focus=", "x"}), "--focus= is empty; is a variable of your script not set?");
  EXPECT_EQ(Verb("capture").why_not({"--freq", "", "true"}), "--freq is empty; is a variable of your script not set?");
  EXPECT_EQ(Verb("summary").why_not({"--focus", "", "x"}), "") << "a pattern may be empty";
  EXPECT_EQ(Verb("capture").why_not({"true", ""}), "") << "so may a word of the command";
  EXPECT_EQ(Verb("summary").why_not({"x", "--label", "a=1", "--label", "b=2"}), "");
}

TEST(arguments, every_option_of_every_verb_is_understood) {
  for (const auto& subcommand : all_subcommands()) {
    const auto app = make_app(*subcommand);
    for (const CLI::Option* option : app->get_options()) {
      for (const std::string& name : option->get_lnames()) {
        EXPECT_EQ(option_of(*app, "--" + name), option) << name;
        EXPECT_FALSE(option->get_description().empty() && !option->get_group().empty()) << name << " has no help";
      }
    }
  }
}

}  // namespace
}  // namespace atys::cli
