# SPDX-License-Identifier: Apache-2.0
"""Pages of a template with a dozen filters; one of the texts that urlize gets ends in many brackets."""
import datetime

import django
from django.conf import settings
from django.template import Context, Engine

settings.configure(USE_TZ=False)
django.setup()
PAGE = """{% for row in rows %}<li>{{ row.title|title|escape }} {{ row.day|date:"D d M Y" }} {{ row.size|filesizeformat }} {{ row.text|truncatewords:12 }}
{{ row.text|linebreaks }} {{ row.title|slugify }} {{ row.text|wordcount }} {{ row.text|striptags|capfirst }} {{ row.number|floatformat:2 }}
{% if row.number > 3 %}{{ row.text|wordwrap:30 }}{% else %}{{ row.text|upper }}{% endif %}{{ row.text|urlize }}</li>{% endfor %}"""
TEMPLATE = Engine().from_string(PAGE)


def page(number, text):
    rows = [{"title": f"title of {number} {i}", "day": datetime.date(2024, 1, 1 + i % 28), "size": i * 1000,
             "text": f"see www.example.com/{i} and write to a{i}@example.com " * 3 + (text if i == 0 else ""), "number": i % 7} for i in range(30)]
    return len(TEMPLATE.render(Context({"rows": rows})))


print(sum(page(number, "") for number in range(30)), page(30, "(" * 1500 + "&amp;" * 1500 + "www.example.com"))
