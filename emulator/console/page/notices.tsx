import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";

interface Notice {
  text: string;
  isError: boolean;
}

let show: (notice: Notice | undefined) => void = () => undefined;

/** Shows the user an error, or a completed action. */
export function notify(what: unknown): void {
  show(
    typeof what === "string"
      ? { text: what, isError: false }
      : { text: what instanceof Error ? what.message : String(what), isError: true },
  );
}

const SHOWN_MS = 6_000;

/** The latest notice. It has a fixed place, so that nothing moves when it appears. An error stays until the user closes it. */
export function Notices(): JSX.Element {
  const [notice, setNotice] = useState<Notice>();
  show = setNotice;
  useEffect(() => {
    const timer = notice && !notice.isError ? setTimeout(() => setNotice(undefined), SHOWN_MS) : undefined;
    return () => clearTimeout(timer);
  }, [notice]);
  return (
    <div class="notices" role="status" aria-live="polite">
      {notice && (
        <div class={notice.isError ? "notice notice-error" : "notice"}>
          <span>{notice.text}</span>
          <button type="button" class="small" onClick={() => setNotice(undefined)}>
            Close
          </button>
        </div>
      )}
    </div>
  );
}
