import { createHash } from "node:crypto";
import { chmodSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { create, extract } from "tar";
import { filesBelow } from "../files";

/** Archives all files of a folder. The same files always give the same bytes. @param level of gzip */
export async function archive(folder: string, file: string, time: Date, level = 9): Promise<void> {
  await create({ cwd: folder, file, gzip: { level }, portable: true, mtime: time }, filesBelow(folder));
}

/** Repacks an archive that contains its creation time. `work` is an empty folder. */
export async function repackArchive(file: string, work: string, time: Date): Promise<void> {
  await extract({ file, cwd: work });
  for (const each of filesBelow(work)) chmodSync(join(work, each), 0o644);
  await archive(work, `${file}.new`, time);
  renameSync(`${file}.new`, file);
}

export function sha256(file: string): string {
  return createHash("sha256").update(readFileSync(file)).digest("hex");
}
