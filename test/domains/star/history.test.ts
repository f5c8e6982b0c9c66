import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { writeInstruments } from '../../../src/domains/instruments/masters/masters-store.js'
import type { InstrumentFacts } from '../../../src/domains/instruments/model.js'
import { STAR_TABLES } from '../../../src/domains/star/tables.js'
import type { Database } from '../../../src/platform/database/database.js'
import { availableDatabases, databasesOfFile, openTestDatabase } from '../../support/database/database.js'

const databaseOf = databasesOfFile()

const COIN: InstrumentFacts = {
  assetId: 9_001,
  slug: 'made-up-coin',
  ticker: 'MUC',
  name: 'Made-up Coin',
  assetClass: 'crypto',
  tier: 3,
  mic: null,
  isin: null,
  figi: null,
  currency: 'USD',
  sectorGics: null,
  cik: null,
  contract: null,
  lei: null,
  symbols: {},
}

/** That whose versions are looked at. */
const RENAMED: InstrumentFacts = { ...COIN, assetId: 9_003, slug: 'renamed-coin' }

const ADDRESS = `0x${'ab'.repeat(20)}`

const AT = [1, 2, 3].map((day) => new Date(`2026-11-0${day}T00:00:00Z`))
const [FIRST = new Date(), SECOND = new Date(), THIRD = new Date()] = AT

describe.each(availableDatabases())('versions of assets on %s', (kind) => {
  let database: Database
  beforeAll(async () => {
    database = await databaseOf(kind)
  })

  const write = (facts: InstrumentFacts, knownAt: Date) =>
    database.transaction((tx) => writeInstruments(tx, [facts], { knownAt, source: 'test' }))
  const versions = () =>
    database.rows<{ ticker: string; asset_sk: string }>(
      `select ticker, tier, contract_address, valid_from, valid_to, is_current, asset_sk
       from star_public.dim_asset where asset_id = 9003 order by valid_from`,
    )

  it('begin with the first state of the master, and stay while it is the same', async () => {
    await write(RENAMED, FIRST)
    await write(RENAMED, SECOND)
    expect(await versions()).toEqual([
      {
        ticker: 'MUC',
        tier: 3,
        contract_address: null,
        valid_from: FIRST,
        valid_to: null,
        is_current: true,
        asset_sk: expect.stringMatching(/^[0-9a-f]{32}$/),
      },
    ])
  })

  it('end when the master changes, under a stable key', async () => {
    const [before] = await versions()
    await write({ ...RENAMED, ticker: 'MUC2', tier: 2, contract: { chainId: 1, address: ADDRESS } }, THIRD)
    const [ended, current] = await versions()
    expect(ended).toEqual({ ...before, valid_to: THIRD, is_current: false })
    expect(current).toMatchObject({
      ticker: 'MUC2',
      tier: 2,
      contract_address: ADDRESS,
      valid_from: THIRD,
      valid_to: null,
      is_current: true,
    })
    expect(current?.asset_sk).not.toBe(ended?.asset_sk)
  })

  it('are referenced by facts: the current one', async () => {
    await database.rows(
      `insert into asset_onchain (asset_id, snapshot_date, tx_count, methodology_version, source, known_from)
       values (9003, '2026-11-01', 5, 'm', 'test', $1)`,
      [FIRST],
    )
    const [fact] = await database.rows<{ asset_sk: string }>(
      'select asset_sk from star_public.fact_onchain_core where asset_id = 9003',
    )
    expect(fact?.asset_sk).toBe((await versions())[1]?.asset_sk)
  })

  it('exist for crypto assets only', async () => {
    await write(
      { ...COIN, assetId: 9_002, slug: 'made-up-stock', assetClass: 'stock', tier: null, ticker: 'MUS' },
      FIRST,
    )
    expect(await database.rows('select 1 from asset_version where asset_id = 9002')).toEqual([])
  })
})

