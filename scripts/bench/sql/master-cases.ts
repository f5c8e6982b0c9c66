import { randomUUID } from 'node:crypto'
import type { MacroProvider } from '../../../src/core/providers.js'
import { findKeysByDigest } from '../../../src/domains/access/caller-store.js'
import type { AssetClass } from '../../../src/domains/assets/model.js'
import { loadListingsByTicker, loadPrimaryListings } from '../../../src/domains/instruments/store.js'
import { loadSeriesLists } from '../../../src/domains/macro/catalogue-store.js'
import { loadStocks } from '../../../src/domains/stocks/stock-list-store.js'
import { countUndelivered } from '../../../src/domains/webhooks/webhook-store.js'
import type { Database } from '../../../src/platform/database/database.js'
import type { Case } from './sql-case.js'

const LISTED = 20
const SERIES = 100

/** Reads of masters and catalogues, and of the key of a caller. */
export async function masterCases(database: Database): Promise<readonly Case[]> {
  const { prisma } = database
  const listings = await prisma.instrument.findMany({
    where: { asset: { assetClass: 'stock' satisfies AssetClass } },
    select: { assetId: true, ticker: true, asset: { select: { slug: true } } },
    orderBy: { instrumentId: 'asc' },
    take: LISTED,
  })
  const tickers = listings.map(({ ticker }) => ticker)
  const assetIds = listings.map(({ assetId }) => assetId)
  const { digest } = await prisma.apiKey.findFirstOrThrow({ select: { digest: true } })
  const include = { asset: true } as const
  return [
    {
      name: `the listings of ${LISTED} tickers`,
      sql: () => loadListingsByTicker(database, tickers),
      prisma: () => prisma.instrument.findMany({ where: { ticker: { in: tickers } }, include }),
    },
    {
      name: `the primary listings of ${LISTED} assets`,
      sql: () => loadPrimaryListings(database, assetIds),
      prisma: () =>
        prisma.instrument.findMany({
          where: { assetId: { in: assetIds }, isPrimary: true },
          distinct: ['assetId'],
          orderBy: [{ assetId: 'asc' }, { instrumentId: 'asc' }],
          include,
        }),
    },
    {
      name: `a page of ${LISTED} stocks`,
      sql: () => loadStocks(database, { mic: null, sector: null, order: null }, { limit: LISTED, offset: 0 }),
      prisma: () => {
        const where = { asset: { assetClass: 'stock' satisfies AssetClass } } as const
        const page = { where, orderBy: { instrumentId: 'asc' }, take: LISTED, include } as const
        return Promise.all([prisma.instrument.count({ where }), prisma.instrument.findMany(page)])
      },
    },
    {
      name: 'a key with its account',
      sql: () => findKeysByDigest(database, [Buffer.from(digest).toString('hex')]),
      prisma: () =>
        prisma.apiKey.findMany({
          where: { digest: { in: [digest] }, account: { deletedAt: null } },
          include: { account: true },
        }),
    },
    await undeliveredCase(database),
    ...(await catalogueCases(database)),
  ]
}

/** Events of a webhook at most, a tenth of them to be delivered, a tenth given up. */
const EVENTS = 2_000

async function undeliveredCase(database: Database): Promise<Case> {
  const { prisma } = database
  const { accountId, keyId } = await prisma.apiKey.findFirstOrThrow()
  const webhookId = randomUUID()
  const now = new Date()
  await prisma.webhook.create({
    data: {
      webhookId,
      accountId,
      keyId,
      url: 'https://hooks.example.org/',
      host: 'hooks.example.org',
      assetIds: [],
      seed: new Uint8Array(32),
      cursorAt: now,
      cursorId: 0n,
      notBefore: now,
      createdAt: now,
    },
  })
  const changes = await prisma.analysisChange.findMany({ take: EVENTS, orderBy: { diffId: 'asc' } })
  await prisma.webhookDelivery.createMany({
    data: changes.map(({ diffId, computedAt, assetId }, at) => {
      const state = at % 10 === 0 ? 'pending' : at % 10 === 1 ? 'dead' : 'delivered'
      const settledAt = state === 'pending' ? null : now
      return { webhookId, diffId, computedAt, assetId, state, settledAt, nextAttemptAt: now }
    }),
  })
  await database.rows('analyze webhook_delivery')
  return {
    name: `undelivered events of a webhook with ${changes.length}`,
    sql: () => countUndelivered(database, [webhookId]),
    prisma: () =>
      Promise.all([
        prisma.webhookDelivery.count({ where: { webhookId, settledAt: null } }),
        prisma.webhookDelivery.count({ where: { webhookId, state: 'dead' } }),
      ]),
  }
}

async function catalogueCases(database: Database): Promise<readonly Case[]> {
  const { prisma } = database
  const { provider, dataset } = await prisma.macroSeries.findFirstOrThrow({ where: { isHeadline: true } })
  const list = { provider: provider as MacroProvider, dataset, country: null, limit: SERIES, offset: 0 } // the seed has known providers alone
  return [
    {
      name: `a page of ${SERIES} series of a dataset`,
      sql: () => loadSeriesLists(database, [list]),
      prisma: () =>
        prisma.macroSeries.findMany({
          where: { provider, dataset },
          orderBy: { seriesKey: 'asc' },
          take: SERIES,
        }),
    },
  ]
}
