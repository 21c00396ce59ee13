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

require("./declare.cjs")((name, args) => new Association(name, args));
