# SPDX-License-Identifier: Apache-2.0
"""Records are loaded and dumped; one batch is wrong in every row."""
from marshmallow import Schema, ValidationError, fields, validate


class Person(Schema):
    name = fields.Str(required=True, validate=validate.Length(min=1, max=40))
    mail = fields.Email()
    age = fields.Int(validate=validate.Range(min=0, max=150))
    born = fields.Date()
    site = fields.Url()
    tags = fields.List(fields.Str())
    extra = fields.Dict(keys=fields.Str(), values=fields.Float())


def good(count):
    rows = [{"name": f"n{i}", "mail": f"a{i}@example.com", "age": i % 90, "born": "2001-02-03", "site": "http://example.com/a",
             "tags": ["a", "b"], "extra": {"x": 1.5}} for i in range(count)]
    return len(Person(many=True).dumps(Person(many=True).load(rows)))


def wrong(count):
    try:
        Person(many=True).load([{"name": "", "age": -1} for _ in range(count)])
    except ValidationError as error:
        return len(error.messages)


print(good(5000), wrong(9000))
