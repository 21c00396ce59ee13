import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { write } from "./api";
import { authorText, nameParts, operationTone, serviceTitle } from "./names";
import { notify } from "./notices";
import { Badge, Empty, Search, ShortList, Table, Time, useNow, useStore } from "./parts";
import { link } from "./route";
import type { OperationView } from "./types";

const FIRST_SHOWN = 100;

/** Operations, newest first, with the progress of those that run. */
export function OperationsPage(): JSX.Element {
  const { operations } = useStore();
  const [find, setFind] = useState("");
  const all = [...operations.values()].reverse();
  const running = all.filter(({ state }) => state === "running");
  const wanted = find.toLowerCase();
  const found = all.filter((each) =>
    `${each.name} ${each.verb} ${each.target} ${each.state}`.toLowerCase().includes(wanted),
  );
  return (
    <>
      <header class="page-head">
        <h1 tabIndex={-1}>Operations</h1>
        <span class="count">{running.length === 0 ? all.length : `${running.length} running`}</span>
        <Search label="Find by name, target or state" value={find} onChange={setFind} />
      </header>
      {all.length === 0 ? (
        <Empty title="No operation has been started yet.">
          <p>
            Creating, changing or deleting a resource starts an operation. Operations end at once, unless you{" "}
            <a href={link("faults")}>set their duration</a>.
          </p>
        </Empty>
      ) : found.length === 0 ? (
        <Empty title={`No operation matches “${find}”.`} />
      ) : (
        <ShortList items={found} first={FIRST_SHOWN}>
          {(shown) => (
            <Table
              class="list-operations"
              caption="Operations, newest first"
              columns={["Operation", "State", "Progress", "Started", "By"]}
            >
              {shown.map((operation) => (
                <OperationRow key={operation.name} operation={operation} />
              ))}
            </Table>
          )}
        </ShortList>
      )}
    </>
  );
}

function OperationRow({ operation }: { operation: OperationView }): JSX.Element {
  const { name, verb, target, service, state, createTime, author, error } = operation;
  const { id, collection } = nameParts(target);
  const held = useStore();
  return (
    <tr>
      <th scope="row" title={name}>
        {verb} <a href={link("resource", { name: held.nameOf({ service, name: target }) })}>{id}</a>
        <span class="second">
          {serviceTitle(service)}, {collection}
        </span>
      </th>
      <td>
        <Badge tone={operationTone(state)}>{state}</Badge>
      </td>
      <td class="progress-cell">
        {state === "running" ? (
          <Progress operation={operation} />
        ) : (
          <span class="soft">{error?.message ?? tookText(operation)}</span>
        )}
      </td>
      <td>
        <Time at={createTime} />
      </td>
      <td>{authorText(author)}</td>
    </tr>
  );
}

function tookText({ createTime, endTime }: OperationView): string {
  const ms = Date.parse(endTime ?? createTime) - Date.parse(createTime);
  return endTime === undefined ? "" : ms === 0 ? "ended at once" : `took ${seconds(ms)}`;
}

function Progress({ operation: { createTime, dueTime, target } }: { operation: OperationView }): JSX.Element {
  const now = useNow(200);
  const [start, due] = [Date.parse(createTime), Date.parse(dueTime)];
  const part = due <= start ? 1 : Math.min(1, Math.max(0, (now - start) / (due - start)));
  const finish = (): void => {
    void write("POST", "advance", { ms: Math.max(0, Math.ceil(due - now)) }).catch(notify);
  };
  return (
    <span class="progress">
      <progress max={1} value={part} aria-label={`Progress on ${target}`} />
      <span class="progress-text">{seconds(Math.max(0, due - now))} left</span>
      <button
        type="button"
        class="small"
        onClick={finish}
        title="Moves the emulator's clock to the end of this operation"
      >
        Finish now
      </button>
    </span>
  );
}

function seconds(ms: number): string {
  return ms < 60_000
    ? `${(ms / 1000).toFixed(1)} s`
    : `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`;
}
