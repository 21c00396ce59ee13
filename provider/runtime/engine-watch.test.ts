import { createServer, type Http2Server, type ServerHttp2Session } from "node:http2";
import type { AddressInfo } from "node:net";
import { engineAddressOf, watchEngine } from "./engine-watch";

test.each([
  [["127.0.0.1:38363"], "127.0.0.1:38363"],
  [["--logtostderr", "-v=9", "127.0.0.1:1"], "127.0.0.1:1"],
  [["--tracing=tcp://host:1"], undefined],
  [["not an address:1x"], undefined],
  [[], undefined],
])("finds the engine's address in %j", (args, address) => expect(engineAddressOf(args)).toBe(address));

describe("an engine", () => {
  const sessions: ServerHttp2Session[] = [];
  let server: Http2Server;
  let heard: () => void = () => {};
  beforeEach(async () => {
    sessions.length = 0;
    server = createServer();
    server.on("session", (session) => {
      sessions.push(session);
      heard();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  });

  const connection = () => new Promise<void>((resolve) => (heard = resolve));
  const close = () => {
    server.close();
    for (const session of sessions) session.destroy();
  };

  test("gets a new connection after it closes one; an engine that has ended is reported once", async () => {
    const gone = jest.fn();
    const told = new Promise<void>((resolve) => gone.mockImplementation(resolve));
    const first = connection();
    watchEngine(`127.0.0.1:${(server.address() as AddressInfo).port}`, gone);
    await first;
    const second = connection();
    sessions[0]?.destroy();
    await second;
    expect(sessions).toHaveLength(2);
    expect(gone).not.toHaveBeenCalled();
    close();
    await told;
    expect(gone).toHaveBeenCalledTimes(1);
  });
});
