// SPDX-License-Identifier: Apache-2.0
// A request and its response, whichever HTTP they came by.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace atys::net {

using Headers = std::vector<std::pair<std::string, std::string>>;  // names in lower case

struct Peer {
  std::string address;           // "10.0.0.1", "::1"
  std::string certificate_name;  // the common name, where a certificate was asked for and is good
};

// All that is known of a request before its body.
struct RequestHead {
  std::string method;
  std::string path;                                    // without what follows '?', decoded
  std::multimap<std::string, std::string> parameters;  // what follows '?', decoded
  Headers headers;
  Peer peer;
  std::optional<uint64_t> content_length;
  bool is_chunked = false;
  bool keeps_connection = true;

  // The first of that name (in lower case), or null.
  const std::string* find(std::string_view name) const {
    for (const auto& [key, value] : headers)
      if (key == name) return &value;
    return nullptr;
  }
  std::string value(std::string_view name) const {
    const std::string* found = find(name);
    return found == nullptr ? std::string() : *found;
  }
};

struct Request {
  RequestHead head;
  std::string body;
};

// A response that goes on while its thread works.
class Stream {
 public:
  virtual ~Stream() = default;
  // Waits while the reader is slow. False: nobody reads any more.
  virtual bool write(std::string_view bytes) = 0;
  virtual bool is_open() = 0;
};

struct Response {
  int status = 200;
  std::string type;  // Content-Type
  std::string body;
  std::string_view fixed_body;  // instead, where it lives as long as the program
  Headers headers;
  Headers trailers;                     // HTTP/2 only
  std::function<void(Stream&)> stream;  // HTTP/1 only: instead of a body
};

// What is to become of a request, told from its head. Called in the server's own thread: it must not wait for anything.
struct Decision {
  std::optional<Response> answer;  // at once; a body is not read
  bool is_known = false;           // the caller has shown who it is: its connection is not given up for a stranger's
  // Before the body grows to so many bytes; a response refuses it. Null: a small body is read and forgotten.
  std::function<std::optional<Response>(size_t bytes)> grow;
  // In a thread of the pool, with the whole body.
  std::function<Response(Request& request)> work;

  static Decision refuse(Response response) { return {.answer = std::move(response)}; }
};
using Decide = std::function<Decision(const RequestHead& head)>;

}  // namespace atys::net
