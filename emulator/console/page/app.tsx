import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { AccessPage } from "./access-page";
import { FaultsSection } from "./faults";
import { Notices } from "./notices";
import { OperationsPage } from "./operations";
import { useNow, useStore } from "./parts";
import { PermissionsPage } from "./permissions";
import { RequestsPage } from "./requests";
import { ResourcePage } from "./resource-page";
import { ResourcesPage } from "./resources";
import { link, useRoute, type Route } from "./route";
import { StateSection, TimeSection } from "./time-and-state";

/** A narrow window shows only the first part of a title. */
const PAGES: ReadonlyArray<readonly [key: string, title: string, rest?: string]> = [
  ["resources", "Resources"],
  ["access", "Access"],
  ["operations", "Operations"],
  ["requests", "Requests"],
  ["faults", "Faults", "and time"],
];

export function App(): JSX.Element {
  const { isLoaded, connection } = useStore();
  const route = useRoute();
  const main = useRef<HTMLElement>(null);
  const place = [route.page, route.parameters.get("name"), route.parameters.get("member")].join(" ");
  const lastPlace = useRef(place);
  useEffect(() => {
    const title = main.current?.querySelector("h1")?.textContent ?? "";
    document.title = `${title === "" ? "" : `${title} · `}Perimeter emulator`;
    // Moves the focus to the beginning of the new page, for screen readers and the keyboard.
    const focused = document.activeElement;
    const isLost = focused === null || focused.closest("main") === null || !focused.checkVisibility();
    if (lastPlace.current !== place && isLost) {
      main.current?.querySelector("h1")?.focus();
    }
    lastPlace.current = place;
  }, [place, isLoaded]);
  useSearchKey();
  return (
    <>
      <a class="skip" href="#content" onClick={(event) => skip(event, main.current)}>
        Skip to the content
      </a>
      <Header page={route.page} />
      <main id="content" ref={main} tabIndex={-1}>
        {connection === "lost" && (
          <p class="banner" role="alert">
            The emulator does not answer. This page shows what it last knew, and goes on when it is back.
          </p>
        )}
        {isLoaded ? <Page route={route} /> : <p class="soft">Loading …</p>}
      </main>
      <Notices />
    </>
  );
}

function skip(event: Event, main: HTMLElement | null): void {
  event.preventDefault();
  main?.focus();
}

function Page({ route: { page, parameters } }: { route: Route }): JSX.Element {
  switch (page) {
    case "resource":
      return <ResourcePage key={parameters.get("name")} parameters={parameters} />;
    case "access":
      return <AccessPage parameters={parameters} />;
    case "operations":
      return <OperationsPage />;
    case "requests":
      return <RequestsPage />;
    case "permissions":
      return <PermissionsPage />;
    case "faults":
      return (
        <>
          <header class="page-head">
            <h1 tabIndex={-1}>Faults and time</h1>
          </header>
          <FaultsSection />
          <TimeSection />
          <StateSection />
        </>
      );
    default:
      return <ResourcesPage parameters={parameters} />;
  }
}

function Header({ page }: { page: string }): JSX.Element {
  const { resources, operations, requests, connection } = useStore();
  const running = [...operations.values()].filter(({ state }) => state === "running").length;
  const counts: Readonly<Record<string, number>> = {
    resources: resources.length,
    operations: running,
    requests: requests.length,
  };
  return (
    <header class="bar">
      <a class="brand" href={link("resources")}>
        Perimeter <span class="spare">emulator</span>
      </a>
      <nav aria-label="Console">
        {PAGES.map(([key, title, rest]) => (
          <a key={key} href={link(key)} aria-current={isCurrent(key, page) ? "page" : undefined}>
            <span>
              {title}
              {rest !== undefined && <span class="spare"> {rest}</span>}
            </span>
            {counts[key] !== undefined && <span class="count spare">{counts[key]}</span>}
          </a>
        ))}
      </nav>
      <span class="spring" />
      <Clock />
      <span class={`connection connection-${connection}`}>
        <span class="spare">{connection === "live" ? "live" : connection === "lost" ? "no answer" : "connecting"}</span>
      </span>
      <ThemeChoice />
    </header>
  );
}

function isCurrent(key: string, page: string): boolean {
  const parents: Readonly<Record<string, string>> = { resource: "resources", permissions: "requests" };
  return key === (parents[page] ?? page);
}

function Clock(): JSX.Element {
  const now = new Date(useNow(1_000)).toISOString();
  return (
    <a class="clock" href={link("faults")} title="The emulator's clock: move it under Faults and time">
      <span class="hidden">The emulator's clock: </span>
      <span class="spare">{now.slice(0, 10)} </span>
      {now.slice(11, 19)} UTC
    </a>
  );
}

const THEMES = ["auto", "light", "dark"] as const;

function ThemeChoice(): JSX.Element {
  const [theme, setTheme] = useState(localStorage.getItem("perimeter-theme") ?? "auto");
  useEffect(() => {
    document.documentElement.dataset.theme = theme;
    localStorage.setItem("perimeter-theme", theme);
  }, [theme]);
  return (
    <label class="theme">
      <span class="hidden">Colors</span>
      <select value={theme} onChange={(event) => setTheme(event.currentTarget.value)}>
        {THEMES.map((each) => (
          <option key={each} value={each}>
            {each}
          </option>
        ))}
      </select>
    </label>
  );
}

/** `/` moves the focus to the search field of the page. */
function useSearchKey(): void {
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const isTyping = event.target instanceof HTMLElement && event.target.matches("input, textarea, select");
      if (event.key === "/" && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey) {
        const search = document.querySelector<HTMLInputElement>("main input[type=search]");
        if (search !== null) {
          event.preventDefault();
          search.focus();
        }
      }
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
}
