"""Reads snippets as JSON, compiles each, runs the programs that make resources, and prints what is wrong as a JSON list."""

import json
import re
import sys
from unittest.mock import MagicMock

import pulumi


class Mocks(pulumi.runtime.Mocks):
    """Answers as if everything were made and found: a program's own mistakes show up before that."""

    def new_resource(self, args: pulumi.runtime.MockResourceArgs):
        return [f"{args.name}-id", args.inputs]

    def call(self, args: pulumi.runtime.MockCallArgs):
        return {}


def run(snippet: dict) -> None:
    text = snippet["text"]
    code = compile(text, snippet["place"], "exec")
    # The Automation API would run the engine.
    if snippet["fragment"] or "pulumi_perimeter" not in text or "pulumi.automation" in text:
        return
    for name in snippet["needs"]:
        sys.modules[name] = MagicMock()
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
