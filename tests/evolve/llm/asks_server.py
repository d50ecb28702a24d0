"""A program that asks a model server and prints the reply, as such programs do: `asks_server.py [ADDRESS]`.

With an address it prints the text of a reply. Without one it prints a document as `claude` does, with the
finish reason, and takes the address from CLAUDE_ADDRESS. What is no reply is an error on standard error: exit
code 1, and the answer of the server in the words of the most used package.
"""

import json
import os
import sys
import urllib.error
import urllib.request

named = sys.argv[1] if sys.argv[1:2] != ["-p"] else os.environ["CLAUDE_ADDRESS"]
question = {
    "model": "served",
    "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": sys.stdin.read()}],
    "temperature": 0.7,
    "max_tokens": 16_384,
}
request = urllib.request.Request(
    named + "/chat/completions", json.dumps(question).encode(), {"content-type": "application/json"}
)
try:
    with urllib.request.urlopen(request) as answer:
        body = answer.read().decode()
except urllib.error.HTTPError as error:
    sys.exit(f"Error: Error code: {error.code} - {error.read().decode()}")
try:
    choice = json.loads(body)["choices"][0]
    text = choice["message"]["content"]
except (ValueError, TypeError, KeyError):
    sys.exit(f"Error: no completion: {body}")
if named != sys.argv[1]:
    text = json.dumps({"type": "result", "result": text, "stop_reason": choice["finish_reason"]})
sys.stdout.write(text)
