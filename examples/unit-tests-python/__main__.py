import pulumi

from program import program

pulumi.export("member", program().member)
