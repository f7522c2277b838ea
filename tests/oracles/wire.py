"""Question: {provider: {"tools": [...], "messages": [...]}}. Answer: {provider: {name: "ok" | what is wrong}}.

Everything is read as the request types of the vendor's own SDK; a member that the SDK does not know is an error, at any
depth.
"""

import json
import sys
import warnings

warnings.filterwarnings("ignore")

import pydantic  # noqa: E402
from anthropic.types import MessageParam, ToolParam  # noqa: E402
from google.genai import types as gemini  # noqa: E402
from mcp import types as mcp  # noqa: E402
from openai.types.chat import ChatCompletionMessageParam, ChatCompletionToolUnionParam  # noqa: E402
from openai.types.responses import ResponseInputItemParam, ToolParam as ResponsesToolParam  # noqa: E402
from typing_extensions import get_args, is_typeddict  # noqa: E402


def closed(kind, seen=None):
    """Forbids unknown members in a TypedDict and in all that it holds."""
    seen = set() if seen is None else seen
    if id(kind) in seen:
        return kind
    seen.add(id(kind))
    if is_typeddict(kind):
        kind.__pydantic_config__ = pydantic.ConfigDict(extra="forbid", arbitrary_types_allowed=True)
        module = vars(sys.modules[kind.__module__])
        for name, held in list(kind.__annotations__.items()):
            text = getattr(held, "__forward_arg__", held if isinstance(held, str) else None)
            closed(eval(text, dict(module)) if text else held, seen)  # noqa: S307: the SDK's own annotations
    for argument in get_args(kind):
        closed(argument, seen)
    return kind


def listed(value):
    """Lazy lists are checked only when they are read."""
    if isinstance(value, dict):
        return {key: listed(held) for key, held in value.items()}
    if hasattr(value, "__iter__") and not isinstance(value, (str, bytes)):
        return [listed(held) for held in value]
    return value


def typed(kind):
    adapter = pydantic.TypeAdapter(closed(kind))
    return lambda value: listed(adapter.validate_python(value))


def kept(model):
    """For models that let unknown members pass: what is written again has to hold all that was read."""

    def check(value):
        back = model.model_validate(value).model_dump(mode="json", by_alias=True, exclude_none=True)
        lost = missing(value, back, "")
        if lost:
            raise ValueError(f"not known: {', '.join(lost)}")

    return check


def missing(value, back, at):
    if isinstance(value, dict):
        return [
            lost
            for key, held in value.items()
            for lost in (missing(held, back[key], f"{at}/{key}") if isinstance(back, dict) and key in back else [f"{at}/{key}"])
        ]
    if isinstance(value, list):
        return [lost for held, other in zip(value, back) for lost in missing(held, other, f"{at}/[]")]
    return []


KINDS = {
    "openai_chat": (typed(ChatCompletionToolUnionParam), typed(ChatCompletionMessageParam)),
    "openai_responses": (typed(ResponsesToolParam), typed(ResponseInputItemParam)),
    "anthropic": (typed(ToolParam), typed(MessageParam)),
    "gemini": (gemini.FunctionDeclaration.model_validate, gemini.Content.model_validate),
    "mcp": (kept(mcp.Tool), kept(mcp.CallToolResult)),
}


def verdict(check, value):
    try:
        check(value)
        return "ok"
    except Exception as error:  # whatever a library raises is what it says
        return f"refused: {type(error).__name__} {str(error)[:1500]}"


def judge(provider, question):
    tool, message = KINDS[provider]
    verdicts = {f"tool {at}": verdict(tool, value) for at, value in enumerate(question["tools"])}
    verdicts.update({f"message {at}": verdict(message, value) for at, value in enumerate(question["messages"])})
    return verdicts


question = json.load(sys.stdin)
json.dump({provider: judge(provider, asked) for provider, asked in question.items()}, sys.stdout)
