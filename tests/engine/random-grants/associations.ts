/** The associations that the cloud must have. */
import { associationsIn, type AssociationDeclaration, type Program } from "./program";

/** An association as text: "prod2 of prod, label red". */
export const associationText = ({
  id,
  network,
  label,
}: Pick<AssociationDeclaration, "id" | "network" | "label">): string => `${id} of ${network}, label ${label}`;

/**
 * After an update that succeeded, the cloud has exactly the associations that the programs of all stacks declare.
 *
 * @param live those of the cloud.
 */
export function wrongAssociations(programs: readonly Program[], live: readonly string[]): string[] {
  const declared = programs.flatMap(associationsIn).map(associationText);
  return [
    ...declared
      .filter((each) => !live.includes(each))
      .map((each) => `MISSING association ${each}: a program declares it`),
    ...live
      .filter((each) => !declared.includes(each))
      .map((each) => `EXTRA association ${each}: no program declares it`),
  ];
}

/**
 * Whether the stack can go back to this program after an update to the other one failed. Without an alias, an association with
 * another name is another one, which cannot be made while the first is there.
 */
export function canRevert(to: Program, failed: Program): boolean {
  return Object.values(failed).every(
    ({ kind, alias }) => kind !== "association" || alias === undefined || to[alias] === undefined,
  );
}

/** How many associations of the next program have an id that the program before lacks. */
export function countOtherIds(before: Program, after: Program): number {
  const ids = associationsIn(before).map(({ id }) => id);
  return ids.length === 0 ? 0 : associationsIn(after).filter(({ id }) => !ids.includes(id)).length;
}
