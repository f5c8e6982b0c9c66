// Measures what the plain SQL of the stores takes beside Prisma's client, for the same rows: statements, milliseconds and
// CPU of this process per call, in interleaved rounds on a PostgreSQL database of its own.
// npm run -s bench:sql -- [--rounds 200]. BENCH_DATABASE_URL names the server.
import { parseArgs } from 'node:util'
import type { DecimalText } from '../../src/core/decimal.js'
import type { CurrencyCode } from '../../src/core/identifiers.js'
import { DAY_MS, isoDateOf } from '../../src/core/time.js'
import { readChangesBefore } from '../../src/domains/analysis/changes/change-store.js'
import { readLatestSnapshots } from '../../src/domains/analysis/snapshots/snapshot-store.js'
import { readCardPage } from '../../src/domains/cards/store.js'
import { readRates, writeRates } from '../../src/domains/forex/store.js'
import { readCandles } from '../../src/domains/market/series-store.js'
import { type Database, openDatabase } from '../../src/platform/database/database.js'
import { fixed, quantile, tableText } from './figures.js'
import { createWorld } from './world.js'

const DEFAULT_URL = 'postgresql://postgres@127.0.0.1:5432/postgres'
const WARM_UP_ROUNDS = 30
const ASSETS = 20
const WRITTEN_ROWS = 1_000

/** The same work in two ways; `undo` takes back what a write left. */
interface Case {
  readonly name: string
  readonly sql: () => Promise<unknown>
  readonly prisma: () => Promise<unknown>
  readonly undo?: () => Promise<unknown>
}

async function casesOf(database: Database): Promise<readonly Case[]> {
  const { prisma } = database
  const now = new Date()
  const yearAgo = new Date(now.getTime() - 365 * DAY_MS)
  const assets = await prisma.asset.findMany({ where: { assetClass: 'crypto' }, take: ASSETS })
  const assetIds = assets.map(({ assetId }) => assetId)
  const source = 'seed'
  const chain = (await prisma.analysisSnapshot.findFirstOrThrow()).analysisType
  const first = new Date(now.getTime() - 21 * DAY_MS)
  const rates = Array.from({ length: WRITTEN_ROWS }, (_, at) => {
    const day = new Date(Date.UTC(1990, 0, 1) + at * DAY_MS)
    return { quote: 'XTS' as CurrencyCode, date: isoDateOf(day), rate: '1.5' as DecimalText }
  })
  return [
    {
      name: `a page of ${ASSETS} cards`,
      sql: () =>
        readCardPage(
          database,
          { tier: null, assetClass: 'crypto', mic: null },
          { limit: ASSETS, offset: 0, from: null },
          now,
        ),
      prisma: async () => {
        const page = await prisma.asset.findMany({
          where: { assetClass: 'crypto' },
          orderBy: { assetId: 'asc' },
          take: ASSETS,
        })
        const where = { assetId: { in: page.map(({ assetId }) => assetId) }, knownTo: null }
        return Promise.all([
          prisma.assetSupply.findMany({ where }),
          ...(['hour', 'day'] as const).map((of) =>
            prisma.candle.findMany({
              where: { ...where, timeframe: of, ts: { gte: first, lte: now } },
              distinct: ['assetId'],
              orderBy: [{ assetId: 'asc' }, { ts: 'desc' }],
            }),
          ),
        ])
      },
    },
    {
      name: '21 days of hours of an asset',
      sql: () =>
        readCandles(database, assetIds.slice(0, 1), { timeframe: '1h', first, end: now, asOf: null }),
      prisma: () =>
        prisma.candle.findMany({
          where: {
            assetId: assetIds[0] ?? 0,
            timeframe: 'hour',
            ts: { gte: first, lt: now },
            knownTo: null,
          },
          select: { ts: true, vwapUsd: true, volumeUsd: true, exchangesCount: true, maxSourceWeight: true },
          orderBy: { ts: 'asc' },
        }),
    },
    {
      name: 'a year of one rate',
      sql: () =>
        readRates(database, { quotes: ['USD'], from: isoDateOf(yearAgo), to: isoDateOf(now), asOf: null }),
      prisma: () =>
        prisma.forexRate.findMany({
          where: { quote: 'USD', date: { gte: yearAgo, lte: now }, knownTo: null },
          select: { date: true, rate: true },
          orderBy: { date: 'asc' },
        }),
    },
    {
      name: `the newest snapshots of ${ASSETS} assets`,
      sql: () =>
        readLatestSnapshots(
          database,
          assetIds.map((assetId) => ({ assetId, analysisType: chain })),
          { source, asOf: now },
        ),
      prisma: () =>
        prisma.analysisSnapshot.findMany({
          where: { assetId: { in: assetIds }, analysisType: chain, source, knownFrom: { lte: now } },
          distinct: ['assetId'],
          orderBy: [{ assetId: 'asc' }, { generatedAt: 'desc' }, { sequence: 'desc' }],
        }),
    },
    {
      name: `a page of ${ASSETS} changes`,
      sql: () =>
        readChangesBefore(
          database,
          source,
          { since: null, analysisType: null, changeType: null },
          { before: null, limit: ASSETS },
        ),
      prisma: async () => {
        const changes = await prisma.analysisChange.findMany({
          where: { source },
          orderBy: [{ computedAt: 'desc' }, { diffId: 'desc' }],
          take: ASSETS,
        })
        return prisma.asset.findMany({ where: { assetId: { in: changes.map(({ assetId }) => assetId) } } })
      },
    },
    {
      name: `${WRITTEN_ROWS} new rates written`,
      sql: () => database.transaction((tx) => writeRates(tx, rates, { knownAt: now, source })),
      prisma: () =>
        prisma.$transaction(async (tx) => {
          const known = await tx.forexRate.findMany({ where: { quote: 'XTS', knownTo: null } })
          const days = new Set(known.map(({ date }) => isoDateOf(date)))
          const added = rates.filter(({ date }) => !days.has(date))
          await tx.forexRate.createMany({
            data: added.map((row) => ({ ...row, date: new Date(row.date), knownFrom: now, source })),
          })
        }),
      undo: () => prisma.forexRate.deleteMany({ where: { quote: 'XTS' } }),
    },
  ]
}

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
if (!Number.isInteger(rounds) || rounds < 1) throw new Error('--rounds is a whole number')
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
