import { createHash, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { canonicalJson, sha256Hex } from '../../../src/core/canonical-json.js'
import { DISCLAIMER, DISCLAIMER_FR } from '../../../src/core/disclaimer.js'
import type { Snapshot } from '../../../src/domains/analysis/model.js'
import { type Answer, type GraphQLAnswer, startTestApp, type TestApp } from '../../support/app/app.js'
import { openTestDatabase, quickestDatabase } from '../../support/database/database.js'
import { interposed } from '../../support/database/interposed-database.js'
import { content, daysAgo, draft, land, TYPES, writeAssets } from './analysis-world.js'

const FRESHNESS =
  'data_freshness_seconds last_updated_at next_refresh_at sources freshness_status release undated_rows'
const META = 'tier_required ai_generated disclaimer disclaimer_fr methodology_url'
const PROVENANCE = `data_window_from data_window_to input_tokens output_tokens model_id prompt_version prompt_hash
  methodology_version`
const IMMUTABILITY = 'content_hash hash_algorithm signed'
const LATEST = `{ snapshot_id asset_id ticker analysis_type generated_at content provenance { ${PROVENANCE} }
  immutability { ${IMMUTABILITY} } freshness { ${FRESHNESS} } meta { ${META} } _meta { ${FRESHNESS} } }`
const HISTORY = `{ asset_id analysis_type total limit as_of older_requires next_cursor items { asset_id analysis_type
  ai_metadata { disclaimer disclaimer_fr freshness_status generated_at methodology_url methodology_version model_id
    next_refresh_at prompt_version }
  provenance { ${PROVENANCE} } immutability { ${IMMUTABILITY} } data_lineage { prompt_hash methodology_version datasets { dataset version source } }
  generated_at sentiment_score summary snapshot_id } _meta { ${FRESHNESS} } }`
const REFERENCE = '{ snapshot_id generated_at content_hash model_id }'
const DIFF = `{ asset_id ticker analysis_type from_snapshot ${REFERENCE} to_snapshot ${REFERENCE} change_type_summary
  changes { field before after change_type } text_changed cosine_similarity major_text_shift
  meta { ${META} } _meta { ${FRESHNESS} } }`
const CHANGES = `{ meta { ${META} } items { asset_id ticker analysis_type change_type from_snapshot_id to_snapshot_id
  changed_at cosine_similarity major_text_shift } has_more next_cursor total_count _meta { ${FRESHNESS} } }`
const BLOCK = `{ data { analysis_type generated_at model prompt_version sentiment_score summary
    _upsell { required_scope upgrade_url } }
  meta { version cache_hit ai_generated_at ai_mode ai_model benchmark_notice computed_at data_methodology data_quality
    disclaimer disclaimer_lang_canonical disclaimer_translations fallback_used freshness_ts has_next is_dev_dataset
    licensed_for_commercial_use locale methodology_version price_type source total upstream }
  _meta { ${FRESHNESS} } }`
const METHODOLOGY = `{ cards { analysis_type title model_id methodology_version method inputs limits } disclaimer
  disclaimer_fr }`

const AI = '/v1/assets/bitcoin/ai-analysis'

const PUBLIC_URL = 'https://api.example.org'

const meta = {
  tier_required: 'starter',
  ai_generated: true,
  disclaimer: DISCLAIMER,
  disclaimer_fr: DISCLAIMER_FR,
  methodology_url: `${PUBLIC_URL}/v1/ai/methodology`,
}

interface Refusal {
  readonly error: string
  readonly message: string
  readonly required_scope?: string
  readonly upgrade_url?: string
  readonly details?: readonly { readonly field: string; readonly message: string }[]
}

describe('AI analysis in REST and GraphQL', () => {
  let app: TestApp
  let growth: string
  let starter: string
  let free: string
  /** Of bitcoin's market_context, in the order of landing; the last but one is corrected by the last. */
  let chain: readonly Snapshot[]

  beforeAll(async () => {
    const database = await openTestDatabase(quickestDatabase())
    await writeAssets(database, 101) // the last one stays without any analysis
    const steps = [
      // Another unit of a signal: another content hash, and no figure that differs.
      draft({
        generatedAt: daysAgo(120),
        content: content({ signals: content().signals.map((signal) => ({ ...signal, unit: 'ratio' })) }),
      }),
      draft({
        generatedAt: daysAgo(60),
        modelId: 'model-x',
        promptVersion: 'p-1',
        promptHash: 'sha256:aa',
        inputTokens: 900,
        outputTokens: 80,
        methodologyVersion: 'm-2',
      }),
      draft({
        generatedAt: daysAgo(0.02),
        methodologyVersion: 'm-2',
        content: content({ summary: 'Volume rose.' }),
      }),
    ]
    const landed = await land(database, steps, { knownAt: daysAgo(0.01) })
    const correction = draft({
      generatedAt: daysAgo(0.02),
      supersedes: landed[2]?.snapshotId ?? null,
      methodologyVersion: 'm-2',
      content: content({ summary: 'Volume doubled while breadth fell.', sentiment_score: -0.5 }),
    })
    chain = [...landed, ...(await land(database, [correction]))]
    const others = Array.from({ length: 100 }, (_, index) =>
      TYPES.map((analysisType) => draft({ assetId: index + 1, analysisType, generatedAt: daysAgo(1) })),
    )
    // Bitcoin's own market_context stays as written above.
    const rest = others
      .flat()
      .filter(({ assetId, analysisType }) => assetId !== 1 || analysisType !== 'market_context')
    await land(database, rest)
    // Statements are counted, and a kept answer runs none.
    app = await startTestApp(quickestDatabase(), {
      database,
      env: { CACHE_BYTES: '0', PUBLIC_URL: `${PUBLIC_URL}/` },
    })
    growth = await app.newKey({ tier: 'growth' })
    starter = await app.newKey({ tier: 'starter' })
    free = await app.newKey({ tier: 'free' })
  })
  afterAll(async () => {
    await app?.close()
    await app?.database.close()
  })

  const id = (place: number) => chain[place]?.snapshotId ?? ''

  const rest = <Body>(path: string, key = growth) => app.rest<Body>(path, { key })
  const graphql = <Data>(query: string, key = growth) => app.graphql<Data>(query, { key })
  const details = (answer: Answer<unknown>) => (answer.body as Refusal).details
  const code = (answer: Answer<GraphQLAnswer<unknown>>) => answer.body.errors?.[0]?.extensions

  it.each([
    [`${AI}/latest`, `ai_analysis_latest(asset_id: "bitcoin") ${LATEST}`],
    [
      `${AI}/latest?analysis_type=regime`,
      `ai_analysis_latest(asset_id: "bitcoin", analysis_type: regime) ${LATEST}`,
    ],
    [`${AI}/history`, `ai_analysis_history(asset_id: "bitcoin") ${HISTORY}`],
    [
      `${AI}/history?limit=1&as_of=2026-11-20T11:45:00Z`,
      `ai_analysis_history(asset_id: "bitcoin", limit: 1, as_of: "2026-11-20T11:45:00Z") ${HISTORY}`,
    ],
    [`${AI}/history/diff`, `ai_analysis_diff(asset_id: "bitcoin") ${DIFF}`],
    ['/v1/ai-analysis/changes', `ai_analysis_changes ${CHANGES}`],
    [
      '/v1/ai-analysis/changes?limit=1&analysis_type=market_context',
      `ai_analysis_changes(limit: 1, analysis_type: market_context) ${CHANGES}`,
    ],
    ['/v1/assets/bitcoin/ai', `asset_ai(id: "bitcoin") ${BLOCK}`],
    [
      '/v1/assets/bitcoin/ai?analysis_type=news_summary',
      `asset_ai(id: "bitcoin", analysis_type: news_summary) ${BLOCK}`,
    ],
    ['/v1/ai/methodology', `ai_methodology ${METHODOLOGY}`],
  ])('answer %s with the same body', async (path, query) => {
    for (const key of [growth, starter]) {
      const atRest = await rest(path, key)
      const atGraphql = await graphql<{ answer: unknown }>(`{ answer: ${query} }`, key)
      // A 403 by age for one of the tiers is a 403 in both.
      expect(atGraphql.body.errors?.[0]?.extensions.http.status ?? 200).toBe(atRest.status)
      if (atRest.status === 200) expect(atGraphql.body.data?.answer).toEqual(atRest.body)
    }
    expect((await rest(path)).status).toBe(200)
  })

  it('return the newest snapshot with the hashed content', async () => {
    const { body } = await rest<{ content: object; immutability: { content_hash: string } }>(`${AI}/latest`)
    const generated = daysAgo(0.02)
    const fresh = {
      data_freshness_seconds: 1728,
      last_updated_at: generated.toISOString(),
      next_refresh_at: new Date(generated.getTime() + 3_600_000).toISOString(),
      sources: ['seed'],
      freshness_status: 'fresh',
      release: null,
      undated_rows: null,
    }
    expect(body).toEqual({
      snapshot_id: id(3),
      asset_id: 'bitcoin',
      ticker: 'BTC',
      analysis_type: 'market_context',
      generated_at: generated.toISOString(),
      content: content({ summary: 'Volume doubled while breadth fell.', sentiment_score: -0.5 }),
      provenance: {
        data_window_from: daysAgo(31).toISOString(),
        data_window_to: daysAgo(1).toISOString(),
        input_tokens: null,
        output_tokens: null,
        model_id: 'rules-1',
        prompt_version: null,
        prompt_hash: null,
        methodology_version: 'm-2',
      },
      immutability: { content_hash: chain[3]?.contentHash, hash_algorithm: 'sha256', signed: false },
      freshness: fresh,
      meta,
      _meta: fresh,
    })
    expect(body.immutability.content_hash).toBe(`sha256:${sha256Hex(canonicalJson(body.content))}`)
  })

  it('return the history newest first, and a corrected snapshot only as of an earlier time', async () => {
    const now = await rest<{ total: number; items: { ai_metadata: { generated_at: string } }[] }>(
      `${AI}/history`,
    )
    expect(now.body).toMatchObject({
      asset_id: 'bitcoin',
      analysis_type: 'market_context',
      total: 3,
      limit: 20,
      as_of: null,
      items: [
        {
          immutability: { content_hash: chain[3]?.contentHash },
          sentiment_score: -0.5,
          summary: 'Volume doubled while breadth fell.',
          data_lineage: {
            prompt_hash: null,
            methodology_version: 'm-2',
            datasets: [{ dataset: 'candles', version: 7, source: 'seed' }],
          },
        },
        {
          ai_metadata: {
            disclaimer: DISCLAIMER,
            freshness_status: 'expired',
            generated_at: daysAgo(60).toISOString(),
            methodology_url: `${PUBLIC_URL}/v1/ai/methodology`,
            methodology_version: 'm-2',
            model_id: 'model-x',
            next_refresh_at: new Date(daysAgo(60).getTime() + 3_600_000).toISOString(),
            prompt_version: 'p-1',
          },
          provenance: { prompt_hash: 'sha256:aa', input_tokens: 900, output_tokens: 80 },
        },
        { generated_at: daysAgo(120).toISOString() },
      ],
      _meta: { freshness_status: 'fresh', last_updated_at: daysAgo(0.02).toISOString() },
    })
    const before = await rest<{ as_of: string; items: object[] }>(
      `${AI}/history?limit=1&as_of=${new Date(app.clock.now().getTime() - 1).toISOString()}`,
    )
    expect(before.body).toMatchObject({
      total: 3,
      limit: 1,
      as_of: '2026-11-20T11:59:59.999Z',
      items: [{ immutability: { content_hash: chain[2]?.contentHash }, sentiment_score: 0.25 }],
    })
    expect(before.body.items).toHaveLength(1)
  })

  it('compare the two newest, or any two in either order, and name each changed field', async () => {
    const newest = await rest(`${AI}/history/diff`)
    expect(newest.body).toMatchObject({
      asset_id: 'bitcoin',
      ticker: 'BTC',
      analysis_type: 'market_context',
      from_snapshot: {
        snapshot_id: id(1),
        generated_at: daysAgo(60).toISOString(),
        content_hash: chain[1]?.contentHash,
        model_id: 'model-x',
      },
      to_snapshot: { snapshot_id: id(3), model_id: 'rules-1' },
      change_type_summary: 'MODEL_UPGRADE',
      changes: [
        { field: 'sentiment_score', before: 0.25, after: -0.5, change_type: 'DATA_REFRESH' },
        { field: 'model_id', before: 'model-x', after: 'rules-1', change_type: 'MODEL_UPGRADE' },
        { field: 'prompt_version', before: 'p-1', after: null, change_type: 'MODEL_UPGRADE' },
      ],
      text_changed: true,
      major_text_shift: true,
      meta,
    })
    const corrected = await rest(`${AI}/history/diff?from_snapshot=${id(2)}&to_snapshot=${id(3)}`)
    expect(corrected.body).toMatchObject({ change_type_summary: 'RESTATEMENT', text_changed: true })
    const swapped = await rest(`${AI}/history/diff?from_snapshot=${id(3)}&to_snapshot=${id(2).toUpperCase()}`)
    expect(swapped.body).toEqual(corrected.body)
    const older = await rest(`${AI}/history/diff?to_snapshot=${id(1)}`)
    expect(older.body).toMatchObject({
      from_snapshot: { snapshot_id: id(0) },
      to_snapshot: { snapshot_id: id(1) },
      change_type_summary: 'METHODOLOGY_CHANGE',
      text_changed: false,
      cosine_similarity: null,
      major_text_shift: null,
    })
    const far = await rest(`${AI}/history/diff?from_snapshot=${id(0)}`)
    expect(far.body).toMatchObject({
      from_snapshot: { snapshot_id: id(0) },
      to_snapshot: { snapshot_id: id(3) },
    })
    // The newest itself is compared with the newest other one, and so is the first of all.
    expect((await rest(`${AI}/history/diff?from_snapshot=${id(3)}`)).body).toEqual(newest.body)
    expect((await rest(`${AI}/history/diff?to_snapshot=${id(0)}`)).body).toEqual(far.body)
  })

  it('refuse a diff of snapshots of another asset or type, twice the same, or without a UUID', async () => {
    const diff = (query: string, path = AI) => rest<Refusal>(`${path}/history/diff?${query}`)
    const other = await diff(`to_snapshot=${id(3)}`, '/v1/assets/asset-2/ai-analysis')
    expect(other.status).toBe(404)
    expect(other.body.message).toBe(`to_snapshot: no market_context of asset-2 has the id ${id(3)}.`)
    expect((await diff(`from_snapshot=${id(2)}&to_snapshot=${id(3)}&analysis_type=regime`)).status).toBe(404)
    expect((await diff(`from_snapshot=${randomUUID()}`)).status).toBe(404)
    expect((await diff('', '/v1/assets/asset-2/ai-analysis')).status).toBe(404) // one snapshot only
    const twice = await diff(`from_snapshot=${id(3)}&to_snapshot=${id(3)}`)
    expect(twice.status).toBe(422)
    expect(details(twice)).toEqual([{ field: 'to_snapshot', message: 'must differ from from_snapshot' }])
    const broken = await diff('from_snapshot=x&to_snapshot=y')
    expect(details(broken)?.map(({ field }) => field)).toEqual(['from_snapshot', 'to_snapshot'])
  })

  it('page the changes by their cursor, in the format of the contract', async () => {
    interface ChangeList {
      readonly items: readonly Readonly<Record<string, unknown>>[]
      readonly next_cursor: string | null
      readonly total_count: number | null
    }
    const path = '/v1/ai-analysis/changes?analysis_type=market_context'
    const first = await rest<ChangeList>(`${path}&limit=2`)
    expect(first.body).toMatchObject({ has_more: true, total_count: 3, meta })
    expect(first.body.items.map((item) => [item.change_type, item.to_snapshot_id])).toEqual([
      ['RESTATEMENT', id(3)],
      ['MODEL_UPGRADE', id(2)],
    ])
    expect(Object.keys(first.body.items[0] ?? {})).toEqual([
      'asset_id',
      'ticker',
      'analysis_type',
      'change_type',
      'from_snapshot_id',
      'to_snapshot_id',
      'changed_at',
      'cosine_similarity',
      'major_text_shift',
    ])
    const second = await rest<ChangeList>(`${path}&limit=2&cursor=${first.body.next_cursor}`)
    expect(second.body).toMatchObject({
      items: [
        { asset_id: 'bitcoin', from_snapshot_id: id(0), to_snapshot_id: id(1), cosine_similarity: null },
      ],
      has_more: false,
      next_cursor: null,
      total_count: null,
    })
    const since = await rest<ChangeList>('/v1/ai-analysis/changes?since=2026-11-20T12:00:00.001Z')
    expect(since.body.items).toEqual([])
    const broken = await rest('/v1/ai-analysis/changes?cursor=x&limit=50')
    expect(details(broken)).toEqual([
      { field: 'cursor', message: 'must be the next_cursor of a page of changes' },
    ])
  })

  it.each([
    ['limit=0', 'limit'],
    ['limit=51', 'limit'],
    ['as_of=2026-11-20T12:00:00.001Z', 'as_of'],
    ['as_of=yesterday', 'as_of'],
    ['analysis_type=mood', 'analysis_type'],
  ])('refuse a history with %s by 422', async (query, field) => {
    const answer = await rest(`${AI}/history?${query}`)
    expect(answer.status).toBe(422)
    expect(details(answer)?.map((problem) => problem.field)).toEqual([field])
  })

  it('give 404 for an unknown asset and for one without an analysis', async () => {
    const nobody = await rest<Refusal>('/v1/assets/nobody/ai-analysis/latest')
    expect(nobody.status).toBe(404)
    expect(nobody.body.message).toBe(
      'No asset has the slug "nobody". Slugs are lower-case names such as bitcoin. To get the slug of the ticker NOBODY, use GET /v1/discover/NOBODY.',
    )
    const ticker = await rest<Refusal>('/v1/assets/BTC/ai-analysis/latest')
    expect(ticker.status).toBe(404)
    expect(ticker.body.message).toContain('GET /v1/discover/BTC')
    const none = '/v1/assets/asset-101/ai-analysis'
    const latest = await rest<Refusal>(`${none}/latest`)
    expect(latest.status).toBe(404)
    expect(latest.body.message).toBe('asset-101 has no market_context yet.')
    expect((await rest(`${none}/history/diff`)).status).toBe(404)
    const history = await rest(`${none}/history`)
    expect(history.body).toMatchObject({ total: 0, items: [], _meta: { sources: ['seed'] } })
  })

  it('need ai:read: 403 for the free tier in REST and GraphQL, 401 without a key', async () => {
    for (const path of ['latest', 'history', 'history/diff'].map((part) => `${AI}/${part}`)) {
      const answer = await rest<Refusal>(path, free)
      expect(answer.status).toBe(403)
      expect(answer.body).toMatchObject({ required_scope: 'ai:read', upgrade_url: app.config.upgradeUrl })
      expect((await app.rest(path)).status).toBe(401)
    }
    const atGraphql = await graphql('{ ai_analysis_changes { has_more } }', free)
    expect(code(atGraphql)).toMatchObject({ code: 'FORBIDDEN', required_scope: 'ai:read' })
  })

  it('show prompt hash, methodology version and lineage to ai:lineage only', async () => {
    interface Item {
      readonly provenance: object
      readonly ai_metadata: object
      readonly data_lineage: unknown
    }
    const { body } = await rest<{ items: readonly Item[] }>(`${AI}/history?limit=2`, starter)
    expect(body.items).toHaveLength(2)
    for (const { provenance, ai_metadata, data_lineage } of body.items) {
      expect(provenance).toMatchObject({ prompt_hash: null, methodology_version: null })
      expect(ai_metadata).toMatchObject({ methodology_version: null })
      expect(data_lineage).toBeNull()
    }
    expect(body.items[1]?.provenance).toMatchObject({ model_id: 'model-x', prompt_version: 'p-1' })
    const latest = await rest<{ provenance: object }>(`${AI}/latest`, starter)
    expect(latest.body.provenance).toMatchObject({ prompt_hash: null, methodology_version: null })
  })

  it('show in a diff that the method changed, but its versions to ai:lineage only', async () => {
    const database = app.database
    const [one, two] = await land(database, [
      draft({ assetId: 3, analysisType: 'regime', generatedAt: daysAgo(0.5) }),
      draft({ assetId: 3, analysisType: 'regime', generatedAt: daysAgo(0.4), methodologyVersion: 'm-9' }),
    ])
    const path = `/v1/assets/asset-3/ai-analysis/history/diff?analysis_type=regime&from_snapshot=${one?.snapshotId}&to_snapshot=${two?.snapshotId}`
    const change = { field: 'methodology_version', change_type: 'METHODOLOGY_CHANGE' }
    expect((await rest(path)).body).toMatchObject({ changes: [{ ...change, before: 'm-1', after: 'm-9' }] })
    expect((await rest(path, starter)).body).toMatchObject({
      change_type_summary: 'METHODOLOGY_CHANGE',
      changes: [{ ...change, before: null, after: null }],
    })
  })

  it('show everything that the tier may see by default, and say that older ones exist', async () => {
    type History = {
      readonly older_requires: string | null
      readonly items: readonly { snapshot_id: string }[]
    }
    const ids = ({ items }: History) => items.map(({ snapshot_id }) => snapshot_id)
    const open = await rest<History>(`${AI}/history`, starter)
    expect([open.status, open.body.older_requires, ids(open.body)]).toEqual([
      200,
      'history:full',
      [id(3), id(1)],
    ])
    const whole = await rest<History>(`${AI}/history`)
    expect([whole.body.older_requires, ids(whole.body)]).toEqual([null, [id(3), id(1), id(0)]])
    const nested = await graphql<{ asset: { data: { ai_analysis_history: History } } }>(
      '{ asset(id: "bitcoin") { data { ai_analysis_history { older_requires items { snapshot_id } } } } }',
      starter,
    )
    expect(nested.body.data?.asset.data.ai_analysis_history).toMatchObject({ older_requires: 'history:full' })
  })

  it('refuse snapshots older than 90 days without history:full, free of charge and never by omission', async () => {
    const remaining = async () =>
      Number((await rest('/v1/assets?limit=0', starter)).headers.get('x-ratelimit-remaining'))
    const before = await remaining()
    const whole = await rest<Refusal>(`${AI}/history?limit=20`, starter)
    expect(whole.status).toBe(403)
    expect(whole.body).toMatchObject({
      error: 'forbidden',
      required_scope: 'history:full',
      upgrade_url: app.config.upgradeUrl,
      message:
        '1 of the 3 requested snapshots were generated more than 90 days ago: this needs the scope history:full: it comes with tier growth and above; the account has tier starter. Use limit=2 or less.',
    })
    const old = await rest<Refusal>(`${AI}/history?limit=1&as_of=2026-08-01T00:00:00Z`, starter)
    expect(old.status).toBe(403)
    expect(old.body.message).toContain('as_of is more than 90 days ago')
    const narrowed = await app.newKey({ tier: 'pro', scopes: ['ai:read'] })
    const kept = await rest<Refusal>(`${AI}/history?limit=20`, narrowed)
    expect(kept.body.message).toContain(
      'this needs the scope history:full: your key is narrowed to ai:read. Use limit=2 or less.',
    )
    const diff = await rest<Refusal>(`${AI}/history/diff?to_snapshot=${id(1)}`, starter)
    expect(diff.body.required_scope).toBe('history:full')
    expect(await remaining()).toBe(before)
    expect((await rest<{ total: number }>(`${AI}/history?limit=2`, starter)).body.total).toBe(3)
    const edge = await graphql<{ ai_analysis_changes: { items: { from_snapshot: unknown }[] } }>(
      '{ ai_analysis_changes(analysis_type: market_context) { items { from_snapshot { snapshot_id } } } }',
      starter,
    )
    expect(edge.body.data?.ai_analysis_changes.items.map((item) => item.from_snapshot)).toEqual([
      { snapshot_id: id(2) },
      { snapshot_id: id(1) },
      null,
    ])
    expect(code(edge)).toMatchObject({ required_scope: 'history:full' })
  })

  it('fill the block for ai:read, with the disclaimer and the model', async () => {
    const { body } = await rest('/v1/assets/bitcoin/ai')
    expect(body).toMatchObject({
      data: {
        analysis_type: 'fundamental_summary',
        generated_at: daysAgo(0.02).toISOString(),
        model: 'rules-1',
        prompt_version: null,
        sentiment_score: -0.5,
        summary: 'Volume doubled while breadth fell.',
        _upsell: null,
      },
      meta: {
        ai_generated_at: daysAgo(0.02).toISOString(),
        ai_mode: 'rules',
        ai_model: 'rules-1',
        data_quality: 'full',
        disclaimer: DISCLAIMER,
        disclaimer_lang_canonical: 'en',
        disclaimer_translations: { fr: DISCLAIMER_FR },
        is_dev_dataset: true,
        methodology_version: 'm-2',
        source: 'seed',
      },
    })
    const news = await rest('/v1/assets/bitcoin/ai?analysis_type=news_summary')
    expect(news.body).toMatchObject({
      data: { analysis_type: 'news_summary', summary: null, _upsell: null },
      meta: { data_quality: 'empty' },
    })
  })

  it('show the free tier an empty block and the missing scope', async () => {
    const { status, body } = await rest('/v1/assets/bitcoin/ai?analysis_type=sentiment_score', free)
    expect(status).toBe(200)
    expect(body).toMatchObject({
      data: {
        analysis_type: null,
        generated_at: null,
        model: null,
        prompt_version: null,
        sentiment_score: null,
        summary: null,
        _upsell: { required_scope: 'ai:read', upgrade_url: app.config.upgradeUrl },
      },
      meta: { ai_model: null, disclaimer: DISCLAIMER },
    })
  })

  it('describe the method of every kind of analysis to anyone', async () => {
    const { status, body } = await app.rest<{ cards: readonly object[] }>('/v1/ai/methodology')
    expect(status).toBe(200)
    expect(body).toMatchObject({ disclaimer: DISCLAIMER, disclaimer_fr: DISCLAIMER_FR })
    expect(body.cards).toMatchObject(TYPES.map((analysis_type) => ({ analysis_type, model_id: 'rules-1' })))
  })

  it.each([
    `${AI}/latest`,
    `${AI}/latest?analysis_type=regime`,
    '/v1/assets/bitcoin/ai',
    '/v1/assets/asset-101/ai-analysis/latest',
    '/v1/assets/nobody/ai-analysis/latest',
  ])('read asset and snapshot of %s by one statement', async (path) => {
    const read: string[] = []
    const watched = interposed(app.database, (sql) => {
      if (/analysis_snapshot|from asset/.test(sql)) read.push(sql)
    })
    const counting = await startTestApp(quickestDatabase(), { database: watched, env: { CACHE_BYTES: '0' } })
    try {
      await counting.rest(path, { key: await counting.newKey({ tier: 'growth' }) })
    } finally {
      await counting.close()
    }
    expect(read).toHaveLength(1)
  })

  it('show in a history the hashed text, and its summary and score', async () => {
    const { body } = await graphql<{
      ai_analysis_history: {
        items: {
          summary: string
          sentiment_score: number | null
          immutability: { content_hash: string; content_text: string }
        }[]
      }
    }>(`{ ai_analysis_history(asset_id: "bitcoin", limit: 3) {
      items { summary sentiment_score immutability { content_hash content_text } } } }`)
    const items = body.data?.ai_analysis_history.items ?? []
    expect(items.length).toBeGreaterThan(1)
    for (const { summary, sentiment_score, immutability } of items) {
      const { content_hash, content_text } = immutability
      expect(content_hash).toBe(`sha256:${createHash('sha256').update(content_text).digest('hex')}`)
      expect(JSON.parse(content_text)).toMatchObject({ summary, sentiment_score })
    }
  })

  it('run as many statements for the analyses of 100 assets as for those of one', async () => {
    const statements = async (limit: number) => {
      const query = `{ assets(limit: ${limit}) { data { ai { summary }
        a: ai_analysis_latest(analysis_type: halal_analysis) { snapshot_id }
        b: ai_analysis_latest(analysis_type: market_context) { snapshot_id }
        c: ai_analysis_latest(analysis_type: regime) { snapshot_id }
        ai_analysis_history(analysis_type: regime, limit: 2) {
          total items { summary immutability { content_hash content_text } } } } } }`
      const counts: number[] = []
      for (let run = 0; run < 5; run++) {
        const before = app.database.statementCount()
        const { body } = await graphql<{
          assets: { data: Record<string, { snapshot_id: string } | null>[] }
        }>(query)
        counts.push(app.database.statementCount() - before)
        const cards = body.data?.assets.data ?? []
        expect(cards).toHaveLength(limit)
        expect(new Set(cards.flatMap(({ a, b, c }) => [a, b, c].map((one) => one?.snapshot_id))).size).toBe(
          3 * limit,
        )
      }
      // The fewest of several runs: what the process writes in the background is counted as well.
      return Math.min(...counts)
    }
    const one = await statements(1)
    expect(await statements(100)).toBe(one)
  })

  it('lead from a change to its asset and both snapshots, in a fixed number of statements', async () => {
    const statements = async (limit: number) => {
      const query = `{ ai_analysis_changes(limit: ${limit}, analysis_type: market_context) { items {
        asset { ticker } from_snapshot { snapshot_id generated_at } to_snapshot { snapshot_id ticker } } } }`
      const counts: number[] = []
      for (let run = 0; run < 5; run++) {
        const before = app.database.statementCount()
        const { body } = await graphql<{ ai_analysis_changes: { items: readonly unknown[] } }>(query)
        counts.push(app.database.statementCount() - before)
        expect(body.data?.ai_analysis_changes.items).toHaveLength(limit)
        expect(body.data?.ai_analysis_changes.items[0]).toEqual({
          asset: { ticker: 'BTC' },
          from_snapshot: { snapshot_id: id(2), generated_at: daysAgo(0.02).toISOString() },
          to_snapshot: { snapshot_id: id(3), ticker: 'BTC' },
        })
      }
      return Math.min(...counts)
    }
    expect(await statements(3)).toBe(await statements(1))
  })

  it('give the edges without ai:read as null with a 403 beside the rest of the answer', async () => {
    const { status, body } = await graphql<{ assets: { data: object[] } }>(
      '{ assets(limit: 1) { data { ticker ai_analysis_latest { ticker } ai_analysis_history { total } } } }',
      free,
    )
    expect(status).toBe(200)
    expect(body.data?.assets.data).toEqual([
      { ticker: 'BTC', ai_analysis_latest: null, ai_analysis_history: null },
    ])
    expect(body.errors?.map(({ extensions }) => extensions.required_scope)).toEqual(['ai:read', 'ai:read'])
  })
})

describe('AI analysis without any stored analysis', () => {
  it('gives 503 with the reason, but serves the methodology', async () => {
    const database = await openTestDatabase(quickestDatabase())
    await writeAssets(database, 1)
    const app = await startTestApp(quickestDatabase(), { database })
    const key = await app.newKey({ tier: 'growth' })
    try {
      for (const path of [`${AI}/latest`, `${AI}/history`, `${AI}/history/diff`, '/v1/ai-analysis/changes']) {
        const { status, body } = await app.rest<Refusal>(path, { key })
        expect(status).toBe(503)
        expect(body.message).toContain('The dataset analysis is empty')
      }
      expect((await app.rest('/v1/ai/methodology')).status).toBe(200)
    } finally {
      await app.close()
      await database.close()
    }
  })
})
