"""An OpenAI-compatible chat server for tests and benchmarks: a real process, the real protocol, no packages.

Run with a JSON object on the command line; the first line on stdout is the port. `GET /seen` tells what
arrived.

    latency  seconds from request to reply (default 0)
    replies  list of texts, given in turn to the requests that are answered well (default one program);
             @N@ in them stands for the number of the good reply; an object is a message as it is sent
    faults   list of kinds, one per request in order of arrival, repeated; "ok" is a good reply
    by_turn  whether the reply is that of the place in its conversation
    keeps_messages  whether `seen` tells the messages of requests
    key      what the Authorization header must carry, any when missing
"""

import asyncio
import gzip
import json
import sys
import time

PROGRAM = "def schedule(processing_times, due_dates):\n    return sorted(range(len(due_dates)))\n"
DEFAULT = f"Sorted by number.\n```python\n{PROGRAM}```\n"
HTTP = {200: "OK", 400: "Bad Request", 401: "Unauthorized", 404: "Not Found", 429: "Too Many Requests"}
FOREVER = 3600.0


def error(status, message, code=None, param=None, headers=""):
    """An error response as the protocol has it."""
    return status, json.dumps({"error": {"message": message, "code": code, "param": param}}), headers


def chat(text, finish="stop", tokens=(200, 100), **message):
    """A chat completion."""
    body = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 0,
        "model": "loopback-1",
        "choices": [
            {
                "index": 0,
                "finish_reason": finish,
                "message": {"role": "assistant", "content": text, **message},
            }
        ],
    }
    if tokens:
        body["usage"] = {
            "prompt_tokens": tokens[0],
            "completion_tokens": tokens[1],
            "total_tokens": sum(tokens),
            "prompt_tokens_details": {"cached_tokens": tokens[0] // 2},
            "completion_tokens_details": {"reasoning_tokens": tokens[1] // 4},
        }
    return 200, json.dumps(body), ""


class Server:
    """State of the server: its script and what it has seen."""

    def __init__(self, script):
        self.script = script
        self.requests = []
        self.given = 0
        self.flying = 0
        self.most_flying = 0
        self.megabytes = 0

    def respond(self, fault, body):
        """Status, body and further headers for a request; raises ConnectionError for a broken connection."""
        if fault in ("ok", "slow", "pause"):
            replies = self.script.get("replies") or [DEFAULT]
            self.given += 1
            place = self.given - 1
            if self.script.get("by_turn"):
                place = sum(message["role"] == "assistant" for message in body["messages"])
            reply = replies[place % len(replies)]
            if isinstance(reply, dict):
                return chat(None, "tool_calls", self.script.get("tokens", (200, 100)), **reply)
            return chat(
                reply.replace("@N@", str(self.given)),
                tokens=self.script.get("tokens", (200, 100)),
            )
        if fault == "no-tools":
            if "tools" in body:
                return error(400, "tools are not supported: start the server with --enable-auto-tool-choice")
            return self.respond("ok", body)
        if fault == "no-marks":
            if any(isinstance(message["content"], list) for message in body["messages"]):
                return error(400, "messages.0.content: Input should be a valid string")
            return self.respond("ok", body)
        if fault == "picky":
            for name in ("temperature", "reasoning_effort", "max_tokens"):
                if name in body:
                    text = f"Unsupported parameter: '{name}' is not supported with this model."
                    return error(400, text, "unsupported_parameter", name)
            return self.respond("ok", body)
        return {
            "429": lambda: error(429, "Rate limit reached."),
            "429-after": lambda: error(429, "Rate limit reached.", headers="retry-after: 0.3\r\n"),
            "429-long": lambda: error(429, "Daily limit reached.", headers="retry-after: 86400\r\n"),
            "quota": lambda: error(429, "You exceeded your current quota.", "insufficient_quota"),
            "500": lambda: error(500, "The server had an error."),
            "503": lambda: error(503, "Overloaded."),
            "504": lambda: (504, "<html>gateway timeout</html>", ""),
            "garbage": lambda: (200, "<html>hello</html>", ""),
            "array": lambda: (200, "[1, 2, 3]", ""),
            "empty": lambda: (200, json.dumps({"id": "x", "choices": [], "usage": None}), ""),
            "blank": lambda: chat("", tokens=(200, 0)),
            "length": lambda: chat(DEFAULT[: len(DEFAULT) // 2], "length"),
            "thinking": lambda: chat("", "length", (200, 8192)),
            "no-usage": lambda: chat(DEFAULT, tokens=None),
            "greedy": lambda: chat(DEFAULT, tokens=(200, 1_000_000)),
            "filter": lambda: error(400, "The response was filtered.", "content_filter"),
            "refusal": lambda: chat(None, refusal="I cannot help with that."),
            "long": lambda: error(
                400, "This model's maximum context length is 10.", "context_length_exceeded"
            ),
            "key": lambda: error(401, "Incorrect API key provided."),
            "unknown": lambda: error(404, "The model `nope` does not exist.", "model_not_found"),
            "bad": lambda: error(400, "Invalid value for 'messages'."),
        }[fault]()

    async def serve(self, reader, writer):
        """Requests of one connection, one after another."""
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode()
                fields = dict(line.split(": ", 1) for line in head.split("\r\n")[1:] if ": " in line)
                fields = {name.lower(): value for name, value in fields.items()}
                raw = await reader.readexactly(int(fields.get("content-length", "0")))
                if head.startswith("GET /seen"):
                    seen = {"requests": self.requests, "given": self.given, "most_flying": self.most_flying}
                    seen["megabytes"] = self.megabytes
                    self.write(writer, 200, json.dumps(seen), "")
                    continue
                await self.answer(writer, fields, json.loads(raw))
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    async def answer(self, writer, fields, body):
        """One chat request, with its fault."""
        faults = self.script.get("faults") or ["ok"]
        fault = faults[len(self.requests) % len(faults)]
        if self.script.get("key") not in (None, fields.get("authorization", "").removeprefix("Bearer ")):
            fault = "key"
        kept = self.script.get("keeps_messages")
        told = {name: value for name, value in body.items() if kept or name != "messages"}
        self.requests.append(
            {
                "at": time.time(),
                "fault": fault,
                "digest": hash(json.dumps(body.get("messages", body.get("input")))),
                **told,
                "accepts": fields.get("accept-encoding"),
                "authorization": fields.get("authorization"),
            }
        )
        self.flying += 1
        self.most_flying = max(self.most_flying, self.flying)
        try:
            await asyncio.sleep(
                {"none": FOREVER, "slow": 2.0, "pause": 0.3}.get(fault, self.script.get("latency", 0))
            )
            if fault == "reset":
                raise ConnectionError
            if fault == "cut":
                text = chat(DEFAULT)[1]
                writer.write(f"HTTP/1.1 200 OK\r\ncontent-length: {len(text)}\r\n\r\n{text[:40]}".encode())
                await writer.drain()
                raise ConnectionError
            if fault.startswith("raw:"):  # status, header lines, and the body's gzip in hexadecimal digits
                status, lines, data = json.loads(fault.removeprefix("raw:"))
                data = gzip.decompress(bytes.fromhex(data))
                head = "".join(f"{line}\r\n" for line in [*lines, f"content-length: {len(data)}"])
                writer.write(f"HTTP/1.1 {status} Odd\r\n{head}\r\n".encode() + data)
                return
            if fault in ("endless", "endless-500"):
                status = fault.removeprefix("endless-") if "-" in fault else "200"
                writer.write(f"HTTP/1.1 {status} Odd\r\nconnection: close\r\n\r\n".encode())
                while self.megabytes < 64:
                    writer.write(b" " * 2**20)
                    await writer.drain()
                    self.megabytes += 1
                raise ConnectionError
            self.write(writer, *self.respond(fault, body))
        finally:
            self.flying -= 1

    @staticmethod
    def write(writer, status, text, headers):
        """One response."""
        data = text.encode()
        reason = HTTP.get(status, "Error")
        head = f"HTTP/1.1 {status} {reason}\r\ncontent-type: application/json\r\n{headers}"
        writer.write(f"{head}content-length: {len(data)}\r\n\r\n".encode() + data)


async def main():
    """Serves until the process is ended."""
    state = Server(json.loads(sys.argv[1]) if len(sys.argv) > 1 else {})
    server = await asyncio.start_server(state.serve, "127.0.0.1", 0, backlog=256)
    sys.stdout.write(f"{server.sockets[0].getsockname()[1]}\n")
    sys.stdout.flush()
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main())
