// The reads and writes of the stores that are plain SQL, with the same by Prisma's client.
import { randomUUID } from 'node:crypto'
import type { DecimalText } from '../../../src/core/decimal.js'
import type { CurrencyCode, EvmAddress } from '../../../src/core/identifiers.js'
import type { MacroProvider } from '../../../src/core/providers.js'
import { DAY_MS, type IsoDate, toIsoDate } from '../../../src/core/time.js'
import { ANALYSIS_CHANGES } from '../../../src/domains/analysis/changes/change-store.js'
import { loadLatestSnapshots } from '../../../src/domains/analysis/snapshots/snapshot-store.js'
import { loadCardPage } from '../../../src/domains/asset-cards/store.js'
import { loadRates, writeRates } from '../../../src/domains/forex/store.js'
import { loadSeriesPages } from '../../../src/domains/macro/series/series-store.js'
import { loadStoredCandles } from '../../../src/domains/market/series-store.js'
import { loadAddressSnapshots } from '../../../src/domains/onchain/store.js'
import { loadSubjects } from '../../../src/domains/screening/screened-store.js'
import { loadJobRuns } from '../../../src/ingest/schedule/job-store.js'
import type { Database } from '../../../src/platform/database/database.js'
import { createLogger } from '../../../src/platform/logger.js'
import { PostgresCounters } from '../../../src/platform/quota/postgres-counters.js'
import { createUsageRecorder } from '../../../src/platform/usage/usage.js'
import { masterCases } from './master-cases.js'
import type { Case } from './sql-case.js'

const SILENT = createLogger('silent')
const ASSETS = 20
const WRITTEN_ROWS = 1_000
const LISTED = 20
const USED_KEYS = 100
const JOBS = 30
const RUNS_OF_JOB = 100

