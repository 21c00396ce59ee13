import { accessStyles } from "../../../access-picture/generated/styles";
import { accessPictureHtml } from "../../../access-picture/html";
import type { ReviewResult } from "../result";

export function htmlPage(result: ReviewResult): string {
  const pictures = result.resources.map(({ resource, before, after }) =>
    accessPictureHtml({ policy: { bindings: after ?? [] }, before: { bindings: before ?? [] }, caption: resource }),
  );
  return `<!doctype html><style>${accessStyles}</style>${pictures.join("")}\n`;
}
