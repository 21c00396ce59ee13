/**
 * The end of the name of a test or a suite that is skipped, from which the reporter of the run takes why.
 *
 * @param missing what the test needs and this machine does not have; undefined where it runs
 */
export function skipped(missing: string | undefined): string {
  return missing === undefined ? "" : ` [skipped: ${missing}]`;
}
