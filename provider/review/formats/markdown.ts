import type { ReviewResult } from "../result";

export function markdownText(result: ReviewResult): string {
  return `${result.summary.lost} lost, ${result.summary.gained} gained\n`;
}