/** Statements that write, correct and delete rows of facts, one after the other. */
const CHANGES: readonly (readonly [name: string, sql: string])[] = [
  [
    'candles are added',
    `insert into candle (asset_id, timeframe, ts, vwap_usd, exchanges_count, methodology_version, sources, source, known_from)
     select 9001, t::timeframe, d, case when n % 5 = 0 then null else 7 end, 4, 'm', '\\x01', 'test', '2026-11-01Z'
     from generate_series('2024-12-28Z'::timestamptz, '2025-01-04Z', '1 day') with ordinality as g(d, n),
       unnest(array['1h', '1d']) as t`,
  ],
  [
    'a candle gets too few exchanges',
    `update candle set exchanges_count = 2 where ts = '2024-12-28Z' and timeframe = '1d'`,
  ],
  ['candles are closed', `update candle set known_to = '2026-11-02Z' where ts < '2024-12-31Z'`],
  ['candles are deleted', `delete from candle where ts >= '2025-01-03Z'`],
  [
    'days of a chain are added and revised in one statement',
    `with closed as (update asset_onchain set known_to = '2026-11-05Z' where asset_id = 9001 returning asset_id, snapshot_date)
     insert into asset_onchain (asset_id, snapshot_date, methodology_version, source, known_from)
     select asset_id, snapshot_date + g.n, 'm', 'test', '2026-11-05Z' from closed, generate_series(0, 3) as g(n)`,
  ],
  [
    'fees and revenue of protocols are added',
    `insert into protocol (protocol_id, name, source) values ('a', 'A', 'test'), ('b', 'B', 'test');
     insert into protocol_economics (protocol_id, snapshot_date, measure, total_24h_usd, source, known_from)
     values ('a', '2026-11-01', 'fees', 1, 'test', '2026-11-01Z'), ('a', '2026-11-01', 'revenue', 1, 'test', '2026-11-01Z'),
       ('b', '2026-11-01', 'revenue', 1, 'test', '2026-11-01Z'), ('b', '2026-11-02', 'fees', 1, 'test', '2026-11-01Z')`,
  ],
  [
    'one of the two is deleted',
    `delete from protocol_economics where protocol_id = 'a' and measure = 'fees'`,
  ],
  ['the other one too', `delete from protocol_economics where protocol_id = 'a'`],
  [
    'an article that names an asset is added',
    `insert into news_source (news_source_id, editor, editor_normalized, first_seen_at, last_seen_at, loaded_at, source)
     values ('s', 'S', 's', '2026-11-01Z', '2026-11-01Z', '2026-11-01Z', 'test');
     with article as (
       insert into news_article (article_hk, title, link, news_source_id, published_at, feed, known_from, source)
       values (repeat('a', 64), 'T', 'https://example.org', 's', '2026-11-01T23:59:59Z', 'f', '2026-11-01Z', 'test') returning article_hk)
     insert into news_mention (article_hk, asset_id, matched_by, known_from, source)
     select article_hk, 9001, 'name', '2026-11-01Z', 'test' from article`,
  ],
  [
    'the article is published on another day',
    `with closed as (update news_article set known_to = '2026-11-02Z' returning *)
     insert into news_article (article_hk, title, link, news_source_id, published_at, feed, known_from, source)
     select article_hk, title, link, news_source_id, published_at + interval '1 second', feed, '2026-11-02Z', source from closed`,
  ],
  [
    'an event of an asset is added',
    `insert into asset_event (event_hk, event_type, event_date, title, known_from, source)
     values ('e', 'halving', '2026-11-01', 'T', '2026-11-01Z', 'test');
     insert into asset_event_asset (event_hk, asset_id, known_from, source) values ('e', 9001, '2026-11-01Z', 'test')`,
  ],
  [
    'the event is withdrawn',
    `with closed as (update asset_event set known_to = '2026-11-02Z' returning *)
     insert into asset_event (event_hk, is_withdrawn, known_from, source) select event_hk, true, '2026-11-02Z', source from closed`,
  ],
]

describe.each(availableDatabases())('the rows of facts by day on %s', (kind) => {
  let database: Database
  beforeAll(async () => {
    database = await databaseOf(kind)
    await database.transaction((tx) => writeInstruments(tx, [COIN], { knownAt: FIRST, source: 'test' }))
    await database.rows(
      `insert into asset_onchain (asset_id, snapshot_date, methodology_version, source, known_from)
       values (9001, '2026-11-01', 'm', 'test', '2026-11-01Z')`,
    )
  })

  it.each(CHANGES)('equal the counts of the views when %s', async (_name, sql) => {
    await database.script(sql)
    const seen: string[] = []
    for (const { view, counts, endpoint } of STAR_TABLES) {
      if (counts === undefined || endpoint?.time === undefined) continue
      const { name, kind: time } = endpoint.time
      const day = time === 'day' ? name : `(${name} at time zone 'UTC')::date`
      const wrong = await database.rows(
        `select day, v.rows, t.rows as counted
         from (select ${day} as day, count(*)::int as rows from star_public.${view} group by 1) as v
         full join (select day, row_count as rows from star_total where fact = $1 and row_count > 0) as t using (day)
         where v.rows is distinct from t.rows`,
        [view],
      )
      expect([view, wrong]).toEqual([view, []])
      seen.push(view)
    }
    expect(seen).toHaveLength(9)
  })
})

describe.each(availableDatabases())('the content of analyses on %s', (kind) => {
  let database: Database
  beforeAll(async () => {
    database = await openTestDatabase(kind, 'seeded')
  })
  afterAll(() => database?.close())

  it('is the stored one if it holds no verdict', async () => {
    const [other] = await database.rows(
      `select count(*)::int as other from star_public.fact_ai_analysis as f
       where not exists (select 1 from analysis_snapshot as s where s.content::jsonb = f.content_json)`,
    )
    expect(other).toEqual({ other: 0 })
  })

  it('loses verdicts and valuations at any depth, and nothing else', async () => {
    const content = {
      summary: 'fair_value',
      fair_value: 1,
      signals: [
        { name: 'x', valuation_status: 'cheap', deeper: [{ investment_verdict: 'buy', value: null }] },
      ],
    }
    const [row] = await database.rows<{ content: unknown }>('select star_content($1::jsonb) as content', [
      JSON.stringify(content),
    ])
    expect(row?.content).toEqual({
      summary: 'fair_value',
      signals: [{ name: 'x', deeper: [{ value: null }] }],
    })
  })

  it('is that of the last analysis of a day without a correction', async () => {
    const [row] = await database.rows<{ rows: number; days: number }>(
      `select count(*)::int as rows, count(distinct (asset_sk, analysis_type_id, generated_date))::int as days
       from star_public.fact_ai_analysis`,
    )
    expect(row?.rows).toBe(row?.days)
    const wrong = await database.rows(
      `select s.snapshot_id from analysis_snapshot as s join asset as a using (asset_id)
       where a.asset_class = 'crypto' and not exists (select 1 from analysis_snapshot n where n.supersedes = s.snapshot_id)
         and not exists (select 1 from star_public.fact_ai_analysis as f join star_public.dim_asset as d using (asset_sk)
           where d.asset_id = s.asset_id and f.analysis_type_id = s.analysis_type::text
             and f.generated_date = (s.generated_at at time zone 'UTC')::date)`,
    )
    expect(wrong).toEqual([])
  })
})
