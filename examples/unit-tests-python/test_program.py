"""Nothing is asked and nothing is made: the mocks say what a lookup finds and what a resource becomes."""

import pulumi


class Cloud(pulumi.runtime.Mocks):
    tier = "gold"

    def new_resource(self, args: pulumi.runtime.MockResourceArgs):
        return [f"{args.name}-id", args.inputs]

    def call(self, args: pulumi.runtime.MockCallArgs):
        return {"labels": {"tier": self.tier}} if args.token == "perimeter:fleet/v1beta:getScope" else {}


cloud = Cloud()
pulumi.runtime.set_mocks(cloud, preview=False)
pulumi.runtime.set_all_config({"perimeter:project": "demo-project"})

from program import program  # noqa: E402, after the mocks


@pulumi.runtime.test
def test_gold_tier_is_the_platform_teams():
    cloud.tier = "gold"
    return program().member.apply(lambda member: _equal(member, "group:platform@example.com"))


@pulumi.runtime.test
def test_others_are_their_own_teams():
    cloud.tier = "silver"
    return program().member.apply(lambda member: _equal(member, "group:orders@example.com"))


def _equal(found, wanted):
    assert found == wanted
