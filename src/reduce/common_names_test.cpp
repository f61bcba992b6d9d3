// SPDX-License-Identifier: Apache-2.0
#include "reduce/common_names.h"

#include <gtest/gtest.h>

#include "reduce/diff.h"
#include "support/generated_profiles.h"
#include "support/profile_text.h"

namespace atys::reduce {

using namespace profile;

namespace {

struct Call {
  std::string name;
  std::string file;
  int64_t start = 0;
  int64_t line = 0;
  std::string module = {};
  std::string build_id = {};
  uint64_t address = 0;  // without a name
};

// A profile of stacks, root first, each worth so many samples.
Profile profile_of(const std::vector<std::pair<std::vector<Call>, int64_t>>& stacks) {
  Profile profile;
  profile.add_value_type("samples", "count");
  for (const auto& [calls, value] : stacks) {
    std::vector<FrameId> frames;
    for (size_t i = calls.size(); i-- > 0;) {
      const Call& call = calls[i];
      Frame frame;
      frame.address = call.address;
      Mapping mapping;
      mapping.limit = 1 << 20;
      mapping.filename = profile.strings.intern(call.module);
      mapping.build_id = profile.strings.intern(call.build_id);
      if (!call.module.empty()) frame.mapping = profile.mappings.intern(mapping);
      const Line line{call.line, 0,
                      profile.functions.intern(
                          {profile.strings.intern(call.name), kNoString, profile.strings.intern(call.file), call.start})};
      if (!call.name.empty()) frame.lines = profile.lines.intern({&line, 1});
      frames.push_back(profile.frames.intern(frame));
    }
    profile.samples.add(profile.stacks.intern(frames), kNoLabels, {&value, 1});
  }
  return profile;
}

Diff diff_by(const Profile& base, const Profile& fresh, DimensionKind kind) {
  const NamedAlike both = named_alike(base, fresh);
  return diff(top(both.base, 0, {kind, {}}), top(both.fresh, 0, {kind, {}}), Measure::Self);
}

Profile in_folder(const std::string& root, int64_t of_slow, int64_t moved_by = 0) {
  const Call main{"main", root + "/app.py", 1, 4};
  return profile_of({{{main, {"load", root + "/io/util.py", 7 + moved_by, 9 + moved_by}}, 300},
                     {{main, {"slow", root + "/app.py", 20 + moved_by, 25 + moved_by}}, of_slow},
                     {{main, {"memcpy", "", 0, 0, "/lib/libc.so.6", "aa"}}, 200}});
}

}  // namespace

TEST(common_names, makes_two_folders_compare) {
  for (const DimensionKind kind :
       {DimensionKind::Function, DimensionKind::File, DimensionKind::Line, DimensionKind::Module}) {
    const Diff found = diff_by(in_folder("/w/old", 500), in_folder("/w/new", 500), kind);
    EXPECT_TRUE(found.rows.empty()) << static_cast<int>(kind);
    EXPECT_EQ(found.distance, 0);
  }
}

TEST(common_names, follows_lines_that_moved) {
  const Diff found = diff_by(in_folder("/w/old", 500), in_folder("/w/new", 500, 40), DimensionKind::Line);
  EXPECT_TRUE(found.rows.empty());
}

TEST(common_names, shows_what_changed_and_nothing_else) {
  const Diff found = diff_by(in_folder("/w/old", 4000), in_folder("/w/new", 500), DimensionKind::Function);
  ASSERT_FALSE(found.rows.empty());
  EXPECT_EQ(found.rows.front().entity.name, "slow");
  EXPECT_EQ(found.rows.front().entity.file, "/w/new/app.py");
  EXPECT_EQ(found.rows.size(), 3u);
}

TEST(common_names, says_how_functions_were_found) {
  const NamedAlike both = named_alike(in_folder("/w/old", 500), in_folder("/w/new", 500));
  EXPECT_EQ(both.report.by_folder, 3u);
  EXPECT_EQ(both.report.same_place, 1u);
  ASSERT_EQ(both.report.folders.size(), 1u);
  EXPECT_EQ(both.report.folders[0].base, "/w/old");
  EXPECT_EQ(both.report.folders[0].fresh, "/w/new");
  EXPECT_EQ(both.report.only_base + both.report.only_fresh, 0u);
}

TEST(common_names, believes_the_users_maps_first) {
  const Profile base = profile_of({{{{"f", "/w/alpha/x.py"}, {"g", "/w/alpha/x.py"}}, 1}});
  const Profile fresh = profile_of({{{{"f", "/w/beta/y.py"}}, 1}, {{{"f", "/w/gamma/y.py"}}, 1}});
  EXPECT_EQ(named_alike(base, fresh).report.only_base, 2u);
  const NamedAlike both = named_alike(base, fresh, {{"/w/alpha/x.py", "/w/gamma/y.py"}});
  EXPECT_EQ(both.report.same_place, 1u);
  EXPECT_EQ(both.report.only_base, 1u);
  // A map ends where a part of the path does.
  EXPECT_EQ(named_alike(base, fresh, {{"/w/alp", "/w/gam"}}).report.only_base, 2u);
  EXPECT_FALSE(parse_path_map("x").ok());
  EXPECT_FALSE(parse_path_map("=y").ok());
  EXPECT_EQ(parse_path_map("a=").take().to, "");
}

TEST(common_names, takes_code_without_names_together_where_it_was_built_anew) {
  const auto program = [](const std::string& module, const std::string& build_id, uint64_t at) {
    return profile_of(
        {{{Call{"", "", 0, 0, module, build_id, at}}, 5}, {{Call{"", "", 0, 0, module, build_id, at + 64}}, 5}});
  };
  EXPECT_TRUE(diff_by(program("/old/p", "aa", 100), program("/new/p", "bb", 300), DimensionKind::Function).rows.empty());
  // The same build: addresses tell.
  EXPECT_EQ(diff_by(program("/old/p", "aa", 100), program("/new/p", "aa", 300), DimensionKind::Function).rows.size(), 4u);
}

TEST(common_names, holds_for_several_runs_each_in_a_folder_of_its_own) {
  CommonNames names;
  const std::vector<std::string> folders{"/srv/r1", "/srv/r2", "/srv/r3", "/srv/r4"};
  for (size_t i = 0; i < folders.size(); ++i) names.add(in_folder(folders[i], 500), i < 2 ? Side::Base : Side::Fresh);
  names.settle();
  const std::string common = test::to_text(names.renamed(in_folder(folders[2], 500), Side::Fresh));
  for (size_t i = 0; i < folders.size(); ++i) {
    const Profile renamed = names.renamed(in_folder(folders[i], 500), i < 2 ? Side::Base : Side::Fresh);
    EXPECT_EQ(top(renamed, 0, {}).rows.front().entity.file, "/srv/r3/app.py");
    EXPECT_EQ(test::to_text(renamed), common);
  }
  EXPECT_EQ(names.report().only_base + names.report().only_fresh, 0u);
}

// diff(a, a) = 0, whatever is in it, and nothing but names is touched.
TEST(common_names, leaves_a_profile_that_is_compared_with_itself_as_it_is) {
  for (const Profile& profile : test::generate_profiles(5)) {
    if (profile.value_types().empty()) continue;
    const NamedAlike both = named_alike(profile, profile);
    EXPECT_EQ(test::to_text(both.base), test::to_text(both.fresh));
    EXPECT_EQ(both.base.samples.size(), profile.samples.size());
    EXPECT_EQ(both.report.elsewhere() + both.report.only_base + both.report.only_fresh, 0u);
    const Diff found = diff(top(both.base, 0, {}), top(both.fresh, 0, {}), Measure::Self);
    EXPECT_TRUE(found.rows.empty());
  }
}

}  // namespace atys::reduce
