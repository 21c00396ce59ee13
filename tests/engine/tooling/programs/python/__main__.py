"""A program with outputs only."""

import pulumi

pulumi.export("greeting", "hello " + pulumi.Config().require("who"))
