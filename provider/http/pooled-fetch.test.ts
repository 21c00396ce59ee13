import { ConfigurationError } from "../core/errors";

const VARIABLES = ["HTTPS_PROXY", "HTTP_PROXY", "https_proxy", "http_proxy"];
const before = Object.fromEntries(VARIABLES.map((each) => [each, process.env[each]]));
afterEach(() => {
  for (const [name, value] of Object.entries(before)) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
});

test.each(["proxy.example:8080", "me:canary@proxy.example:8080", "ftp://me:canary@proxy.example", "http://"])(
  "a proxy %j is refused by the name of its variable, and not shown",
  async (proxy) => {
    for (const name of VARIABLES) delete process.env[name];
    process.env.HTTPS_PROXY = proxy;
    await jest.isolateModulesAsync(async () => {
      // The one pool of the process is made at first use, with the environment of that moment.
      const { pooledFetch } = await import("./pooled-fetch.js");
      const error = await Promise.resolve()
        .then(pooledFetch)
        .catch((thrown: unknown) => thrown);
      expect((error as Error).name).toBe(ConfigurationError.name);
      expect((error as Error).message).toContain("HTTPS_PROXY");
      expect((error as Error).message).not.toMatch(/canary|proxy\.example/);
    });
  },
);
