/** What the plugins of a suite talk to: the emulator, and the log of an engine. */
import { startEmulator, type Emulator, type EmulatorOptions } from "../../emulator";
import { EngineLogServer } from "./engine-log-server";

export let emulator: Emulator;
export let engine: EngineLogServer;

/** For a suite: one of each. Each test finds the emulator as it started, and no lines in the log. */
export function useCloudAndEngine(options: EmulatorOptions): void {
  beforeAll(async () => {
    emulator = await startEmulator(options);
    engine = await EngineLogServer.start();
  });
  beforeEach(() => {
    emulator.reset();
    engine.lines.length = 0;
  });
  afterAll(async () => {
    engine.stop();
    await emulator.stop();
  });
}
