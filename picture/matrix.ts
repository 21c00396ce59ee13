import { compareText } from "./members";
import { conditionKey, type Change, type ConditionLike, type Grant } from "./grants";

/** One mark in a cell. */
export interface Mark {
  change?: Change;
  /** The number of the condition in the list below the matrix, from 1. Absent without a condition. */
  condition?: number;
}

export interface MatrixRow {
  key: string;
  /** By role, in the order of `Matrix.roles`. */
  cells: Mark[][];
}

export interface Matrix {
  roles: string[];
  rows: MatrixRow[];
  conditions: ConditionLike[];
  /** The number of rows, including those beyond the limit. */
  total: number;
}

export interface MatrixOptions {
  /** The key of a row, e.g. the member. */
  rowOf: (grant: Grant) => string;
  compareRows: (a: string, b: string) => number;
  /** The largest number of rows. Rows with a change have priority. */
  limit?: number;
}

/** Arranges grants as a table of rows and roles, in a fixed order. */
export function matrixOf(grants: readonly Grant[], { rowOf, compareRows, limit = Infinity }: MatrixOptions): Matrix {
  const roles = [...new Set(grants.map(({ role }) => role))].sort(compareText);
  const conditions = new Map<string, ConditionLike>();
  for (const { condition } of grants) {
    if (condition !== undefined && !conditions.has(conditionKey(condition))) {
      conditions.set(conditionKey(condition), condition);
    }
  }
  const numbers = new Map([...conditions.keys()].map((key, index) => [key, index + 1]));
  const columns = new Map(roles.map((role, index) => [role, index]));
  const byRow = new Map<string, Mark[][]>();
  for (const grant of grants) {
    const key = rowOf(grant);
    const cells = byRow.get(key) ?? roles.map((): Mark[] => []);
    byRow.set(key, cells);
    const condition = grant.condition && numbers.get(conditionKey(grant.condition));
    cells[columns.get(grant.role) ?? 0]?.push({
      ...(grant.change && { change: grant.change }),
      ...(condition !== undefined && { condition }),
    });
  }
  const rows = [...byRow].sort(([a], [b]) => compareRows(a, b)).map(([key, cells]) => ({ key, cells }));
  return { roles, rows: firstOf(rows, limit), conditions: [...conditions.values()], total: rows.length };
}

/** Whether a mark of the row was added or removed. */
export function isChanged({ cells }: MatrixRow): boolean {
  return cells.some((marks) => marks.some(({ change }) => change !== undefined));
}

/** A matrix of some rows of another one, with only the roles of these rows. */
export function partOf(matrix: Matrix, rows: readonly MatrixRow[]): Matrix {
  const used = matrix.roles.flatMap((_role, index) => (rows.some(({ cells }) => cells[index]?.length) ? [index] : []));
  const picked = <T>(items: readonly T[]): T[] => items.filter((_item, index) => used.includes(index));
  return {
    ...matrix,
    roles: picked(matrix.roles),
    rows: rows.map(({ key, cells }) => ({ key, cells: picked(cells) })),
  };
}

/** Limits the rows and keeps their order. Rows with a change have priority. */
function firstOf(rows: readonly MatrixRow[], limit: number): MatrixRow[] {
  const others = Math.max(0, limit - rows.filter(isChanged).length);
  let [changed, same] = [limit, others];
  return rows.filter((row) => (isChanged(row) ? changed-- > 0 : same-- > 0));
}
