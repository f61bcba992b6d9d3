// SPDX-License-Identifier: Apache-2.0
#include "cli/complete.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>

namespace atys::cli {
namespace {

using Words = std::vector<std::string>;

Words values(const Words& words) {
  Words result;
  for (const verbs::Candidate& candidate : complete(words).candidates) result.push_back(candidate.value);
  return result;
}

bool has(const Words& words, const std::string& value) { return std::ranges::find(words, value) != words.end(); }

TEST(complete, verbs_by_their_beginning) {
  EXPECT_EQ(values({"cap"}), Words{"capture"});
  EXPECT_EQ(values({"co"}), (Words{"compare", "convert", "controller", "completion"}));
  EXPECT_EQ(values({"--v"}), Words{"--version"});
  EXPECT_TRUE(values({"nosuchverb", ""}).empty());
  EXPECT_TRUE(complete({}).candidates.empty());
}

TEST(complete, options_of_the_verb_with_what_they_do) {
  const Completion completion = complete({"capture", "--dur"});
  ASSERT_EQ(completion.candidates.size(), 1u);
  EXPECT_EQ(completion.candidates[0].value, "--duration");
  EXPECT_FALSE(completion.candidates[0].text.empty());
  EXPECT_FALSE(has(values({"capture", "--duration", "5s", "--du"}), "--duration")) << "it was given already";
  EXPECT_TRUE(has(values({"capture", "--label", "a=b", "--la"}), "--label")) << "it may be given again";
  EXPECT_FALSE(has(values({"mcp", "--wor"}), "--worker")) << "it is hidden";
}

TEST(complete, values_by_what_they_are_one_of) {
  EXPECT_EQ(values({"capture", "--kind", "o"}), Words{"off-cpu"});
  EXPECT_EQ(values({"capture", "--kind=o"}), Words{"--kind=off-cpu"});
  EXPECT_TRUE(has(values({"capture", "--kind", "event:page"}), "event:page-faults"));
  EXPECT_EQ(values({"summary", "x", "--form", "t"}), (Words{"table", "tree"}));
  EXPECT_EQ(values({"link", "x", "--form", "r"}), Words{}) << "link has no form raw";
  EXPECT_EQ(values({"capture", "--tier", "e"}), Words{"ebpf"});
  EXPECT_EQ(values({"help", "cap"}), Words{"capture"});
  EXPECT_EQ(values({"completion", "f"}), Words{"fish"});
  EXPECT_EQ(values({"summary", "x", "--color", "n"}), Words{"never"});
  EXPECT_TRUE(has(values({"convert", "x", "--to", "p"}), "pprof"));
}

TEST(complete, processes_with_their_names) {
  const std::string parent = std::to_string(::getppid());
  const Completion completion = complete({"capture", "--pid", parent});
  const auto found = std::ranges::find(completion.candidates, parent, &verbs::Candidate::value);
  ASSERT_NE(found, completion.candidates.end());
  EXPECT_FALSE(found->text.empty());
  EXPECT_TRUE(has(values({"capture", "--pid", "1," + parent}), "1," + parent)) << "the last of a list";
  EXPECT_TRUE(has(values({"detect", parent}), parent));
}

TEST(complete, files_where_a_file_belongs) {
  EXPECT_EQ(complete({"summary", ""}).shell, Completion::Shell::Files);
  EXPECT_EQ(complete({"diff", "a", ""}).shell, Completion::Shell::Files);
  EXPECT_EQ(complete({"merge", "a", "b", ""}).shell, Completion::Shell::Files);
  EXPECT_EQ(complete({"capture", "-o", ""}).shell, Completion::Shell::Files);
  EXPECT_EQ(complete({"controller", "--data", ""}).shell, Completion::Shell::Folders);
  const Completion inside = complete({"flame", "x", "--output=a/"});
  EXPECT_EQ(inside.shell, Completion::Shell::Files);
  EXPECT_EQ(inside.before, "--output=");
  EXPECT_EQ(complete({"summary", "x", "--top", ""}).shell, Completion::Shell::Nothing);
}

TEST(complete, a_command_is_the_shells) {
  struct Case {
    Words words;
    size_t before;
  };
  for (const auto& [words, before] :
       {Case{{"capture", ""}, 1}, Case{{"capture", "pyt"}, 1}, Case{{"capture", "--kind", "wall", "ls", ""}, 3},
        Case{{"capture", "--", "ls", "-"}, 2}, Case{{"compare", "--", "a", "--", "b", ""}, 4},
        Case{{"top", "ls", "--json"}, 1}}) {
    const Completion completion = complete(words);
    EXPECT_EQ(completion.shell, Completion::Shell::Command) << words.back();
    EXPECT_EQ(completion.words_before, before) << words.back();
  }
}

TEST(complete, offers_options_where_nothing_else_can_stand) {
  EXPECT_TRUE(has(values({"list", ""}), "--json"));
  EXPECT_TRUE(has(values({"summary", "x", ""}), "--top"));
}

TEST(candidates, are_plain_words_for_every_shell) {
  for (const char* word : {"nginx", "event:page-faults", "/a/b.c", "12,13"}) EXPECT_TRUE(verbs::is_plain_word(word)) << word;
  for (const char* word : {"", "$(reboot)", "a b", "`x`", "-rf", "a;b", "a'b", "a\tb", "a\nb", "~x", "*", "a&b", "\xc3\xa4"})
    EXPECT_FALSE(verbs::is_plain_word(word)) << word;
}

}  // namespace
}  // namespace atys::cli
