// Compares the plain SQL of the stores with Prisma's client for the same rows: statements, milliseconds and CPU time of
// this process per call, in interleaved rounds on a separate PostgreSQL database.
// npm run -s bench -- sql [--rounds 200]. BENCH_DATABASE_URL is the server.
import { parseArgs } from 'node:util'
import { type Database, openDatabase } from '../../../src/platform/database/database.js'
import { fixed, quantile, tableText } from '../shared/figures.js'
import { createWorld } from '../world.js'
import type { Case } from './sql-case.js'
import { casesOf } from './sql-cases.js'

const DEFAULT_URL = 'postgresql://postgres@127.0.0.1:5432/postgres'
const WARM_UP_ROUNDS = 30

interface Samples {
  readonly ms: number[]
  readonly cpuMs: number[]
  statements: number
}

async function sample(database: Database, work: () => Promise<unknown>, into: Samples): Promise<void> {
  const before = database.statementCount()
  const cpu = process.cpuUsage()
  const beganAt = performance.now()
  await work()
  into.ms.push(performance.now() - beganAt)
  const { user, system } = process.cpuUsage(cpu)
  into.cpuMs.push((user + system) / 1_000)
  into.statements = database.statementCount() - before
}

async function measure(
  database: Database,
  one: Case,
  rounds: number,
): Promise<readonly (readonly string[])[]> {
  const ways = { sql: newSamples(), prisma: newSamples() }
  for (let round = 0; round < WARM_UP_ROUNDS + rounds; round++) {
    for (const way of round % 2 === 0 ? (['sql', 'prisma'] as const) : (['prisma', 'sql'] as const)) {
      await sample(database, one[way], round < WARM_UP_ROUNDS ? newSamples() : ways[way])
      await one.undo?.()
    }
  }
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  return (['sql', 'prisma'] as const).map((way) => {
    const { ms, cpuMs, statements } = ways[way]
    const ratio = mean(cpuMs) / mean(ways.sql.cpuMs)
    return [
      `${one.name}, ${way}`,
      String(statements),
      fixed(quantile(ms, 0.5), 2),
      fixed(mean(cpuMs), 2),
      fixed(ratio, 1),
    ]
  })
}

function newSamples(): Samples {
  return { ms: [], cpuMs: [], statements: 0 }
}

const { values } = parseArgs({ options: { rounds: { type: 'string' } } })
const rounds = Number(values.rounds ?? 200)
if (!Number.isInteger(rounds) || rounds < 1) throw new Error('--rounds must be a whole number')
const world = await createWorld(process.env.BENCH_DATABASE_URL ?? DEFAULT_URL)
try {
  const database = await openDatabase({ kind: 'postgres', url: world.databaseUrl, poolSize: 4 })
  try {
    const rows = []
    for (const one of await casesOf(database)) rows.push(...(await measure(database, one, rounds)))
    const heads = ['statements', 'ms (median)', 'CPU ms', 'CPU / SQL']
    process.stdout.write(tableText(`PostgreSQL ${world.serverVersion}, Node ${process.version}`, heads, rows))
  } finally {
    await database.close()
  }
} finally {
  await world.drop()
}
