# SPDX-License-Identifier: Apache-2.0
"""A request repeats one header many times."""
from tornado.httputil import HTTPHeaders

headers = HTTPHeaders()
for number in range(9000):
    headers.add("X-Forwarded-For", "192.168.100.%d, of a rather long name of a proxy in between" % (number % 250))
print(len(headers["X-Forwarded-For"]))
