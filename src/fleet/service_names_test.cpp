// SPDX-License-Identifier: Apache-2.0
#include "fleet/service_names.h"

#include <gtest/gtest.h>

namespace atys::fleet {

namespace {

// "FOLDER/NAME", or "FOLDER/NAME in PLACE"
ServiceKey key(const std::string& text) {
  const size_t in = text.find(" in ");
  const std::string path = text.substr(0, in);
  const size_t slash = path.rfind('/');
  return {path.substr(slash + 1), path.substr(0, slash), in == std::string::npos ? "" : text.substr(in + 4)};
}

std::vector<BusyService> running(const std::vector<std::string>& texts) {
  std::vector<BusyService> all;
  for (const std::string& text : texts) all.push_back({.key = key(text), .processes = 1});
  return all;
}

// What they are called when all are seen at once.
std::vector<std::string> names(const std::vector<std::string>& texts) {
  ServiceNames names;
  std::vector<std::string> all;
  for (const std::string& text : texts) all.push_back(names.name_of(key(text), running(texts)));
  return all;
}

using Texts = std::vector<std::string>;

}  // namespace

TEST(service_names, are_short_where_nothing_else_is_called_that) {
  EXPECT_EQ(names({"/srv/a/app.py", "/usr/bin/server"}), (Texts{"app.py", "server"}));
}

TEST(service_names, say_the_least_that_differs) {
  EXPECT_EQ(names({"/srv/a/app.py", "/srv/b/app.py"}), (Texts{"a/app.py", "b/app.py"}));
  EXPECT_EQ(names({"/srv/a/venv/bin/gunicorn", "/srv/b/venv/bin/gunicorn"}), (Texts{"a/gunicorn", "b/gunicorn"}));
  EXPECT_EQ(names({"/opt/a/bin/server", "/usr/sbin/server"}), (Texts{"a/server", "sbin/server"}));
  EXPECT_EQ(names({"/a/x/s", "/a/y/s", "/b/x/s"}), (Texts{"a/x/s", "y/s", "b/s"}));
  EXPECT_EQ(names({"/srv/s", "/srv/a/s"}), (Texts{"srv/s", "a/s"}));
}

TEST(service_names, prefer_what_somebody_has_called_it) {
  EXPECT_EQ(names({"/srv/a/app.py in shop", "/srv/b/app.py in till"}), (Texts{"shop/app.py", "till/app.py"}));
  EXPECT_EQ(names({"/app/server in shop", "/app/server in till", "/app/server"}),
            (Texts{"shop/server", "till/server", "server"}));
  EXPECT_EQ(names({"/a/s in shop", "/b/s in shop", "/a/s in till"}), (Texts{"shop/a/s", "b/s", "till/s"}));
}

TEST(service_names, do_not_change_when_others_come) {
  ServiceNames names;
  EXPECT_EQ(names.name_of(key("/srv/a/app.py"), running({"/srv/a/app.py"})), "app.py");
  const auto both = running({"/srv/a/app.py", "/srv/b/app.py"});
  EXPECT_EQ(names.name_of(key("/srv/b/app.py"), both), "b/app.py");
  EXPECT_EQ(names.name_of(key("/srv/a/app.py"), both), "app.py");
  // Nor when the first is gone, or comes back.
  EXPECT_EQ(names.name_of(key("/srv/b/app.py"), running({"/srv/b/app.py"})), "b/app.py");
  EXPECT_EQ(names.name_of(key("/srv/a/app.py"), both), "app.py");
  EXPECT_EQ(names.names().size(), 2u);
}

TEST(service_names, go_from_a_release_to_the_next) {
  ServiceNames names;
  EXPECT_EQ(names.name_of(key("/srv/shop/releases/41/app.py"), running({"/srv/shop/releases/41/app.py"})), "app.py");
  EXPECT_EQ(names.name_of(key("/srv/shop/releases/42/app.py"), running({"/srv/shop/releases/42/app.py"})), "app.py");
  // What runs beside it is another, and so is what only has the same name.
  EXPECT_EQ(names.name_of(key("/srv/shop/releases/43/app.py"),
                          running({"/srv/shop/releases/42/app.py", "/srv/shop/releases/43/app.py"})),
            "43/app.py");
  EXPECT_EQ(names.name_of(key("/srv/till/app.py"), running({"/srv/till/app.py"})), "till/app.py");
  // A unit that is called as before is the same service, wherever its code is.
  EXPECT_EQ(names.name_of(key("/opt/v1/s in shop"), running({"/opt/v1/s in shop"})), "s");
  EXPECT_EQ(names.name_of(key("/opt/new/s in shop"), running({"/opt/new/s in shop"})), "s");
}

TEST(service_names, of_an_earlier_run_are_kept) {
  ServiceNames names;
  names.keep(key("/srv/b/app.py"), "app.py");
  names.keep(key("/srv/c/app.py"), "app.py");  // twice the same: somebody has edited the file
  const auto all = running({"/srv/a/app.py", "/srv/b/app.py"});
  EXPECT_EQ(names.name_of(key("/srv/a/app.py"), all), "a/app.py");
  EXPECT_EQ(names.name_of(key("/srv/b/app.py"), all), "app.py");
}

TEST(service_names, are_read_as_they_were_written) {
  ServiceNames names;
  names.keep(key("/srv/b \xff/app.py in \"x\""), "app.py");
  names.keep(key("/srv/c/app.py"), "c/app.py");
  ServiceNames again;
  again.read(names.text());
  EXPECT_EQ(again.names(), names.names());
  for (const char* bad : {"", "{", "{}", "[1, null, {}]", R"([{"name": 7}])", R"([{"name": ""}])"}) {
    ServiceNames none;
    none.read(bad);
    EXPECT_TRUE(none.names().empty()) << bad;
  }
}

TEST(service_names, are_different_even_where_nothing_can_be_told) {
  const ServiceKey hidden{"server", "", ""};
  ServiceNames names;
  names.keep({"x", "/x", ""}, "server");
  EXPECT_EQ(names.name_of(hidden, {}), "server-2");
}

}  // namespace atys::fleet
