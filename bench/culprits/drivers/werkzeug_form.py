# SPDX-License-Identifier: Apache-2.0
"""A WSGI application: requests with cookies, queries, JSON and small forms, and an upload that comes in pieces and is full of line ends."""
import io
import json

from werkzeug.datastructures import Headers
from werkzeug.exceptions import HTTPException
from werkzeug.http import dump_cookie, parse_accept_header, parse_date, parse_dict_header
from werkzeug.routing import Map, Rule
from werkzeug.security import generate_password_hash
from werkzeug.test import EnvironBuilder
from werkzeug.utils import secure_filename
from werkzeug.wrappers import Request, Response

ROUTES = Map([Rule(f"/api/v{version}/item/<int:item>/<string:name>", endpoint=f"item{version}") for version in range(20)] +
             [Rule("/upload", endpoint="upload")])


class Pieces:
    """A connection that gives a few kilobytes at a time."""

    def __init__(self, body):
        self.body = io.BytesIO(body)

    def read(self, size=-1):
        return self.body.read(min(size, 4096) if size > 0 else 4096)


def application(environ):
    request = Request(environ)
    endpoint, values = ROUTES.bind_to_environ(environ).match()
    answer = Response(json.dumps({"endpoint": endpoint, "values": values, "query": request.args.to_dict(), "cookies": dict(request.cookies)}))
    answer.headers["Set-Cookie"] = dump_cookie("session", "x" * 20)
    if endpoint == "upload":
        answer.set_data(str(sum(len(file.read()) for file in request.files.values())))
    return answer


def small_requests(count):
    for number in range(count):
        builder = EnvironBuilder(f"/api/v{number % 20}/item/{number}/name{number}", query_string={"a": number, "b": "c" * 20},
                                 headers={"Cookie": "; ".join(f"k{i}=v{i}" for i in range(10))})
        application(builder.get_environ()).get_data()
        parse_accept_header("text/html,application/xhtml+xml;q=0.9,*/*;q=0.8")
        parse_dict_header('realm="a", nonce="b", qop="auth"')
        parse_date("Wed, 21 Oct 2015 07:28:00 GMT")
        secure_filename(f"../../name {number}.txt")
        Headers([("X-A", "1"), ("X-B", "2")]).to_wsgi_list()
        try:
            ROUTES.bind("localhost").match(f"/none/{number}")
        except HTTPException:
            pass


def upload(size):
    body = (b"--limit\r\nContent-Disposition: form-data; name=f; filename=f\r\nContent-Type: application/octet-stream\r\n\r\n\n" +
            b"a" * size + b"\r\n--limit--\r\n")
    environ = EnvironBuilder("/upload", method="POST").get_environ()
    environ.update({"CONTENT_TYPE": "multipart/form-data; boundary=limit", "CONTENT_LENGTH": str(len(body)), "wsgi.input": Pieces(body)})
    return application(environ).get_data()


small_requests(2500)
generate_password_hash("secret", "pbkdf2:sha256:200000")
print(upload(3_000_000))
