// SPDX-License-Identifier: Apache-2.0
#include "fleet/wire/token_in_clear.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace atys::fleet {

TEST(token_in_clear, what_stays_on_this_machine) {
  for (const char* address : {"127.0.0.1:4317", "127.3.2.1:1", "localhost:4317", "[::1]:4317", "unix:/run/atys.sock",
                              "http://127.0.0.1:4318/", "https://localhost:1", "ipv4:127.0.0.1:5"})
    EXPECT_TRUE(stays_on_machine(address)) << address;
  for (const char* address :
       {"10.0.0.1:4317", "127.example.com:4317", "localhost.example.com:1", "[2001:db8::1]:4317", "http://root.example:4318",
        "0.0.0.0:1", "root", "", ":4317", "http://127.0.0.1.example:1", "http://example/127.0.0.1:1"})
    EXPECT_FALSE(stays_on_machine(address)) << address;
}

TEST(token_in_clear, only_whoever_says_so_sends_one) {
  const auto check = [](const char* address, const char* token, bool tls, bool allowed) {
    return check_token_is_safe(address, token, tls, allowed, "use --tls", "say --insecure-token").ok();
  };
  ::unsetenv("ATYS_INSECURE_TOKEN");
  EXPECT_FALSE(check("10.0.0.1:4317", "secret", false, false));
  EXPECT_TRUE(check("10.0.0.1:4317", "", false, false));
  EXPECT_TRUE(check("10.0.0.1:4317", "secret", true, false));
  EXPECT_TRUE(check("10.0.0.1:4317", "secret", false, true));
  EXPECT_TRUE(check("127.0.0.1:4317", "secret", false, false));
  ::setenv("ATYS_INSECURE_TOKEN", "1", 1);
  EXPECT_TRUE(check("10.0.0.1:4317", "secret", false, false));
  ::unsetenv("ATYS_INSECURE_TOKEN");
}

}  // namespace atys::fleet
