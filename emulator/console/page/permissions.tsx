import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { read } from "./api";
import { notify } from "./notices";
import { Badge, Empty, HowToConnect, Search, ShortList, Table, useStore } from "./parts";
import type { UsedPermission } from "./types";

const FIRST_SHOWN = 200;

/** The permissions that the requests needed, by resource. Users write the role of a deployer from them. */
export function PermissionsPage(): JSX.Element {
  const { requests } = useStore();
  const [used, setUsed] = useState<UsedPermission[]>([]);
  const [find, setFind] = useState("");
  const last = requests.at(-1);
  useEffect(() => {
    read<{ permissions: UsedPermission[] }>("permissions").then(({ permissions }) => setUsed(permissions), notify);
  }, [last?.seq, last?.status]);
  const wanted = find.toLowerCase();
  const found = used.filter(({ permission, resource }) => `${permission} ${resource}`.toLowerCase().includes(wanted));
  return (
    <>
      <header class="page-head">
        <h1 tabIndex={-1}>Permissions</h1>
        <span class="count">{new Set(used.map(({ permission }) => permission)).size}</span>
        <Search label="Find by permission or resource" value={find} onChange={setFind} />
      </header>
      {used.length === 0 ? (
        <Empty title="No request has needed a permission yet.">
          <HowToConnect />
        </Empty>
      ) : found.length === 0 ? (
        <Empty title={`No permission matches “${find}”.`} />
      ) : (
        <ShortList items={found} first={FIRST_SHOWN}>
          {(shown) => (
            <Table
              class="list-permissions"
              caption="Permissions that the requests needed"
              columns={["Permission", "Resource", "Uses"]}
            >
              {shown.map(({ permission, resource, uses, denied }) => (
                <tr key={`${permission} ${resource}`}>
                  <th scope="row">{permission}</th>
                  <td>{resource}</td>
                  <td>
                    {uses} {denied > 0 && <Badge tone="bad">{denied} denied</Badge>}
                  </td>
                </tr>
              ))}
            </Table>
          )}
        </ShortList>
      )}
    </>
  );
}
