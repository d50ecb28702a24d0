"""A server that answers as model servers were reported to: a real process, the real protocol, no packages.

Run without arguments; the first line on stdout is the port. Each behaviour answers below its own name:
`/NAME/PROVIDER/v1/chat/completions`, `/NAME/PROVIDER/v1/responses`.
"""

# ruff: noqa: E501  (sentences of servers, as they are)

import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PROGRAM = "def schedule(processing_times, due_dates):\n    return sorted(range(len(due_dates)))\n"
FENCED = f"```python\n{PROGRAM}```\n"
GOOD = f"Sorted by number.\n{FENCED}"
DRAFT = "```python\ndef schedule(processing_times, due_dates):\n    return draft\n```\n"
GH = "https://github.com/"


def chat(text, finish="stop", usage=True, **message):
    """A chat completion."""
    body = {
        "model": "served-1",
        "choices": [{"index": 0, "finish_reason": finish, "message": {"content": text, **message}}],
    }
    if usage:
        body["usage"] = {"prompt_tokens": 200, "completion_tokens": 100, "total_tokens": 300}
    return 200, body


def error(status, message, **fields):
    """An error as the protocol has it."""
    return status, {"error": {"message": message, **fields}}


def events(*bodies, end="data: [DONE]\n\n"):
    """A stream of events."""
    return 200, "".join(f"data: {json.dumps(body)}\n\n" for body in bodies) + end


def piece(text, finish=None):
    """A chunk of a streamed reply."""
    return {"model": "served-1", "choices": [{"delta": {"content": text}, "finish_reason": finish}]}


def response(text, status="completed", reason=None):
    """A response of the Responses API."""
    return 200, {
        "model": "served-1",
        "status": status,
        "incomplete_details": {"reason": reason} if reason else None,
        "output": [
            {"type": "reasoning", "summary": []},
            {"type": "message", "content": [{"type": "output_text", "text": text}]},
        ],
        "usage": {"input_tokens": 200, "output_tokens": 100},
    }


def limit(body):
    """The limit of a reply that a request states."""
    return body.get("max_tokens") or body.get("max_completion_tokens") or body.get("max_output_tokens") or 0


def above(most):
    """A rule of requests whose limit is larger."""
    return lambda body, path, number: limit(body) > most


def has(name):
    """A rule of requests with a parameter."""
    return lambda body, path, number: name in body


def system(body, path, number):
    """A rule of requests with a system message."""
    return any(message["role"] == "system" for message in body.get("messages") or body["input"])


def whole(body, path, number):
    """A rule of requests that ask for no stream."""
    return not body.get("stream")


def streamed(body, path, number):
    """A rule of requests that ask for a stream."""
    return bool(body.get("stream"))


def first(body, path, number):
    """A rule of the first request."""
    return number == 1


def always(body, path, number):
    """A rule of every request."""
    return True


def in_chat(body, path, number):
    """A rule of chat completions."""
    return path.endswith("/chat/completions")


STREAM = events(
    piece("Sorted by number.\n"), piece(FENCED, "stop"), {"choices": [], "usage": chat("")[1]["usage"]}
)
UNSUPPORTED = "Unsupported value: 'temperature' does not support 0.7 with this model. Only the default (1) value is supported."
QUOTA = "You have no credits remaining"
TPM = "Request too large for model `llama` on tokens per minute (TPM): Limit 12000, Requested 20137, please reduce your message size and try again."

