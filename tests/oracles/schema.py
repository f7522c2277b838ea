"""Question: {name: {dialect, schema}}. Answer: {name: {oracle: "ok" | what is wrong}}.

Every schema must be valid draft 2020-12; `gemini` must also be understood by Google's own client, keyword by keyword.
"""

import json
import sys
import warnings

import jsonschema

warnings.filterwarnings("ignore")

from google.genai import types  # noqa: E402: it warns while it is imported


def verdict(check):
    try:
        check()
        return "ok"
    except Exception as error:  # whatever a library raises is what it says
        return f"refused: {type(error).__name__} {error}"


def gemini(schema):
    types.Schema.from_json_schema(
        json_schema=types.JSONSchema(**schema), api_option="GEMINI_API", raise_error_on_unsupported_field=True
    )


def judge(dialect, schema):
    verdicts = {"jsonschema": verdict(lambda: jsonschema.Draft202012Validator.check_schema(schema))}
    if dialect == "gemini":
        verdicts["google-genai"] = verdict(lambda: gemini(schema))
    return verdicts


question = json.load(sys.stdin)
json.dump({name: judge(asked["dialect"], asked["schema"]) for name, asked in question.items()}, sys.stdout)
