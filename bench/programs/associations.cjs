"use strict";
// Associations of a plugin, Perimeter's or the peer's: the form of the classes that generated SDKs have.
const pulumi = require("@pulumi/pulumi");

const OUTPUTS = ["name", "state", "createTime", "updateTime", "reconciling", "disabled"];

class Association extends pulumi.CustomResource {
  constructor(name, args) {
    super(process.env.BENCH_TYPE, name, {
      ...args,
      ...Object.fromEntries(OUTPUTS.map((output) => [output, undefined])),
    });
  }
}

for (const [name, args] of require("./declare.cjs")) new Association(name, args);
