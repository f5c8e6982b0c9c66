import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { DatasetName } from '../../../src/core/datasets.js'
import type { ServedTable } from '../../../src/domains/star/table.js'
import { SERVED_TABLES } from '../../../src/domains/star/tables.js'
import { bumpDataset } from '../../../src/platform/database/versions/bump-dataset.js'
import { startTestApp, type TestApp } from '../../support/app/app.js'
import { openTestDatabase, quickestDatabase } from '../../support/database/database.js'
import { interposed } from '../../support/database/interposed-database.js'

type Row = Readonly<Record<string, unknown>>

interface Body {
  readonly data: readonly Row[]
  readonly meta: Row & { readonly total: number; readonly has_next: boolean }
  readonly _meta: Row
}

interface Problem {
  readonly error: string
  readonly message: string
  readonly required_scope?: string
  readonly details?: readonly { readonly field: string; readonly message: string }[]
}

const kindOf = ({ kind }: ServedTable) => (kind === 'dimension' ? 'dim' : 'fact')
const pathOf = (table: ServedTable) => `/v1/star/${kindOf(table)}/${table.endpoint.path}`
const rootOf = (table: ServedTable) => `star_${kindOf(table)}_${table.endpoint.path.replaceAll('-', '_')}`
const edgesOf = ({ columns }: ServedTable) =>
  Object.entries(columns).flatMap(([name, { references }]) =>
    references === undefined ? [] : [{ name, ...references }],
  )

const EACH = SERVED_TABLES.map((table) => ({ view: table.view, table }))

/** The view as JSON of an answer has it. */
function selectText({ columns }: ServedTable): string {
  return Object.entries(columns)
    .map(([name, { type }]) =>
      type === 'bigint' || type === 'numeric' ? `${name}::float8 as ${name}` : name,
    )
    .join(', ')
}

