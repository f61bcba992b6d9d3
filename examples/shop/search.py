#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A search service: ranks documents for a query. Most of its time goes into splitting the same texts again and again."""
import http.server
import sys
import urllib.parse

DOCUMENTS = [" ".join(f"word{(i * j) % 97}" for j in range(1, 60)) for i in range(200)]


def tokenize(text: str) -> list[str]:
    words = []
    for word in text.split(" "):
        words.append(word.strip(".,").lower())
    return words


def score(query: set[str], document: str) -> int:
    return sum(1 for word in tokenize(document) if word in query)


def rank(query: str) -> list[int]:
    wanted = set(tokenize(query))
    order = sorted(range(len(DOCUMENTS)), key=lambda i: score(wanted, DOCUMENTS[i]), reverse=True)
    return order[:10]


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        query = urllib.parse.parse_qs(urllib.parse.urlparse(self.path).query).get("q", ["word3 word5"])[0]
        body = (str(rank(query)) + "\n").encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_) -> None:
        pass


http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
