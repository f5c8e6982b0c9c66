import type { Queries, Sql } from '../../../src/platform/database/database.js'
import type { ReadPath } from './read-path.js'
import type { Stage } from './stage.js'

/** A complete scan of a smaller table is cheaper than an index, and bounded. */
const BIG_ROWS = 10_000

/** Number of plans per path, because a plan depends on the arguments. */
const DRAWS = 3

interface PlanNode {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly Plans?: readonly PlanNode[]
}

/** Lists the big tables that each path scans completely. The list should be empty. */
export async function readWhole(
  stages: readonly Pick<Stage, 'database' | 'scale'>[],
  paths: readonly ReadPath[],
): Promise<readonly string[]> {
  const found = new Set<string>()
  for (const { database, scale } of stages) {
    const big = await readBigTables(database)
    for (const path of paths) {
      for (let draw = 0; draw < DRAWS; draw++) {
        const tables = await scannedTables(database, (queries) => path.read(queries, scale))
        for (const table of tables) {
          if (!big.has(table)) continue
          found.add(`${path.name}: sequential scan of ${table}, ${big.get(table)} rows`)
        }
      }
    }
  }
  return [...found]
}

async function readBigTables(sql: Sql): Promise<ReadonlyMap<string, number>> {
  const tables = await sql.rows<{ name: string; rows: number }>(
    `select relname as name, reltuples::int8 as rows from pg_class
     where relnamespace = 'public'::regnamespace and relkind = 'r' and reltuples >= $1`,
    [BIG_ROWS],
  )
  return new Map(tables.map(({ name, rows }) => [name, rows]))
}

/** The tables that statements in plain SQL scan. Statements of Prisma's client are timed, but not explained. */
async function scannedTables(
  { rows, prisma }: Queries,
  read: (queries: Queries) => Promise<void>,
): Promise<ReadonlySet<string>> {
  const scanned = new Set<string>()
  await read({
    prisma,
    rows: async (text, parameters) => {
      const [plan] = await rows<{ 'QUERY PLAN': readonly { readonly Plan: PlanNode }[] }>(
        `explain (format json) ${text}`,
        parameters,
      )
      for (const { Plan: node } of plan?.['QUERY PLAN'] ?? []) collect(node, scanned)
      return rows(text, parameters)
    },
  })
  return scanned
}

function collect(node: PlanNode, into: Set<string>): void {
  const table = node['Relation Name']
  if (node['Node Type'] === 'Seq Scan' && table !== undefined) into.add(table)
  for (const child of node.Plans ?? []) collect(child, into)
}
