"""A web server on this machine alone, which can be made to fail in the ways that real ones do."""

from __future__ import annotations

import hashlib
import json
import threading
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Site:
    """Serves `pages` (path -> bytes), counts `hits`, and spoils the paths named in its fault lists."""

    def __init__(self) -> None:
        self.pages: dict[str, bytes] = {}
        self.hits: Counter[str] = Counter()
        self.cut_short: set[str] = set()
        self.silent: set[str] = set()
        self.unavailable: dict[str, int] = {}  # path -> how many times still
        self._released = threading.Event()
        site = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                site.answer(self)

            def log_message(self, *args: object) -> None:
                """Keep the tests quiet."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        path = request.path
        self.hits[path] += 1
        if path in self.silent:
            self._released.wait(10)
            return
        if self.unavailable.get(path, 0) > 0:
            self.unavailable[path] -= 1
            request.send_error(503)
            return
        if path not in self.pages:
            request.send_error(404)
            return
        body = self.pages[path]
        request.send_response(200)
        request.send_header("Content-Length", str(len(body)))
        request.end_headers()
        request.wfile.write(body[: len(body) // 2] if path in self.cut_short else body)

    def close(self) -> None:
        self._released.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


TABLE = "/data/v1/download/1/table.arff"


def play_openml(site: Site, data_id: int, frame: list[list[object]], columns: list[str]) -> None:
    """Put a dataset on the site as OpenML would: description, features, qualities and an ARFF table."""
    labels = sorted({str(row[-1]) for row in frame})
    lines = ["@RELATION small"]
    lines += [f"@ATTRIBUTE {name} REAL" for name in columns[:-1]]
    lines += [f"@ATTRIBUTE {columns[-1]} {{{','.join(labels)}}}", "@DATA"]
    lines += [",".join(str(value) for value in row) for row in frame]
    table = ("\n".join(lines) + "\n").encode()
    description = {
        "id": str(data_id),
        "name": "small",
        "version": "1",
        "status": "active",
        "format": "ARFF",
        "description": "a small table",
        "url": f"{site.url}{TABLE}",
        "md5_checksum": hashlib.md5(table).hexdigest(),
    }
    features = [
        {
            "index": str(index),
            "name": name,
            "data_type": "nominal" if name == columns[-1] else "numeric",
            "is_target": str(name == columns[-1]).lower(),
            "is_ignore": "false",
            "is_row_identifier": "false",
            "number_of_missing_values": "0",
        }
        for index, name in enumerate(columns)
    ]
    qualities = [{"name": "NumberOfInstances", "value": str(len(frame))}]
    site.pages |= {
        f"/api/{data_id}": json.dumps({"data_set_description": description}).encode(),
        f"/api/features/{data_id}": json.dumps({"data_features": {"feature": features}}).encode(),
        f"/api/qualities/{data_id}": json.dumps({"data_qualities": {"quality": qualities}}).encode(),
        TABLE: table,
    }
