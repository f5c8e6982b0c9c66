import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Snapshot } from '../../../src/domains/analysis/model.js'
import { type Answer, startTestApp, type TestApp } from '../../support/app/app.js'
import { openTestDatabase, quickestDatabase } from '../../support/database/database.js'
import { content, daysAgo, draft, land, writeAssets } from './analysis-world.js'

const AI = '/v1/assets/bitcoin/ai-analysis'
const ASSETS = 40
const ratios = { debt_to_market_cap: 0.1, cash_to_market_cap: 0.32, interest_income_to_revenue: 0.01 }

interface Page {
  readonly total: number
  readonly next_cursor: string | null
  readonly items: readonly { readonly snapshot_id: string }[]
}

describe('the edges of an analysis', () => {
  let app: TestApp
  let growth: string
  let starter: string
  /** Bitcoin's market_context, oldest first: 60 of the last days, and an old one before them. */
  let chain: readonly Snapshot[]
  let stock: Snapshot | undefined

  beforeAll(async () => {
    const database = await openTestDatabase(quickestDatabase())
    await writeAssets(database, ASSETS + 1) // the last one stays without any analysis
    const days = [100, ...Array.from({ length: 60 }, (_, index) => 60 - index)]
    chain = await land(
      database,
      days.map((day) => draft({ generatedAt: daysAgo(day) })),
    )
    const others = Array.from({ length: ASSETS - 1 }, (_, index) =>
      [3, 2, 1].map((day) => draft({ assetId: index + 2, generatedAt: daysAgo(day) })),
    )
    await land(database, others.flat())
    const old = [5, 6].flatMap((assetId) =>
      [120, 110].map((day) => draft({ assetId, analysisType: 'regime', generatedAt: daysAgo(day) })),
    )
    await land(database, old)
    ;[stock] = await land(database, [
      draft({
        assetId: 2,
        analysisType: 'halal_analysis',
        content: content({ sentiment_score: null, aaoifi: { ...ratios, inputs: [] } }),
      }),
    ])
    app = await startTestApp(quickestDatabase(), { database, env: { CACHE_BYTES: '0' } })
    growth = await app.newKey({ tier: 'growth' })
    starter = await app.newKey({ tier: 'starter' })
  })
  afterAll(async () => {
    await app?.close()
    await app?.database.close()
  })

  const graphql = async <Data>(query: string, key = growth) => {
    const { body } = await app.graphql<Data>(query, { key })
    expect(body.errors).toBeUndefined()
    return body.data
  }

  /** SQL statements of an operation: the fewest of several runs, since the process writes in the background too. */
  const statementsOf = async (query: string) => {
    const counts: number[] = []
    for (let run = 0; run < 4; run++) {
      const before = app.database.statementCount()
      await graphql(query)
      counts.push(app.database.statementCount() - before)
    }
    return Math.min(...counts)
  }

  it('lead from a diff to the asset and the snapshots, and from a snapshot to the asset', async () => {
    const data = await graphql<object>(`{
      ai_analysis_latest(asset_id: "bitcoin") { asset { asset_id ticker name } }
      ai_analysis_diff(asset_id: "bitcoin") { asset { ticker }
        from_snapshot { snapshot { snapshot_id content } } to_snapshot { snapshot { snapshot_id } } } }`)
    expect(data).toEqual({
      ai_analysis_latest: { asset: { asset_id: 1, ticker: 'BTC', name: 'Bitcoin' } },
      ai_analysis_diff: {
        asset: { ticker: 'BTC' },
        from_snapshot: {
          snapshot: { snapshot_id: chain.at(-2)?.snapshotId, content: chain.at(-2)?.content },
        },
        to_snapshot: { snapshot: { snapshot_id: chain.at(-1)?.snapshotId } },
      },
    })
  })

  it('lead from a card to the diff and the changes, with one statement for a page of cards', async () => {
    const query = (limit: number) => `{ assets(limit: ${limit}) { data { ticker
      ai_analysis_diff { change_type_summary from_snapshot { generated_at } }
      ai_analysis_changes(limit: 1) { items { asset_id changed_at } has_more next_cursor total_count } } } }`
    const data = await graphql<{ assets: { data: readonly object[] } }>(query(ASSETS + 1))
    expect(data?.assets.data[1]).toEqual({
      ticker: 'A2',
      ai_analysis_diff: {
        change_type_summary: 'DATA_REFRESH',
        from_snapshot: { generated_at: daysAgo(2).toISOString() },
      },
      ai_analysis_changes: {
        items: [{ asset_id: 'asset-2', changed_at: daysAgo(1).toISOString() }],
        has_more: true,
        next_cursor: expect.any(String),
        total_count: null,
      },
    })
    expect(data?.assets.data.at(-1)).toEqual({
      ticker: `A${ASSETS + 1}`,
      ai_analysis_diff: null,
      ai_analysis_changes: { items: [], has_more: false, next_cursor: null, total_count: null },
    })
    expect(await statementsOf(query(ASSETS))).toBe(await statementsOf(query(1)))
  })

  it('continue the changes of a card after its cursor', async () => {
    interface Card {
      readonly asset: {
        readonly data: { readonly ai_analysis_changes: { items: readonly object[]; next_cursor: string } }
      }
    }
    const page = (cursor: string) =>
      graphql<Card>(
        `{ asset(id: "asset-2") { data { ai_analysis_changes(limit: 1${cursor}) { items { changed_at } next_cursor } } } }`,
      )
    const first = (await page(''))?.asset.data.ai_analysis_changes
    const second = (await page(`, cursor: "${first?.next_cursor}"`))?.asset.data.ai_analysis_changes
    expect(second).toEqual({ items: [{ changed_at: daysAgo(2).toISOString() }], next_cursor: null })
  })

  it('page through a history of more than 50, each snapshot once', async () => {
    const met: string[] = []
    let cursor: string | null = null
    do {
      const after: string = cursor === null ? '' : `, cursor: "${cursor}"`
      const data: { ai_analysis_history: Page } | null | undefined = await graphql<{
        ai_analysis_history: Page
      }>(
        `{ ai_analysis_history(asset_id: "bitcoin", limit: 25${after}) { total next_cursor items { snapshot_id } } }`,
      )
      expect(data?.ai_analysis_history.total).toBe(61)
      met.push(...(data?.ai_analysis_history.items ?? []).map(({ snapshot_id }) => snapshot_id))
      cursor = data?.ai_analysis_history.next_cursor ?? null
    } while (cursor !== null)
    expect(met).toEqual(chain.map(({ snapshotId }) => snapshotId).reverse())
  })

  it('page in REST by next_cursor and by the link to the next page', async () => {
    const met: string[] = []
    let query: string | null = '?limit=25'
    while (query !== null) {
      const { body, headers }: Answer<Page> = await app.rest<Page>(`${AI}/history${query}`, { key: growth })
      met.push(...body.items.map(({ snapshot_id }) => snapshot_id))
      const after: string | null = body.next_cursor && `cursor=${encodeURIComponent(body.next_cursor)}`
      const next: string | null =
        /\/history(\?[^>]*)>; rel="next"/.exec(headers.get('link') ?? '')?.[1] ?? null
      expect(next === null ? null : next.includes(after ?? 'cursor')).toBe(after === null ? null : true)
      query = next
    }
    expect(met).toEqual(chain.map(({ snapshotId }) => snapshotId).reverse())
  })

  it('refuse a cursor of another list', async () => {
    const { body } = await app.graphql(
      '{ ai_analysis_history(asset_id: "bitcoin", cursor: "WzFd") { total } }',
      {
        key: growth,
      },
    )
    expect(body.errors?.[0]?.extensions.details).toEqual([
      { field: 'cursor', message: 'must be the next_cursor of a page of this history' },
    ])
    expect((await app.rest(`${AI}/history?cursor=x`, { key: growth })).status).toBe(422)
  })

  it('lead to one snapshot by its UUID, in REST and in GraphQL', async () => {
    const id = chain.at(-5)?.snapshotId
    const atRest = await app.rest<object>(`/v1/ai-analysis/snapshots/${id}`, { key: starter })
    expect(atRest.status).toBe(200)
    const { content: stored } = chain.at(-5) ?? expect.fail('no such snapshot')
    expect(atRest.body).toMatchObject({ snapshot_id: id, asset_id: 'bitcoin', content: stored })
    const data = await graphql<object>(
      `{ ai_analysis_snapshot(snapshot_id: "${id}") { snapshot_id ticker } }`,
    )
    expect(data).toEqual({ ai_analysis_snapshot: { snapshot_id: id, ticker: 'BTC' } })
    const old = await app.rest(`/v1/ai-analysis/snapshots/${chain[0]?.snapshotId}`, { key: starter })
    expect(old.status).toBe(403)
    const unknown = '00000000-0000-4000-8000-000000000000'
    expect((await app.rest(`/v1/ai-analysis/snapshots/${unknown}`, { key: starter })).status).toBe(404)
    expect((await app.rest('/v1/ai-analysis/snapshots/latest', { key: starter })).status).toBe(422)
  })

  it('have typed content, with the boolean of the AAOIFI ratios', async () => {
    const data = await graphql<{ ai_analysis_snapshot: { snapshot_content: object; content: object } }>(`{
      ai_analysis_snapshot(snapshot_id: "${stock?.snapshotId}") { content snapshot_content { summary sentiment_score
        signals { name value unit threshold }
        aaoifi { debt_to_market_cap cash_to_market_cap interest_income_to_revenue below_thresholds inputs { ratio } } } } }`)
    expect(data?.ai_analysis_snapshot.snapshot_content).toEqual({
      ...content({ sentiment_score: null }),
      aaoifi: { ...ratios, below_thresholds: true, inputs: [] },
    })
    // What was hashed is shown as it was hashed.
    expect(data?.ai_analysis_snapshot.content).toMatchObject({ aaoifi: { ...ratios, inputs: [] } })
  })

  it('lead from a ticker to the languages of its analyses', async () => {
    const available = async (ticker: string) =>
      (await app.rest<{ analyses_available: unknown }>(`/v1/discover/${ticker}`, { key: growth })).body
        .analyses_available
    expect(await available('BTC')).toEqual(['en'])
    expect(await available(`A${ASSETS + 1}`)).toEqual([])
  })

  describe('edges to rows older than 90 days, without history:full,', () => {
    const refused = async (query: string) => {
      const before = await remaining()
      const { body } = await app.graphql<object>(query, { key: starter })
      const errors = body.errors?.map(({ path, extensions }) => [path, extensions.required_scope])
      const { charged } = body.extensions?.cost ?? {}
      return { data: body.data, errors, charged, taken: before - (await remaining()) }
    }
    const remaining = async () => {
      const { headers } = await app.rest('/v1/assets?limit=0', { key: starter })
      return Number(headers.get('x-ratelimit-remaining'))
    }
    const items = (item: unknown) => ({ ai_analysis_changes: { items: [item, item] } })

    it('are refused once for all parents, and nothing of them or below them is charged', async () => {
      const query = (wanted: string) =>
        `{ ai_analysis_changes(analysis_type: regime, limit: 40) { items { ${wanted} } } }`
      expect(await refused(query('from_snapshot { generated_at asset { ticker } }'))).toEqual({
        data: items({ from_snapshot: null }),
        errors: [[['ai_analysis_changes', 'items', 'from_snapshot'], 'history:full']],
        charged: 1,
        taken: 1,
      })
      expect(await refused(query('from_snapshot { generated_at } to: to_snapshot { generated_at }'))).toEqual(
        {
          data: items({ from_snapshot: null, to: null }),
          errors: [
            [['ai_analysis_changes', 'items', 'from_snapshot'], 'history:full'],
            [['ai_analysis_changes', 'items', 'to'], 'history:full'],
          ],
          charged: 1,
          taken: 1,
        },
      )
    })

    it('are charged if they answer for one parent', async () => {
      const edges =
        'ai_analysis_history(analysis_type: regime, limit: 20) { total } ai_analysis_diff(analysis_type: regime) { change_type_summary }'
      const { data, ...rest } = await refused(`{ assets(offset: 3, limit: 3) { data { ${edges} } } }`)
      const none = { ai_analysis_history: null, ai_analysis_diff: null }
      const other = { ai_analysis_history: { total: 0 }, ai_analysis_diff: null }
      expect(data).toEqual({ assets: { data: [other, none, none] } })
      // The two edges are read side by side: which is refused first is left open.
      expect(rest).toEqual({ errors: expect.any(Array), charged: 3, taken: 3 })
      expect([...(rest.errors ?? [])].sort()).toEqual([
        [['assets', 'data', 'ai_analysis_diff'], 'history:full'],
        [['assets', 'data', 'ai_analysis_history'], 'history:full'],
      ])
    })

    it('name the parent that they are refused for', async () => {
      const query =
        '{ assets(offset: 3, limit: 2) { data { ai_analysis_diff(analysis_type: regime) { change_type_summary } } } }'
      expect((await refused(query)).errors).toEqual([
        [['assets', 'data', 1, 'ai_analysis_diff'], 'history:full'],
      ])
    })
  })
})
