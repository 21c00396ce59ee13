"use strict";
/* global fetch, setTimeout */
// The same without Perimeter: a dynamic provider of Pulumi's SDK with the same three calls. It has no checks, no retries and
// no resuming.
const pulumi = require("@pulumi/pulumi");

async function call(method, path, body) {
  const answer = await fetch(`http://${process.env.PERIMETER_EMULATOR_HOST}/v1beta1/${path}`, {
    method,
    headers: body ? { "content-type": "application/json" } : {},
    body: body && JSON.stringify(body),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`HTTP ${answer.status}: ${text}`);
  return JSON.parse(text);
}

async function wait(operation) {
  for (let pause = 0; !operation.done; pause = 250) {
    await new Promise((resolve) => setTimeout(resolve, pause));
    operation = await call("GET", operation.name);
  }
  if (operation.error) throw new Error(`the operation failed: ${JSON.stringify(operation.error)}`);
}

const provider = {
  async create(inputs) {
    const parent = `projects/${inputs.project}/locations/${inputs.location}`;
    const id = inputs.firewallEndpointAssociationId;
    const path = `${parent}/firewallEndpointAssociations`;
    const body = { network: inputs.network, firewallEndpoint: inputs.firewallEndpoint };
    await wait(await call("POST", `${path}?firewallEndpointAssociationId=${id}`, body));
    return { id: `${path}/${id}`, outs: { ...inputs, ...(await call("GET", `${path}/${id}`)) } };
  },
  async delete(id) {
    await wait(await call("DELETE", id));
  },
};

// The properties that a program can read, as the classes of a package declare them.
const declared = JSON.parse(process.env.BENCH_PROPERTIES ?? "[]").map((property) => [property, undefined]);

class Association extends pulumi.dynamic.Resource {
  constructor(name, args) {
    super(provider, name, { ...Object.fromEntries(declared), ...args });
  }
}

for (const [name, args] of require("../programs/declare.cjs")) new Association(name, args);