# Name: report, rules in order (what requests, what answer; every other request gets a good reply), end, words.
#
# Ends: `reply` is a good reply, `program` one whose text holds the program, `cut` one that is no candidate,
# `withheld` a refusal; any other is the kind of the error. Words stand in the error's sentence, or in a note.
BEHAVIOURS = {
    # Limits of replies and contexts
    "output-openai": (GH + "ChatGPTNextWeb/NextChat/issues/3195", [(above(4096), error(400, "max_tokens is too large: 8192. This model supports at most 4096 completion tokens, whereas you provided 8192.", param="max_tokens"))], "reply", "lowered to 4,096"),
    "output-in-param": (GH + "AQBot-Desktop/AQBot/issues/93", [(above(4096), error(400, "Param Incorrect", param="max_tokens is too large: 16384. This model supports at most 4096 completion tokens, whereas you provided 16384.", code="400"))], "reply", "lowered to 4,096"),
    "output-litellm": (GH + "enoch3712/ExtractThinker/issues/346", [(above(8000), error(400, "max_tokens is too large: 32000. This model supports at most 8000 completion tokens, whereas you provided 32000."))], "reply", "lowered to 8,000"),
    "output-deepseek": (GH + "deepseek-ai/DeepSeek-V3/issues/69", [(above(8192), error(400, "Invalid max_tokens value, the valid range of max_tokens is [1, 8192]", type="invalid_request_error"))], "reply", "lowered to 8,192"),
    "output-doubao": (GH + "Gitlawb/openclaude/issues/331", [(above(12288), (400, {"error": {"code": "InvalidParameter", "message": "The parameter `max_completion_tokens` specified in the request are not valid: integer above maximum value, expected a value <= 12288, but got 32000 instead.", "param": "max_completion_tokens", "type": "BadRequest"}}))], "reply", "lowered to 12,288"),
    "context-openai": (GH + "ChatGPTNextWeb/NextChat/issues/3195", [(above(8128), error(400, "This model's maximum context length is 8192 tokens. However, you requested 8256 tokens (64 in the messages, 8192 in the completion). Please reduce the length of the messages or completion.", code="context_length_exceeded"))], "reply", "lowered to"),
    "context-vllm": (GH + "vllm-project/vllm/issues/20409", [(above(6793), (400, {"object": "error", "message": "This model's maximum context length is 16384 tokens. However, you requested 25975 tokens (9591 in the messages, 16384 in the completion). Please reduce the length of the messages or completion. None", "type": "BadRequestError", "param": None, "code": 400}))], "reply", "lowered to 6,761"),
    "context-vllm-new": (GH + "claude-code-best/claude-code/issues/272", [(above(8192 - 512), error(400, "'max_tokens' or 'max_completion_tokens' is too large: 16384. This model's maximum context length is 8192 tokens and your request has 512 input tokens (16384 > 8192 - 512). None"))], "reply", "lowered to 7,648"),
    "context-tgi": (GH + "huggingface/text-generation-inference/issues/628", [(above(3000), (422, {"error": "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4244. Given: 1244 `inputs` tokens and 16384 `max_new_tokens`", "error_type": "validation"}))], "reply", "lowered to 2,968"),
    "context-groq": (GH + "continuedev/continue/issues/10218", [(above(8247), error(413, TPM, type="tokens", code="rate_limit_exceeded"))], "reply", "lowered to 8,215"),
    "context-minute-429": (GH + "vanna-ai/vanna-flask/issues/11", [(always, error(429, "Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 342389. The input or output tokens must be reduced in order to run successfully."))], "too_long", "Limit 30000"),
    "context-negative": (GH + "vllm-project/vllm/issues/4667", [(always, (400, {"object": "error", "message": "max_tokens must be at least 1, got -186.", "type": "BadRequestError", "param": None, "code": 400}))], "too_long", "got -186"),
    "context-negative-nested": (GH + "ovh/shai/issues/97", [(always, (400, {"message": json.dumps({"error": {"message": "max_tokens must be at least 1, got -17032.", "type": "BadRequestError"}})}))], "too_long", "got -17032"),
    "context-llama-500": (GH + "ggml-org/llama.cpp/pull/15780", [(always, error(500, "the request exceeds the available context size. try increasing the context size or enable context shift", type="exceed_context_size_error", n_prompt_tokens=1407, n_ctx=256))], "too_long", "n_ctx=256"),
    "context-llama-400": (GH + "ggml-org/llama.cpp/issues/19774", [(always, error(400, "request (4390 tokens) exceeds the available context size (4096 tokens), try increasing it", code=400, type="exceed_context_size_error"))], "too_long", "4390 tokens"),
    "context-small": (GH + "ggml-org/llama.cpp/issues/17284", [(lambda body, path, number: len(json.dumps(body)) > 6500, error(400, "the request exceeds the available context size, try increasing it", code=400, type="exceed_context_size_error"))], "reply", ""),
    "context-tiny": (GH + "ggml-org/llama.cpp/issues/17284", [(lambda body, path, number: len(json.dumps(body)) > 400, error(400, "the request exceeds the available context size, try increasing it", code=400, type="exceed_context_size_error"))], "reply", ""),
    "context-llama-short": (GH + "ggml-org/llama.cpp/issues/19774", [(always, error(500, "Context size has been exceeded.", code=500, type="server_error"))], "too_long", "Context size has been exceeded"),
    "context-llama-200": (GH + "oobabooga/textgen/issues/7257", [(always, (200, {"error": {"code": 400, "message": "the request exceeds the available context size. try increasing the context size or enable context shift", "type": "exceed_context_size_error", "n_prompt_tokens": 14429, "n_ctx": 8192}}))], "too_long", "n_ctx=8192"),
    "context-llama-python": (GH + "fedora-copr/logdetective-website/pull/193", [(always, error(500, "Requested tokens (2285) exceed context window of 2048", type="internal_server_error"))], "too_long", "context window of 2048"),
    "context-lmstudio": (GH + "lmstudio-ai/lmstudio-bug-tracker/issues/546", [(always, (400, {"error": "Trying to keep the first 111490 tokens when context the overflows. However, the model is loaded with context length of only 32768 tokens, which is not enough. Try to load the model with a larger context length, or provide a shorter input"}))], "too_long", "only 32768 tokens"),
    "context-tgi-inputs": (GH + "huggingface/text-generation-inference/issues/937", [(always, (422, {"error": "Input validation error: `inputs` must have less than 1024 tokens. Given: 1872", "error_type": "validation"}))], "too_long", "less than 1024 tokens"),
    # Parameters and forms that are refused
    "temperature-default": (GH + "owndev/Open-WebUI-Functions/issues/98", [(has("temperature"), error(400, UNSUPPORTED, param="temperature", code="unsupported_value"))], "reply", "temperature is not supported"),
    "temperature-plain": (GH + "tmc/langchaingo/issues/1355", [(has("temperature"), (400, UNSUPPORTED))], "reply", "temperature is not supported"),
    "temperature-kimi": (GH + "opencyvis/opencyvis-phone/issues/12", [(has("temperature"), error(400, "invalid temperature: only 1 is allowed for this model", type="invalid_request_error"))], "reply", "temperature is not supported"),
    "temperature-upstream": (GH + "HenriGrimm/Minnow/issues/291", [(has("temperature"), error(400, "Error from provider (Moonshot AI): invalid temperature: only 1 is allowed for this model"))], "reply", "temperature is not supported"),
    "temperature-message": (GH + "XCNXNXNX/dsh-portable-tavern/issues/1", [(has("temperature"), (400, {"message": "invalid temperature: only 1 is allowed for this model", "type": "invalid_request_error"}))], "reply", "temperature is not supported"),
    "limit-renamed": (GH + "koosoli/ESPHomeDesigner/issues/379", [(has("max_tokens"), error(400, "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.", param="max_tokens", code="unsupported_parameter"))], "reply", "max_completion_tokens is sent instead"),
    "system-vllm": (GH + "vllm-project/vllm/pull/2964", [(system, (400, {"object": "error", "message": "System role not supported", "type": "BadRequestError", "param": None, "code": 400}))], "reply", "system_role = false"),
    "system-llama": (GH + "abetlen/llama-cpp-python/issues/1580", [(system, error(500, "System role not supported", type="internal_server_error"))], "reply", "system_role = false"),
    "system-gemma": (GH + "microsoft/vscode/issues/258088", [(system, (400, [{"error": {"code": 400, "message": "Developer instruction is not enabled for models/gemma-3-27b-it", "status": "INVALID_ARGUMENT"}}]))], "reply", "system_role = false"),
    "system-nested": (GH + "0xPlaygrounds/rig/issues/788", [(system, error(400, json.dumps({"error": {"code": 400, "message": "Developer instruction is not enabled for models/gemma-3-27b-it", "status": "INVALID_ARGUMENT"}})))], "reply", "system_role = false"),
    "stream-qwen": (GH + "infiniflow/ragflow/issues/8972", [(whole, error(400, "parameter.enable_thinking must be set to false for non-streaming calls", code="invalid_parameter_error")), (streamed, STREAM)], "reply", "stream = true"),
    "stream-modelscope": (GH + "musistudio/claude-code-router/issues/948", [(whole, error(400, "enable thinking can not be support when `stream=False`.", code="invalid_parameter_error")), (streamed, STREAM)], "reply", "stream = true"),
    "stream-chinese": (GH + "alibaba/spring-ai-alibaba/issues/867", [(whole, error(400, "parameter.enable_thinking必须设置为false才能进行非流式调用", code="invalid_parameter_error")), (streamed, STREAM)], "reply", "stream = true"),
    "stream-unverified": (GH + "BeehiveInnovations/pal-mcp-server/issues/134", [(streamed, error(400, "Provider returned error", code=400, metadata={"raw": json.dumps({"error": {"message": "Your organization must be verified to stream this model.", "param": "stream", "code": "unsupported_value"}})}))], "reply", "streaming is not supported", {"stream": True}),
    "stream-unasked": (GH + "vercel/ai/issues/2698", [(always, STREAM)], "reply", ""),
    "stream-broken": (GH + "vercel/ai/issues/2698", [(always, events(piece(GOOD), end=""))], "cut", ""),
    "stream-error-later": (GH + "vercel/ai/issues/2698", [(always, events(piece(GOOD), {"error": {"message": "Upstream broke", "code": 502}}, end=""))], "cut", ""),
    "stream-error-first": (GH + "vercel/ai/issues/2698", [(first, events({"error": {"message": json.dumps({"error": {"code": 429, "message": "Resource has been exhausted (e.g. check quota).", "status": "RESOURCE_EXHAUSTED"}}), "code": 429}}, end=""))], "reply", "rate_limit: Resource has been exhausted"),
    "responses-legacy": (GH + "Wei-Shaw/sub2api/issues/885", [(in_chat, error(400, "Unsupported legacy protocol: /v1/chat/completions is not supported. Please use /v1/responses.", type="invalid_request_error")), (always, response(GOOD))], "reply", "Responses API"),
    "responses-only": (GH + "sigoden/aichat/pull/1318", [(in_chat, error(404, "This model is only supported in v1/responses and not in v1/chat/completions.", type="invalid_request_error", param="model")), (always, response(GOOD))], "reply", "Responses API"),
    "responses-no-chat": (GH + "langbot-app/LangBot/issues/400", [(in_chat, error(404, "This is not a chat model and thus not supported in the v1/chat/completions endpoint. Did you mean to use v1/completions?")), (always, response(GOOD))], "reply", "Responses API"),
    "responses-cut": ("https://platform.openai.com/docs/guides/reasoning", [(in_chat, error(404, "This model is only supported in v1/responses and not in v1/chat/completions.")), (always, response(GOOD, "incomplete", "max_output_tokens"))], "cut", "Responses API"),
    # Errors inside of good answers, and in odd shapes
    "inside-429": (GH + "BerriAI/litellm/issues/8448", [(first, (200, {"error": {"message": "Provider returned error", "code": 429, "metadata": {"raw": "error code: 1015", "provider_name": "Kluster"}}}))], "reply", "rate_limit: Provider returned error: error code: 1015"),
    "inside-null": (GH + "decolua/9router/issues/2727", [(first, (200, {"id": None, "choices": None}))], "reply", "openai/served"),
    "inside-nested": (GH + "continuedev/continue/issues/10560", [(first, (200, {"error": {"message": json.dumps({"error": {"code": 429, "message": "Resource has been exhausted (e.g. check quota).", "status": "RESOURCE_EXHAUSTED"}}), "code": 429, "status": "Too Many Requests"}}))], "reply", "rate_limit: Resource has been exhausted"),
    "inside-choice": ("https://openrouter.ai/docs/api-reference/errors", [(first, (200, {"choices": [{"finish_reason": "error", "message": {"content": ""}, "error": {"code": 502, "message": "Provider disconnected"}}]}))], "reply", "server: Provider disconnected"),
    "inside-late": ("https://openrouter.ai/docs/api-reference/errors", [(always, (200, {"choices": [{"finish_reason": "error", "message": {"content": GOOD}, "error": {"code": 502, "message": "Provider disconnected"}}]}))], "cut", ""),
    "list-429": (GH + "google-gemini/gemini-cli/issues/14831", [(first, (429, [{"error": {"code": 429, "message": "Resource exhausted. Please try again later.", "status": "RESOURCE_EXHAUSTED"}}]))], "reply", "rate_limit: Resource exhausted. Please try again later."),
    "html-502": (GH + "ollama/ollama/issues/3694", [(first, (524, "<!DOCTYPE html><html><head><title>chat.example | 524: A timeout occurred</title></head><body>…</body></html>"))], "reply", "server: chat.example | 524: A timeout occurred"),
    "string-403": (GH + "UKGovernmentBEIS/inspect_ai/pull/2267", [(always, (403, {"code": "The caller does not have permission to execute the specified operation", "error": "Content violates usage guidelines. Failed check: SAFETY_CHECK_TYPE_BIO"}))], "filtered", "violates usage guidelines"),
    "upstream-400": (GH + "lobehub/lobehub/issues/7128", [(system, (400, {"error": {"message": "Developer instruction is not enabled for models/gemma-3-27b-it", "statusCode": 400, "statusCodeText": "[400 Bad Request]"}, "provider": "google"}))], "reply", "system_role = false"),
    # Money and filters
    "money-402": (GH + "continuedev/continue/issues/9853", [(always, error(402, "Insufficient Balance"))], "money", "Insufficient Balance"),
    "money-zai": (GH + "macanderson/stella/pull/2", [(always, error(429, "Insufficient balance or no resource package. Please recharge.", code="1113"))], "money", "Please recharge"),
    "money-openai": (GH + "promptfoo/promptfoo/issues/10855", [(always, error(429, QUOTA, type="insufficient_quota", code="credit_balance_exhausted"))], "money", QUOTA),
    "money-quota": (GH + "2389-research/tracker/issues/547", [(always, error(429, "You exceeded your current quota, please check your plan and billing details.", type="insufficient_quota", code="insufficient_quota"))], "money", "no credit left"),
    "money-anthropic": (GH + "router-for-me/CLIProxyAPI/pull/3859", [(always, (400, {"type": "error", "error": {"type": "invalid_request_error", "message": "Your credit balance is too low to access the Anthropic API."}}))], "money", "credit balance is too low"),
    "money-openrouter": (GH + "Gitlawb/openclaude/issues/1125", [(always, error(402, "This request requires more credits, or fewer max_tokens. You requested up to 32000 tokens, but can only afford 27342.", code=402))], "money", "more credits"),
    "filter-deepseek": (GH + "deepseek-ai/awesome-deepseek-integration/issues/13", [(always, error(400, "Content Exists Risk", type="invalid_request_error"))], "filtered", "Content Exists Risk"),
    "filter-qwen": (GH + "QwenLM/qwen-code/issues/3145", [(always, error(400, "<400> InternalError.Algo.DataInspectionFailed: Input text data may contain inappropriate content.", code="data_inspection_failed"))], "filtered", "DataInspectionFailed"),
    # Replies that are cut, withheld, or mixed with thoughts
    "finish-length": (GH + "ollama/ollama/pull/5312", [(always, chat(GOOD, "length"))], "cut", ""),
    "finish-max-tokens": ("https://docs.anthropic.com/en/api/handling-stop-reasons", [(always, chat(GOOD, "max_tokens"))], "cut", ""),
    "finish-gemini": ("https://ai.google.dev/api/generate-content#FinishReason", [(always, chat(GOOD, "MAX_TOKENS"))], "cut", ""),
    "finish-mistral": ("https://docs.mistral.ai/api/", [(always, chat(GOOD, "model_length"))], "cut", ""),
    "finish-deepseek": ("https://api-docs.deepseek.com/api/create-chat-completion", [(always, chat(GOOD, "insufficient_system_resource"))], "cut", ""),
    "finish-empty": (GH + "ra-jeev/write-assist-ai/issues/32", [(always, chat("", "length"))], "cut", ""),
    "finish-filter": (GH + "openai/openai-openapi/pull/88", [(always, chat(GOOD, "content_filter"))], "withheld", ""),
    "finish-eos": (GH + "vespa-engine/vespa/pull/33327", [(always, chat(GOOD, "eos"))], "reply", ""),
    "think-close-only": (GH + "perplexityai/api-discussion/issues/177", [(always, chat(f"I try\n{DRAFT}no.</think>\n{FENCED}"))], "program", ""),
    "think-unclosed": (GH + "bytedance/deer-flow/pull/3218", [(always, chat(f"<think>\nI try\n{DRAFT}"))], "cut", ""),
    "thinking-tag": (GH + "QwenLM/qwen-code/pull/8818", [(always, chat(f"<thinking>\n{DRAFT}</thinking>\n{FENCED}"))], "program", ""),
    "think-harmony": (GH + "kekzl/imp/pull/768", [(always, chat(f"<|channel|>analysis<|message|>I try\n{DRAFT}<|end|><|start|>assistant<|channel|>final<|message|>{FENCED}<|return|>"))], "program", ""),
    "think-harmony-cut": (GH + "raullenchai/Rapid-MLX/pull/794", [(always, chat(f"<|channel|>analysis<|message|>I try\n{DRAFT}", "stop"))], "cut", ""),
}  # fmt: skip
FINISHES = {name for name in BEHAVIOURS if name.startswith("finish-")} | {"inside-late"}
"""Behaviours whose end is known by the finish reason alone, which a program's text does not have."""
NOT_PROGRAM = {
    "stream-unverified": "the program asks for no stream",
    "stream-unasked": "how a program reads a stream that it did not ask for is its own affair",
    "stream-broken": "likewise",
    "stream-error-later": "likewise",
    "stream-error-first": "likewise",
    "responses-cut": "a program that asks for chat completions never sees it",
    "context-small": "the server takes this prompt",
    "context-tiny": "likewise",
}
"""Behaviours that a program's output cannot show, and why."""
_PROGRAM_ENDS = {
    "output-": ("request", "max_"),
    "context-openai": ("too_long", "maximum context length"),
    "context-vllm": ("too_long", "maximum context length"),
    "context-tgi": ("too_long", "Input validation error"),
    "context-groq": ("too_long", "Limit 12000"),
    "context-llama-500": ("too_long", '"n_ctx": 256'),
    "context-llama-200": ("too_long", '"n_ctx": 8192'),
    "temperature-": ("request", "temperature"),
    "limit-": ("request", "max_tokens"),
    "system-llama": ("server", "System role not supported"),
    "system-": ("request", " not "),
    "stream-": ("request", "enable"),
    "responses-legacy": ("request", "/v1/chat/completions is not supported"),
    "responses-": ("unknown_model", "v1/chat/completions"),
    "inside-429": ("reply", "rate_limit: Provider returned error"),
    "inside-null": ("reply", "server: no completion"),
    "inside-choice": ("reply", "empty: printed no reply"),
    "upstream-": ("request", "Developer instruction is not enabled"),
    "money-quota": ("money", "You exceeded your current quota"),
}


def program_end(name):
    """End and words of a behaviour where a program asks: what Gapsmith does not send, Gapsmith cannot change."""
    own = next((end for begin, end in _PROGRAM_ENDS.items() if name.startswith(begin)), None)
    return own or BEHAVIOURS[name][2:4]


SEEN = {}


class Handler(BaseHTTPRequestHandler):
    """Answers one connection."""

    protocol_version = "HTTP/1.1"

    def do_POST(self):
        """One question."""
        name = self.path.split("/")[1]
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        seen = SEEN.setdefault(self.path, [])
        seen.append(body)
        status, answer = chat(GOOD)
        for rule, told in BEHAVIOURS[name][1]:
            if rule(body, self.path, len(seen)):
                status, answer = told
                break
        self.answer(status, answer if isinstance(answer, str) else json.dumps(answer))

    def answer(self, status, text):
        """One response."""
        data = text.encode()
        kind = "text/html" if text.startswith("<") else "application/json"
        self.send_response(status)
        self.send_header("content-type", "text/event-stream" if text.startswith("data:") else kind)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *words):
        """Nothing is printed."""


if __name__ == "__main__":
    served = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    sys.stdout.write(f"{served.server_address[1]}\n")
    sys.stdout.flush()
    served.serve_forever()
