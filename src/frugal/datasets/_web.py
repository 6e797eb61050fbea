"""Downloads that are bounded: by silence, by size, and to the web alone."""

from __future__ import annotations

import http.client
import socket
import urllib.request as web
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.error import URLError
from urllib.parse import unquote, urlsplit

_BLOCK = 2**20
_HANDLERS = (
    web.ProxyHandler,
    web.UnknownHandler,
    web.HTTPHandler,
    web.HTTPSHandler,
    web.HTTPDefaultErrorHandler,
    web.HTTPRedirectHandler,
    web.HTTPErrorProcessor,
)
"""Those of `urllib` without files of this machine, ftp and data in an address."""


@contextmanager
def bounded(*, timeout_s: float, limit: int) -> Iterator[None]:
    """Bound the downloads of clients that use `urllib` inside the block.

    Args:
        timeout_s: seconds a server may stay silent.
        limit: bytes that one answer may have, packed or unpacked; more is an OSError.
    """
    silence, opener = socket.getdefaulttimeout(), web._opener  # type: ignore[attr-defined]
    director = web.OpenerDirector()
    for handler in _HANDLERS:
        director.add_handler(handler())
    director.add_handler(_Limit(limit))
    socket.setdefaulttimeout(timeout_s)
    web.install_opener(director)
    try:
        yield
    finally:
        web.install_opener(opener)
        socket.setdefaulttimeout(silence)


class _Limit(web.BaseHandler):
    """Counts the bytes of each answer as they are read, and refuses a path through `..`."""

    handler_order = 1_001  # after errors and redirections

    def __init__(self, limit: int) -> None:
        self._limit = limit

    def http_request(self, request: web.Request) -> web.Request:
        if ".." in unquote(urlsplit(request.full_url).path).split("/"):
            raise URLError("its address leads through '..', which a cache of files would follow")
        return request

    def http_response(self, request: web.Request, response: http.client.HTTPResponse) -> http.client.HTTPResponse:
        read, count = response.read, _Count(self._limit, response.headers.get("Content-Encoding") == "gzip")

        def counted(size: int | None = None) -> bytes:
            content = read(self._limit + 1 if size is None or size < 0 else size)
            count.add(content)
            return content

        response.read = counted  # type: ignore[method-assign, assignment]
        return response

    https_request, https_response = http_request, http_response


class _Count:
    """Bytes so far, and those that they unpack to."""

    def __init__(self, limit: int, is_packed: bool) -> None:
        self._limit, self._n_bytes = limit, 0
        self._unpacker = _gzip() if is_packed else None

    def add(self, content: bytes) -> None:
        """Count a block.

        Raises:
            OSError: if there are more than the limit.
        """
        while content:
            block, content = content, b""
            if self._unpacker is not None:
                try:
                    block = self._unpacker.decompress(block, _BLOCK)
                except zlib.error as error:
                    raise OSError(f"an answer that cannot be unpacked: {error}") from error
                content = self._unpacker.unconsumed_tail
                if self._unpacker.eof:  # gzip files may have several members, one after the other
                    content, self._unpacker = self._unpacker.unused_data, _gzip()
            self._n_bytes += len(block)
            if self._n_bytes > self._limit:
                raise OSError(f"an answer of more than {self._limit} bytes, the most that are expected")


def _gzip() -> Any:
    return zlib.decompressobj(wbits=31)
