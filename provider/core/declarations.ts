import type { CloudResource } from "./cloud-object";

/** The identity of a resource that nobody knows. Such a resource is another one than all others, unknown ones included. */
export const UNKNOWN_IDENTITY = "";

export function isAnother(left: string, right: string): boolean {
  return left !== right || left === UNKNOWN_IDENTITY;
}

/** The objects of one cloud resource that this process was told about. */
interface Contents<Content> {
  readonly byKey: Map<string, Content>;
  list: Content[];
}

/**
 * Which resource of the run declares which object. A resource declares one object at a time: the engine checks it again
 * when its inputs change, so that its newest declaration counts and the one before is withdrawn. A resource that nobody
 * knows withdraws nothing.
 *
 * @typeParam Content what a declaration says of its object, for those who look at all objects of one cloud resource.
 */
export class Declarations<Content> {
  /** The identities of those who declare an object, by the object's key. */
  private readonly declarers = new Map<string, Set<string>>();
  /** The key of the object that a resource declares, by the resource's identity. */
  private readonly newest = new Map<string, string>();
  private readonly contents = new Map<string, Contents<Content>>();
  /** The contents that have an object, by the object's key. */
  private readonly contentsOf = new Map<string, Contents<Content>>();

  /** @returns whether this was not known. */
  add(key: string, identity: string): boolean {
    const declarers = this.declarers.get(key) ?? new Set();
    if (declarers.has(identity)) return false;
    this.declarers.set(key, declarers.add(identity));
    if (identity === UNKNOWN_IDENTITY) return true;
    const before = this.newest.get(identity);
    this.newest.set(identity, key);
    if (before !== undefined) this.withdraw(before, identity);
    return true;
  }

  /** Remembers what an object of a cloud resource is; the first to say so counts. */
  describe(on: CloudResource, key: string, content: Content): void {
    const contents = this.contents.get(idOf(on)) ?? { byKey: new Map<string, Content>(), list: [] };
    if (contents.byKey.has(key)) return;
    contents.byKey.set(key, content);
    contents.list.push(content);
    this.contents.set(idOf(on), contents);
    this.contentsOf.set(key, contents);
  }

  has(key: string, identity: string): boolean {
    return this.declarers.get(key)?.has(identity) ?? false;
  }

  /** Whether a resource declares anything. */
  isDeclarer(identity: string): boolean {
    return this.newest.has(identity);
  }

  /**
   * The declared objects of a cloud resource, each once, in the order of their declaration. As long as none is withdrawn,
   * it is the very same list, which grows: who has looked at its beginning need not look again.
   */
  on(resource: CloudResource): readonly Content[] {
    return this.contents.get(idOf(resource))?.list ?? [];
  }

  /** The identity of another resource that declares another object of the same cloud resource. */
  rival(on: CloudResource, key: string, identity: string): string | undefined {
    for (const other of this.contents.get(idOf(on))?.byKey.keys() ?? []) {
      if (other === key) continue;
      const rival = [...(this.declarers.get(other) ?? [])].find((each) => isAnother(each, identity));
      if (rival !== undefined) return rival;
    }
    return undefined;
  }

  private withdraw(key: string, identity: string): void {
    const declarers = this.declarers.get(key);
    declarers?.delete(identity);
    const contents = this.contentsOf.get(key);
    if (declarers?.size !== 0 || !contents) return;
    contents.byKey.delete(key);
    contents.list = [...contents.byKey.values()];
    this.contentsOf.delete(key);
  }
}

function idOf({ url, name }: CloudResource): string {
  return JSON.stringify([url, name]);
}
