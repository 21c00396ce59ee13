import type { JSX } from "preact";
import { grantsOf } from "../../../picture/grants";
import { compareMembers } from "../../../picture/members";
import { Member, MemberPicture } from "../../../picture/picture";
import { nameParts, serviceTitle } from "./names";
import { Empty, Search, ShortList, useStore } from "./parts";
import { PolicyHistory } from "./policy-history";
import { principalCount } from "./resources";
import { ResourceHead } from "./resource-head";
import { link, replaceRoute } from "./route";
import { SharedName } from "./shared-name";
import type { Resource } from "./types";
import { View } from "./view";

const FIRST_SHOWN = 200;

/** Who has access: to a resource, or what a principal has everywhere. */
export function AccessPage({ parameters }: { parameters: URLSearchParams }): JSX.Element {
  const held = useStore();
  const { resources } = held;
  const name = parameters.get("name");
  const member = parameters.get("member");
  const isChosen = name !== null || member !== null;
  const find = parameters.get("find") ?? "";
  const all = [...resources].sort((a, b) => (a.name < b.name ? -1 : 1));
  const governed = all.filter((each) => each.policy !== undefined || held.nameOf(each) === name);
  const search = (text: string): void =>
    replaceRoute("access", {
      ...(name !== null && { name }),
      ...(member !== null && { member }),
      ...(text !== "" && { find: text }),
    });
  return (
    <>
      <header class="page-head">
        <h1 tabIndex={-1}>Access</h1>
        <Search label="Find a principal or a resource" value={find} onChange={search} />
      </header>
      {governed.length === 0 && member === null ? (
        <Empty title="No resource has a policy yet.">
          <p>
            Grant a role on one of the <a href={link("resources")}>resources</a>. Then the picture of who has access
            appears here.
          </p>
        </Empty>
      ) : (
        <div class={isChosen && find === "" ? "columns columns-chosen" : "columns"}>
          <Choices resources={governed} name={name} member={member} find={find} />
          <div class="picture">
            {isChosen && (
              <p class="back">
                <a href={link("access")}>← All resources and principals</a>
              </p>
            )}
            {member !== null ? (
              <OneMember member={member} resources={all} />
            ) : name !== null ? (
              <OneResource name={name} parameters={parameters} />
            ) : (
              <Empty title="Choose a resource to see who has access to it, or a principal to see its access." />
            )}
          </div>
        </div>
      )}
    </>
  );
}

interface ChoicesProps {
  resources: readonly Resource[];
  name: string | null;
  member: string | null;
  find: string;
}

function Choices({ resources, name, member, find }: ChoicesProps): JSX.Element {
  const held = useStore();
  const wanted = find.toLowerCase();
  const places = new Map<string, Set<string>>();
  for (const resource of resources) {
    for (const grant of grantsOf(resource.policy)) {
      const at = places.get(grant.member) ?? new Set();
      places.set(grant.member, at.add(held.nameOf(resource)));
    }
  }
  const members = [...places.keys()].filter((each) => each.toLowerCase().includes(wanted)).sort(compareMembers);
  const found = resources.filter((resource) => resource.name.toLowerCase().includes(wanted));
  return (
    <nav class="choices" aria-label="Resources and principals">
      <h2>
        Resources <span class="count">{found.length}</span>
      </h2>
      <ShortList items={found} first={FIRST_SHOWN}>
        {(shown) => (
          <ul>
            {shown.map((resource) => {
              const own = held.nameOf(resource);
              const { id, collection } = nameParts(own);
              return (
                <li key={`${resource.service} ${resource.name}`}>
                  <a href={link("access", { name: own })} aria-current={own === name ? "page" : undefined}>
                    <span>{id}</span>
                    <span class="choice-detail">
                      {serviceTitle(resource.service)}, {collection}
                    </span>
                    <span class="choice-count">{principalCount(resource)}</span>
                  </a>
                </li>
              );
            })}
          </ul>
        )}
      </ShortList>
      <h2>
        Principals <span class="count">{members.length}</span>
      </h2>
      <ShortList items={members} first={FIRST_SHOWN}>
        {(shown) => (
          <ul>
            {shown.map((each) => (
              <li key={each}>
                <a href={link("access", { member: each })} aria-current={each === member ? "page" : undefined}>
                  <View of={Member({ member: each })} />
                  <span class="choice-count">{places.get(each)?.size}</span>
                </a>
              </li>
            ))}
          </ul>
        )}
      </ShortList>
      {found.length + members.length === 0 && <p class="soft">No resource or principal contains “{find}”.</p>}
    </nav>
  );
}

function OneResource({ name, parameters }: { name: string; parameters: URLSearchParams }): JSX.Element {
  const named = useStore().named(name);
  const { id } = nameParts(name);
  if (named.length > 1) {
    return <SharedName page="access" resources={named} />;
  }
  return (
    <section aria-label={`Access to ${id}`}>
      <h2>
        <a href={link("resource", { name })}>{id}</a>
      </h2>
      <p class="full-name">
        <code>{name}</code>
      </p>
      <PolicyHistory key={name} name={name} parameters={parameters} page="access" />
    </section>
  );
}

function OneMember({ member, resources }: { member: string; resources: readonly Resource[] }): JSX.Element {
  const held = useStore();
  const policies = resources.map((each) => ({ name: held.nameOf(each), policy: each.policy ?? null }));
  return (
    <section aria-label={`Access of ${member}`}>
      <h2>{member}</h2>
      <p class="full-name">
        Every role that this principal has by itself; what it has through a group or a project is not known here.
      </p>
      <View of={MemberPicture({ member, policies, resourceHead: (name) => ResourceHead({ name }) })} />
    </section>
  );
}