async function factCases(database: Database): Promise<readonly Case[]> {
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
    return { quote: 'XTS' as CurrencyCode, date: toIsoDate(day), rate: '1.5' as DecimalText }
  })
  return [
    {
      name: `a page of ${ASSETS} cards`,
      sql: () =>
        loadCardPage(
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
        loadStoredCandles(database, assetIds.slice(0, 1), { timeframe: '1h', first, end: now, asOf: null }),
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
        loadRates(database, { quotes: ['USD'], from: toIsoDate(yearAgo), to: toIsoDate(now), asOf: null }),
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
        loadLatestSnapshots(
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
        ANALYSIS_CHANGES.loadBefore(
          database,
          { since: null, analysisType: null, changeType: null, source },
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
        database.transaction(async ({ prisma: tx }) => {
          const known = await tx.forexRate.findMany({ where: { quote: 'XTS', knownTo: null } })
          const days = new Set(known.map(({ date }) => toIsoDate(date)))
          const added = rates.filter(({ date }) => !days.has(date))
          await tx.forexRate.createMany({
            data: added.map((row) => ({ ...row, date: new Date(row.date), knownFrom: now, source })),
          })
        }),
      undo: () => prisma.forexRate.deleteMany({ where: { quote: 'XTS' } }),
    },
  ]
}

async function seriesCases(database: Database): Promise<readonly Case[]> {
  const { prisma } = database
  const { provider, dataset, seriesKey } = await prisma.macroSeries.findFirstOrThrow({
    where: { frequency: 'monthly' },
  })
  const page = { provider: provider as MacroProvider, dataset, seriesKey, limit: 100, offset: 0 } // the seed has known providers alone
  const addresses = await prisma.addressSnapshot.findMany({ distinct: ['chainId', 'address'], take: LISTED })
  const keys = addresses.map(({ chainId, address }) => ({
    chainId,
    address: address as EvmAddress,
    day: null,
  })) // as well
  const subjects = await prisma.sanctionsSubject.findMany({
    where: { identifiers: { isEmpty: false } },
    take: LISTED,
  })
  const identifiers = subjects.flatMap((subject) => subject.identifiers)
  const [first, last] = ['1900-01-01', '2100-01-01'] as const
  return [
    {
      name: 'a page of a macro series',
      sql: () =>
        loadSeriesPages(database, [{ ...page, first: first as IsoDate, last: last as IsoDate }], {
          asOf: null,
          hasVintages: false,
        }),
      prisma: async () => {
        const series = await prisma.macroSeries.findUniqueOrThrow({
          where: { provider_dataset_seriesKey: { provider, dataset, seriesKey } },
        })
        const periodStart = { gte: new Date(first), lte: new Date(last) }
        const where = { seriesId: series.seriesId, periodStart, knownTo: null, isWithdrawn: false }
        return Promise.all([
          prisma.macroObservation.count({ where }),
          prisma.macroObservation.findMany({ where, orderBy: { periodStart: 'asc' }, take: page.limit }),
        ])
      },
    },
    {
      name: `the newest snapshots of ${keys.length} addresses`,
      sql: () => loadAddressSnapshots(database, keys),
      prisma: () =>
        prisma.addressSnapshot.findMany({
          where: { OR: keys.map(({ chainId, address }) => ({ chainId, address })) },
          distinct: ['chainId', 'address'],
          orderBy: [{ chainId: 'asc' }, { address: 'asc' }, { snapshotDate: 'desc' }],
        }),
    },
    {
      name: `the listed subjects of ${identifiers.length} identifiers`,
      sql: () => loadSubjects(database, identifiers, null),
      // Less than the statement answers: nothing of closed versions.
      prisma: async () => {
        const listed = await prisma.sanctionsSubject.findMany({
          where: { identifiers: { hasSome: identifiers }, knownTo: null, isWithdrawn: false },
        })
        const subjectId = { in: listed.flatMap((subject) => [subject.subjectId, ...subject.referents]) }
        return prisma.sanctionsListing.findMany({ where: { subjectId, knownTo: null, isWithdrawn: false } })
      },
    },
  ]
}

async function bookCases(database: Database): Promise<readonly Case[]> {
  const { prisma } = database
  const windowEnd = new Date(Date.now() + DAY_MS)
  const counters = new PostgresCounters(database, SILENT)
  const charges = ['minute', 'hour'].map((window) => ({
    key: `bench ${window}`,
    owner: 'bench',
    quota: 1_000_000_000,
    units: 1,
    windowEnd,
  }))
  const usage = createUsageRecorder(database, SILENT)
  const totals = Array.from({ length: USED_KEYS }, () => ({
    accountId: randomUUID(),
    keyId: randomUUID(),
    operation: 'forex',
    units: 1,
    requests: 1,
  }))
  const jobs = Array.from({ length: JOBS }, (_, at) => `bench-${at}`)
  const today = Date.UTC(2026, 0, 1)
  await prisma.jobRun.createMany({
    data: jobs.flatMap((job) =>
      Array.from({ length: RUNS_OF_JOB }, (_, at) => {
        const dueAt = new Date(today - at * DAY_MS)
        return { job, dueAt, coversTo: dueAt, status: 'succeeded', attempt: 1, term: 1n }
      }),
    ),
  })
  return [
    {
      name: 'a take from two counters',
      sql: async () => counters.consume(charges, new Date()),
      // Less than the statement does: without refunds and floors, and one of two that cross may have to try again.
      prisma: () =>
        database.transaction(async ({ prisma: tx }) => {
          for (const { key, quota, units } of charges) {
            const { count } = await tx.rateCounter.updateMany({
              where: { key, points: { lte: quota - units } },
              data: { points: { increment: units } },
            })
            if (count === 0) throw new Error('a counter of the benchmark is spent')
          }
          return tx.rateCounter.findMany({ where: { key: { in: charges.map(({ key }) => key) } } })
        }),
    },
    {
      name: `the usage of ${USED_KEYS} keys written`,
      sql: () => {
        for (const total of totals) usage.record({ ...total, at: new Date() })
        return usage.flush()
      },
      prisma: () => {
        const day = new Date(toIsoDate(new Date()))
        return database.transaction(async ({ prisma: tx }) => {
          for (const { accountId, keyId, operation, units, requests } of totals)
            await tx.usageDay.upsert({
              where: { accountId_day_keyId_operation: { accountId, day, keyId, operation } },
              create: { accountId, keyId, day, operation, units, requests },
              update: { units: { increment: units }, requests: { increment: requests } },
            })
        })
      },
    },
    {
      name: `the newest runs of ${JOBS} jobs`,
      sql: () => loadJobRuns(database, jobs),
      prisma: () => {
        const newestOf = (where: { readonly status?: string }) =>
          prisma.jobRun.findMany({
            where: { ...where, job: { in: jobs } },
            distinct: ['job'],
            orderBy: [{ job: 'asc' }, { dueAt: 'desc' }],
          })
        return Promise.all([newestOf({}), newestOf({ status: 'succeeded' })])
      },
    },
  ]
}

export async function casesOf(database: Database): Promise<readonly Case[]> {
  const groups = [factCases, seriesCases, masterCases, bookCases]
  const cases: Case[] = []
  for (const group of groups) cases.push(...(await group(database)))
  return cases
}
