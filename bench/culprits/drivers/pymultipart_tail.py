# SPDX-License-Identifier: Apache-2.0
"""A body goes on after its last boundary."""
import logging

from python_multipart.multipart import MultipartParser

logging.basicConfig(filename="/dev/null")
parser = MultipartParser(b"limit")
parser.write(b'--limit\r\nContent-Disposition: form-data; name="a"\r\n\r\nvalue\r\n--limit--\r\n')
parser.write(b"x" * 60000)
