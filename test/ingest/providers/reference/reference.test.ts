import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { sha256Hex } from '../../../../src/core/canonical-json.js'
import { fixedClock } from '../../../../src/core/time.js'
import { loadMasters } from '../../../../src/domains/instruments/masters/masters-store.js'
import type { InstrumentFacts } from '../../../../src/domains/instruments/model.js'
import { instrumentsSink } from '../../../../src/ingest/datasets/instruments/ingestion.js'
import { CRYPTO_ASSETS, instrumentsBody } from '../../../../src/ingest/providers/reference/assets.js'
import { findFeed } from '../../../../src/ingest/registry.js'
import { usualSourceOf } from '../../../../src/ingest/run/feed-body.js'
import { runFeed } from '../../../../src/ingest/run/run-feed.js'
import { seedWorld } from '../../../../src/ingest/seed/seed-world.js'
import type { Database } from '../../../../src/platform/database/database.js'
import { createLogger } from '../../../../src/platform/logger.js'
import { availableDatabases, openTestDatabase } from '../../../support/database/database.js'
import { emptiedOfFew } from '../../../support/database/emptied.js'

const NOW = new Date('2026-11-22T10:00:00Z')
const LATER = new Date('2026-11-22T11:00:00Z')
const bound = findFeed('reference')

