# SPDX-License-Identifier: Apache-2.0
"""Requests as tornado sees them: start lines, headers, queries, forms, dates, templates, and one cookie with a long quoted value."""
from tornado import escape, httputil, template
from tornado.util import GzipDecompressor, ObjectDict
import gzip

PAGE = template.Template("{% for x in xs %}<a href='{{ x }}'>{{ escape(x) }}</a>{% end %}")


def request(number, cookie):
    start = httputil.parse_request_start_line(f"GET /item/{number}?a=1&b=2&c={number} HTTP/1.1")
    headers = httputil.HTTPHeaders.parse("Host: localhost\r\nAccept: */*\r\nX-Number: %d\r\n" % number)
    headers.add("Cookie", cookie)
    asked = httputil.HTTPServerRequest(method=start.method, uri=start.path, headers=headers)
    arguments, files = {}, {}
    httputil.parse_body_arguments("application/x-www-form-urlencoded", b"name=abc&value=%d" % number, arguments, files)
    httputil.format_timestamp(1700000000 + number)
    httputil.url_concat("http://localhost/", {"a": number, "b": "c"})
    escape.json_encode({"n": number, "list": list(range(20))})
    escape.linkify(f"see http://example.com/{number} there")
    escape.xhtml_escape("<a>&</a>" * 20)
    GzipDecompressor().decompress(gzip.compress(b"x" * 2000))
    ObjectDict(a=1)
    PAGE.generate(xs=[f"/x/{i}" for i in range(20)])
    return len(asked.cookies)


print(sum(request(number, "session=abc; theme=dark") for number in range(2500)), request(0, 'evil="' + "\\a" * 14000 + '"'))
