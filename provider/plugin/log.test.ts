import { EngineLogServer } from "../../tests/support/engine-log-server";
import { EngineLog } from "./log";

let engine: EngineLogServer;
beforeAll(async () => {
  engine = await EngineLogServer.start();
});
afterAll(() => engine.stop());

test("says a message once, and again after a call in which the engine did not take it", async () => {
  const log = new EngineLog(engine.address, (text) => text);
  const say = async () => {
    log.infoOnce("urn:pulumi:dev::p::t::one", "settings");
    await log.flushed();
  };
  engine.refusing = 1;
  await say();
  expect(engine.lines).toEqual([]);
  await say();
  await say();
  expect(engine.lines.map(({ message }) => message)).toEqual(["settings"]);
  log.close();
});
