"""
Compiles snippets, runs the programs that make resources, and prints what is wrong as a JSON list.

Reads the snippets as JSON on standard input. Its argument is the package's schema.json.
"""

import json
import re
import sys
from unittest.mock import MagicMock

import pulumi


with open(sys.argv[1], encoding="utf8") as schema_file:
    SCHEMA = json.load(schema_file)
ZEROS = {"string": "", "integer": 0, "number": 0, "boolean": False}


def zero(spec: dict):
    """The value of an absent field: a lookup's result has every field (docs/absent-values.md)."""
    name = spec.get("$ref", "").removeprefix("#/types/")
    shape = SCHEMA["types"][name] if name else spec
    if "properties" in shape:
        return {key: zero(each) for key, each in shape["properties"].items()}
    return {"array": [], "object": {}}.get(shape["type"], ZEROS.get(shape["type"]))


class Absent(MagicMock):
    """A package that is not installed here, and what it has: the id of its resources is an output."""

    @property
    def id(self) -> pulumi.Output[str]:
        return pulumi.Output.from_input("id")


class Mocks(pulumi.runtime.Mocks):
    """Answers as if everything were made and found."""

    def new_resource(self, args: pulumi.runtime.MockResourceArgs):
        return [f"{args.name}-id", args.inputs]

    def call(self, args: pulumi.runtime.MockCallArgs):
        function = SCHEMA["functions"].get(args.token)
        return zero(function["outputs"]) if function else {}


def run(snippet: dict) -> None:
    text = snippet["text"]
    code = compile(text, snippet["place"], "exec")
    # The Automation API would run the engine.
    if snippet["fragment"] or "pulumi_perimeter" not in text or "pulumi.automation" in text:
        return
    for name in snippet["needs"]:
        sys.modules[name] = Absent()
    keys = re.findall(r"""require(?:_\w+)?\(["']([\w:]+)["']""", text)
    pulumi.runtime.set_all_config({key if ":" in key else f"project:{key}": "example" for key in keys})
    pulumi.runtime.set_mocks(Mocks(), project="project", stack="stack", preview=False)
    pulumi.runtime.test(lambda: exec(code, {"__name__": "__main__"}))()


def main() -> None:
    problems = []
    for snippet in json.load(sys.stdin):
        try:
            run(snippet)
        except Exception as error:  # Whatever it is, it is what a reader would meet.
            problems.append(f"{snippet['place']} {type(error).__name__}: {error}")
    json.dump(problems, sys.stdout)


main()