describe('the star schema', () => {
  const statements: string[] = []
  let app: TestApp
  let key: string
  beforeAll(async () => {
    const database = await openTestDatabase(quickestDatabase(), 'seeded')
    app = await startTestApp(quickestDatabase(), {
      database: interposed(database, (sql) => void statements.push(sql)),
      env: { CACHE_BYTES: '0' },
    })
    key = await app.newKey({ tier: 'pro' })
  })
  afterAll(async () => {
    await app?.close()
    await app?.database.close()
  })
  beforeEach(() => {
    statements.length = 0
  })

  it('names all providers of a view’s datasets, each once', async () => {
    const database = await openTestDatabase(quickestDatabase(), 'seeded')
    const own = await startTestApp(quickestDatabase(), { database })
    try {
      const bump = (dataset: DatasetName, source: string, at: string) =>
        database.transaction((tx) =>
          bumpDataset(tx, {
            dataset,
            source,
            isDevDataset: false,
            observedAt: new Date(at),
            changedAt: new Date(at),
          }),
        )
      await bump('news', 'rss', '2026-11-20T11:00:00Z')
      await bump('instruments', 'operator', '2026-11-19T11:00:00Z')
      await bump('instruments', 'reference', '2026-11-18T11:00:00Z')
      const ownKey = await own.newKey({ tier: 'pro' })
      const { body } = await own.rest<Body>('/v1/star/fact/news-mentions', { key: ownKey })
      // Those of the first dataset before those of the others, of each the newest first.
      expect(body._meta.sources).toEqual(['rss', 'operator', 'reference'])
      expect(body.meta.is_dev_dataset).toBe(false)
    } finally {
      await own.close()
      await database.close()
    }
  })

  const get = async (path: string) => (await app.rest<Body>(path, { key })).body
  const refused = async (path: string, asked = key) => {
    const { status, body } = await app.rest<Problem>(path, { key: asked })
    return { status, ...body }
  }

  it.each(EACH)('returns $view alike in REST, GraphQL and SQL', async ({ table }) => {
    const { columns, endpoint, view } = table
    const { data, meta } = await get(`${pathOf(table)}?limit=7&offset=2`)
    const where = 'is_current' in columns ? 'is_current' : 'true'
    const stored = await app.database.rows<Row>(
      `select ${selectText(table)} from star_public.${view} where ${where}
       order by ${endpoint.order.join(', ')} limit 7 offset 2`,
    )
    expect(data).toEqual(JSON.parse(JSON.stringify(stored)))
    expect(data.length).toBeGreaterThan(0)
    const [counted] = await app.database.rows<{ total: number }>(
      `select count(*)::int as total from star_public.${view} where ${where}`,
    )
    expect(meta.total).toBe(counted?.total)
    expect(meta.has_next).toBe((counted?.total ?? 0) > 9)
    const { body } = await app.graphql<Record<string, Body>>(
      `{ ${rootOf(table)}(limit: 7, offset: 2) { data { ${Object.keys(columns).join(' ')} } meta { total has_next } } }`,
      { key },
    )
    expect(body.errors).toBeUndefined()
    expect(body.data?.[rootOf(table)]).toEqual({ data, meta: { total: meta.total, has_next: meta.has_next } })
  })

  it.each(EACH)('returns the last page of $view, and nothing beyond it', async ({ table }) => {
    const { meta } = await get(pathOf(table))
    const last = await get(`${pathOf(table)}?limit=5&offset=${Math.max(0, meta.total - 2)}`)
    expect([last.data.length, last.meta.has_next]).toEqual([Math.min(2, meta.total), false])
    const beyond = await get(`${pathOf(table)}?offset=${meta.total}`)
    expect([beyond.data, beyond.meta.total, beyond.meta.data_quality]).toEqual([[], meta.total, 'empty'])
  })

  it.each(EACH.filter(({ table }) => table.endpoint.time !== undefined))(
    'gives the days of $view that are asked for',
    async ({ table }) => {
      const { name = '', kind: time } = table.endpoint.time ?? {}
      const day = time === 'instant' ? `(${name} at time zone 'UTC')::date` : name
      const [range] = await app.database.rows<{ from: string; to: string; total: number }>(
        `select min(day) as from, max(day) as to, sum(rows)::int as total from (
           select ${day} as day, count(*) as rows from star_public.${table.view} group by 1 order by 1 offset 1 limit 3) as d`,
      )
      const { data, meta } = await get(`${pathOf(table)}?from=${range?.from}&to=${range?.to}&limit=100`)
      expect(meta.total).toBe(range?.total)
      const days = data.map((row) => String(row[name]).slice(0, 10))
      expect(days.every((one) => one >= (range?.from ?? '') && one <= (range?.to ?? ''))).toBe(true)
      expect(days).toEqual(days.toSorted())
      expect(days[0]).toBe(range?.from)
    },
  )

  it.each(EACH.filter(({ table }) => edgesOf(table).length > 0))(
    'leads from $view to its dimensions with one statement for each',
    async ({ table }) => {
      const edges = edgesOf(table)
      const selection = edges.map(({ edge, column, name }) => `${name} ${edge} { ${column} }`).join(' ')
      const ask = async (limit: number) => {
        statements.length = 0
        const { body } = await app.graphql<Record<string, Body>>(
          `{ ${rootOf(table)}(limit: ${limit}) { data { ${selection} } } }`,
          { key },
        )
        expect(body.errors).toBeUndefined()
        const views = statements.filter((sql) => sql.includes('star_public.'))
        return { rows: body.data?.[rootOf(table)]?.data ?? [], count: views.length }
      }
      await ask(1) // the outline is read once
      const one = await ask(1)
      const twenty = await ask(20)
      expect(twenty.rows.length).toBeGreaterThan(1)
      for (const row of twenty.rows)
        for (const { name, edge, column } of edges)
          expect((row[edge] as Row | null)?.[column] ?? null).toEqual(row[name])
      const isNamed = edges.filter(({ name }) => twenty.rows.some((row) => row[name] !== null))
      // A page and, for what is not counted by day, its total.
      expect(twenty.count).toBe((table.kind === 'fact' ? 1 : 2) + isNamed.length)
      expect(one.count).toBeLessThanOrEqual(twenty.count)
    },
  )

  it('finds the chains of protocols in dim_chain', async () => {
    const { body } = await app.graphql<{ star_fact_protocol_economics: Body }>(
      '{ star_fact_protocol_economics(limit: 2) { data { chains known_chains { chain_id chain_name } } } }',
      { key },
    )
    expect(body.data?.star_fact_protocol_economics.data[0]).toEqual({
      chains: ['Ethereum'],
      known_chains: [{ chain_id: 'ethereum', chain_name: 'Ethereum' }],
    })
  })

  it.each(EACH.filter(({ table }) => table.kind === 'fact'))(
    'narrows $view to an asset where it has the column, and is a 422 where not',
    async ({ table }) => {
      const path = `${pathOf(table)}?asset_id=2&limit=3`
      if (!('asset_id' in table.columns)) {
        expect(await refused(path)).toMatchObject({ status: 422, details: [{ field: 'asset_id' }] })
        return
      }
      const { data, meta } = await get(path)
      const [counted] = await app.database.rows(
        `select count(*)::int as total from star_public.${table.view} where asset_id = 2`,
      )
      expect(counted).toEqual({ total: meta.total })
      // The seed has two events of the asset and more of all else.
      const shown = table.view === 'fact_event' ? [2, 2] : [2, 2, 2]
      expect(data.map(({ asset_id }) => asset_id)).toEqual(shown)
      const unknown = await get(`${pathOf(table)}?asset_id=2147483647`)
      expect([unknown.data, unknown.meta.total]).toEqual([[], 0])
    },
  )

  it('returns the current version of an asset by its integer key', async () => {
    const { body } = await app.rest<{ data: Row }>('/v1/star/dim/assets/1', { key })
    expect(body.data).toMatchObject({
      asset_id: 1,
      ticker: 'BTC',
      name: 'Bitcoin',
      tier: 1,
      contract_address: null,
      sources_confirmed: ['seed'],
      single_source: true,
      valid_to: null,
      is_current: true,
    })
    expect(body.data.asset_sk).toMatch(/^[0-9a-f]{32}$/)
    const answer = await app.graphql<{ star_dim_asset: { data: Row } }>(
      '{ star_dim_asset(asset_id: 1) { data { asset_sk ticker } } }',
      { key },
    )
    expect(answer.body.data?.star_dim_asset.data).toEqual({ asset_sk: body.data.asset_sk, ticker: 'BTC' })
  })

  it.each(['bitcoin', 'BTC', '1.5', '99999999999', '0x1', '%00', "1'--"])(
    'takes %s in place of the integer key of an asset for a 404 that says how to find it',
    async (text) => {
      const { status, message } = await refused(`/v1/star/dim/assets/${text}`)
      expect([status, message]).toEqual([404, expect.stringContaining('GET /v1/assets/search?q=')])
    },
  )

  it.each(['0', '-1', '2147483647', '101'])('has no asset %s, and says so', async (id) => {
    const { status, message } = await refused(`/v1/star/dim/assets/${id}`)
    expect([status, message]).toEqual([404, expect.stringContaining(id)])
  })

  it.each([
    ['/v1/star/fact/onchain-core?asset_id=bitcoin', 'asset_id'],
    ['/v1/star/fact/onchain-core?asset_id=0', 'asset_id'],
    ['/v1/star/fact/onchain-core?asset_id=9999999999', 'asset_id'],
    ['/v1/star/fact/onchain-core?from=2026-02-30', 'from'],
    ['/v1/star/fact/onchain-core?from=2026-03-02&to=2026-03-01', 'from'],
    ['/v1/star/fact/onchain-core?limit=101', 'limit'],
    ['/v1/star/fact/onchain-core?offset=-1', 'offset'],
    ['/v1/star/fact/onchain-core?offset=1000001', 'offset'],
    ['/v1/star/dim/chains?from=2026-03-01', 'from'],
    ['/v1/star/dim/assets?current=maybe', 'current'],
    ["/v1/star/fact/events?from=2026-01-01'%3B--", 'from'],
  ])('refuses %s with a 422 that names %s', async (path, field) => {
    const { status, details } = await refused(path)
    expect([status, details?.map((one) => one.field)]).toEqual([422, [field]])
  })

  it('accepts the widest possible range of days', async () => {
    const all = await get('/v1/star/fact/onchain-core?limit=1')
    const wide = await get('/v1/star/fact/onchain-core?limit=1&from=1900-01-01&to=2200-12-31')
    expect([wide.data, wide.meta.total]).toEqual([all.data, all.meta.total])
  })

  it('needs tier pro or above, and the scope of the figures too', async () => {
    const growth = await app.newKey({ tier: 'growth' })
    expect(await refused('/v1/star/dim/tiers', growth)).toMatchObject({
      status: 403,
      required_scope: 'star:read',
    })
    const { body } = await app.rest<{ raw_key: string }>('/auth/keys', {
      key,
      method: 'POST',
      body: { label: 'star alone', scopes: ['star:read'] },
    })
    const narrowed = body.raw_key
    expect((await app.rest('/v1/star/fact/onchain-core', { key: narrowed })).status).toBe(200)
    expect(await refused('/v1/star/fact/onchain-advanced', narrowed)).toMatchObject({
      status: 403,
      required_scope: 'onchain:read',
    })
    expect(await refused('/v1/star/fact/asset-fundamentals', narrowed)).toMatchObject({
      status: 403,
      required_scope: 'fundamentals:read',
    })
  })

  it('exports a page as CSV with its columns in order, and links the others', async () => {
    const { headers, text } = await app.rest('/v1/star/fact/onchain-core.csv?limit=2', { key })
    const { columns } = SERVED_TABLES.find(({ view }) => view === 'fact_onchain_core') ?? { columns: {} }
    expect(text.split(/\r?\n/)[0]).toBe(Object.keys(columns).join(','))
    expect(Number(headers.get('x-total-count'))).toBeGreaterThan(100)
    expect(headers.get('link')).toContain('rel="next"')
  })

  it('states its datasets and its age', async () => {
    const snapshots = await get('/v1/star/fact/market-snapshots?limit=1')
    expect(snapshots.meta).toMatchObject({
      is_dev_dataset: true,
      source: 'seed',
      disclaimer: expect.stringContaining('Not financial advice'),
      methodology_version: snapshots.data[0]?.methodology_version,
    })
    const tiers = await get('/v1/star/dim/tiers')
    expect(tiers.meta).toMatchObject({ is_dev_dataset: false, source: 'gateway', upstream: null })
    expect(tiers._meta).toMatchObject({
      freshness_status: 'fresh',
      last_updated_at: '2026-11-20T00:00:00.000Z',
    })
  })
})