describe.each(availableDatabases())('the reference feed on %s', (kind) => {
  let database: Database
  beforeAll(async () => {
    database = await openTestDatabase(kind)
  })
  beforeEach(() =>
    emptiedOfFew(database, [
      'instrument',
      'asset',
      'asset_contract',
      'candle',
      'ingest_run',
      'dataset_state',
    ]),
  )
  afterAll(() => database.close())

  const run = (at: Date, into = database) => {
    const fetchBody = () => expect.fail('nothing is fetched')
    const deps = { database: into, clock: fixedClock(at), fetchBody, log: createLogger('silent') }
    return runFeed(deps, bound, usualSourceOf(bound.feed))
  }
  const state = async () =>
    (await database.rows(`select source, version, is_dev_dataset, observed_at, parts from dataset_state`))[0]

  it('knows the current market of a share, and the ISIN of a fund', async () => {
    await run(NOW)
    const masters = await loadMasters(database)
    const found = masters.filter(({ slug }) => ['walmart', 'wahed-ftse-usa-shariah'].includes(slug))
    expect(found.map(({ ticker, mic, isin }) => ({ ticker, mic, isin }))).toEqual([
      { ticker: 'WMT', mic: 'XNAS', isin: 'US9311421039' },
      { ticker: 'HLAL', mic: 'XNAS', isin: 'US53656F6079' },
    ])
    expect(masters.find(({ slug }) => slug === 'nano')?.symbols.kraken).toBe('NANOUSD')
  })

  it('creates live masters in an empty database, every fact as bundled', async () => {
    const summary = await run(NOW)
    expect(summary).toMatchObject({ added: 148, revised: 0, unchanged: 0, rejected: 0, removedSeed: 0 })
    const bundled: readonly InstrumentFacts[] = JSON.parse(new TextDecoder().decode(instrumentsBody()))
    // What only a list knows is unknown.
    const unknown = { exchange: null, securityType: null, issuerAssetId: null, inactiveSince: null }
    const ofLists = { ...unknown, isConfirmed: true }
    expect(await loadMasters(database)).toEqual(
      bundled.map(({ formerTickers: _former, ...facts }) => ({ ...facts, ...ofLists, source: 'reference' })),
    )
    const former = bundled.flatMap(({ slug, formerTickers = [] }) =>
      formerTickers.map((one) => ({ slug, ...one })),
    )
    expect(former).toHaveLength(2)
    expect(
      await database.rows(
        `select slug, value as ticker, valid_to as to from instrument_identifier join asset using (asset_id)
         where valid_to is not null order by asset_id`,
      ),
    ).toEqual(former.toSorted((a, b) => (a.slug < b.slug ? -1 : 1)))
    expect(await state()).toMatchObject({
      source: 'reference',
      version: 1,
      is_dev_dataset: false,
      observed_at: NOW,
      parts: {
        reference: {
          licence: 'Apache-2.0, as the source code; identifiers are facts',
          attribution: 'Reference data of the market data gateway, version 2026-11-25',
          licensed_for_commercial_use: true,
        },
      },
    })
    expect(await database.rows('select feed, provider, status, origin, body_sha256 from ingest_run')).toEqual(
      [
        {
          feed: 'reference',
          provider: 'reference',
          status: 'succeeded',
          origin: 'bundled',
          body_sha256: sha256Hex(instrumentsBody()),
        },
      ],
    )
  })

  it('changes nothing when run again, and confirms the stored rows', async () => {
    await run(NOW)
    const { bodySha256, ...again } = await run(NOW)
    expect(again).toMatchObject({ added: 0, revised: 0, unchanged: 148 })
    expect(await state()).toMatchObject({ version: 1 })
    const later = await run(LATER)
    expect(later).toMatchObject({ added: 0, revised: 0, unchanged: 148, bodySha256 })
    expect(await state()).toMatchObject({ version: 2, observed_at: LATER })
  })

  it('replaces the synthetic masters and leaves synthetic candles unchanged', async () => {
    const seeded = await openTestDatabase(kind, 'seeded')
    onTestFinished(() => seeded.close())
    await seeded.rows(`delete from dataset_state where dataset not in ('instruments', 'candles')`)
    const candles = await seeded.rows('select count(*) as rows from candle')
    expect(candles).toEqual([{ rows: 54_296 }])
    expect(await run(LATER, seeded)).toMatchObject({ added: 148, removedSeed: 148 })
    expect(await seeded.rows(`select distinct source from asset`)).toEqual([{ source: 'reference' }])
    expect(await seeded.rows('select count(*) as rows from candle')).toEqual(candles)
    expect(await seeded.rows('select dataset, is_dev_dataset from dataset_state order by dataset')).toEqual([
      { dataset: 'candles', is_dev_dataset: true },
      { dataset: 'instruments', is_dev_dataset: false },
    ])
    expect((await seedWorld(seeded, LATER, ['instruments'])).instruments).toBeNull()
  })

  it('leaves facts of the operator, and skips facts that would take their slug or listing', async () => {
    await run(NOW)
    const [bitcoin, ethereum] = CRYPTO_ASSETS
    const apple = (await loadMasters(database)).find(({ slug }) => slug === 'apple')
    if (!bitcoin || !ethereum || !apple) expect.fail('the reference has these')
    const own = [
      { ...bitcoin, name: 'Bitcoin (own)', contract: { chainId: 1, address: `0x${'1'.repeat(40)}` } },
      { ...ethereum, assetId: 1_000_001 },
      { ...apple, assetId: 1_000_002, slug: 'own-apple' },
    ]
    await database.transaction(async (tx) => {
      await tx.rows(`delete from instrument where asset_id in (2, 1001)`)
      await tx.rows(`delete from asset where asset_id in (2, 1001)`)
      await instrumentsSink.write(tx, own, { knownAt: NOW, source: 'operator' })
    })
    expect(await run(LATER)).toMatchObject({ added: 0, revised: 0, unchanged: 148 })
    const held = await database.rows(
      `select asset_id, slug, a.name, a.last_updated from asset as a where source = 'operator' order by asset_id`,
    )
    expect(held).toEqual([
      { asset_id: 1, slug: 'bitcoin', name: 'Bitcoin (own)', last_updated: NOW },
      { asset_id: 1_000_001, slug: 'ethereum', name: 'Ethereum', last_updated: NOW },
      { asset_id: 1_000_002, slug: 'own-apple', name: 'Apple Inc.', last_updated: NOW },
    ])
    expect(await database.rows(`select address, source from asset_contract where asset_id = 1`)).toEqual([
      { address: `0x${'1'.repeat(40)}`, source: 'operator' },
    ])
    expect(await database.rows(`select count(*) as rows from asset`)).toEqual([{ rows: 148 }])
  })

  it('removes a contract that the facts no longer have', async () => {
    await run(NOW)
    const link = CRYPTO_ASSETS.find(({ slug }) => slug === 'chainlink')
    if (link?.contract == null) expect.fail('Chainlink is a token')
    await database.transaction(async (tx) => {
      const known = { knownAt: LATER, source: 'reference' }
      const counts = await instrumentsSink.write(tx, [{ ...link, contract: null }], known)
      expect(counts).toEqual({ added: 0, revised: 1, unchanged: 0 })
    })
    expect(await database.rows('select 1 from asset_contract where asset_id = 12')).toEqual([])
    expect(await run(LATER)).toMatchObject({ revised: 1, unchanged: 147 })
    expect(await database.rows('select address from asset_contract where asset_id = 12')).toEqual([
      { address: link.contract.address },
    ])
  })
})
