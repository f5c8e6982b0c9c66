import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { changeCursor } from '../../../../src/core/change-position.js'
import { ANALYSIS_CHANGES } from '../../../../src/domains/analysis/changes/change-store.js'
import { MAX_STREAMS_PER_ACCOUNT } from '../../../../src/gateway/graphql/stream/streams.js'
import { startTestApp, type TestApp } from '../../../support/app/app.js'
import { nextRequest } from '../../../support/app/next-request.js'
import { openTestDatabase, quickestDatabase } from '../../../support/database/database.js'
import { type WatchedDatabase, watched } from '../../../support/database/watched-database.js'
import { openEventStream, readEvents } from '../../../support/peers/event-stream.js'
import { watchRequests } from '../../../support/waited-ms.js'
import { content, daysAgo, draft, land, NOW, TYPES, writeAssets } from '../analysis-world.js'

const ASSETS = 10
const EVERYTHING = { since: null, analysisType: null, changeType: null, source: 'seed' }

interface Event {
  readonly data?: {
    readonly ai_analysis_changes: {
      readonly cursor: string
      readonly item: {
        readonly asset_id: string
        readonly analysis_type: string
        readonly to_snapshot_id: string
        readonly to_snapshot?: { readonly generated_at: string }
      }
    }
  }
}

const FIELDS = 'cursor item { asset_id analysis_type to_snapshot_id }'

describe.each([quickestDatabase()])('the subscription ai_analysis_changes on %s', (kind) => {
  let watch: WatchedDatabase
  let app: TestApp
  let key: string
  beforeEach(async () => {
    watch = watched(await openTestDatabase(kind))
    app = await startTestApp(kind, { database: watch.database })
    await writeAssets(app.database, ASSETS)
    await round(80)
    key = await app.newKey({ tier: 'starter' })
  })
  afterEach(async () => {
    await app?.close()
    await watch?.database.close()
  })

  /** A snapshot of every chain, 30 in all; the clock goes on, so that the versions are read again. */
  const round = async (days: number) => {
    const drafts = TYPES.flatMap((analysisType) =>
      Array.from({ length: ASSETS }, (_, index) =>
        draft({
          assetId: index + 1,
          analysisType,
          generatedAt: daysAgo(days),
          content: content({ sentiment_score: days / 1_000 }),
        }),
      ),
    )
    await land(app.database, drafts)
    app.clock.advance(600)
  }

  const allChanges = () =>
    ANALYSIS_CHANGES.loadAfter(app.database, EVERYTHING, { after: null, limit: 10_000 })

  const subscribe = (args = '', fields = FIELDS, withKey: string | null = key) =>
    openEventStream(app.url, `subscription { ai_analysis_changes${args} { ${fields} } }`, withKey)

  const read = (response: Response) => readEvents<Event>(response)

  /** Reads so many items, then kills the connection. */
  async function take(count: number, args: string) {
    const { response, kill } = await subscribe(args)
    const taken: { cursor: string; id: string }[] = []
    try {
      for await (const event of read(response)) {
        if (typeof event === 'string' || !event.data) continue
        const { cursor, item } = event.data.ai_analysis_changes
        taken.push({ cursor, id: item.to_snapshot_id })
        if (taken.length === count) break
      }
    } finally {
      kill()
    }
    return taken
  }

  it('loses and repeats nothing if it is killed repeatedly while 510 items arrive', async () => {
    key = await app.newKey({ tier: 'growth' }) // each item costs a unit
    await round(79)
    const [first] = await allChanges()
    if (first === undefined) throw new Error('nothing landed')
    let isWritten = false
    const writer = (async () => {
      for (let index = 0; index < 17; index++) await round(78 - index)
      isWritten = true
    })()
    const seen = [first.toSnapshotId]
    let cursor = changeCursor(first)
    for (const count of [1, 7, 100, 33, 120, 101, 150]) {
      const taken = await take(count, `(cursor: "${cursor}")`)
      seen.push(...taken.map(({ id }) => id))
      cursor = taken.at(-1)?.cursor ?? cursor
    }
    await writer
    expect(isWritten).toBe(true)
    const left = 18 * ASSETS * TYPES.length - seen.length
    seen.push(...(await take(left, `(cursor: "${cursor}")`)).map(({ id }) => id))
    expect(seen).toEqual((await allChanges()).map(({ toSnapshotId }) => toSnapshotId))
  }, 120_000)

  it('reads few bytes at once, however long the names of assets are, and sends every item', async () => {
    await app.database.script(`update asset set name = repeat('x', 100000)`)
    await round(79)
    await round(78)
    const all = await allChanges()
    expect(all).toHaveLength(2 * ASSETS * TYPES.length)
    const batch = (maxBytes: number) =>
      ANALYSIS_CHANGES.loadAfter(app.database, EVERYTHING, { after: null, limit: 100, maxBytes })
    expect(await batch(256 * 1_024)).toEqual(all.slice(0, 2))
    expect(await batch(1)).toEqual(all.slice(0, 1))
    const [first] = all
    if (first === undefined) throw new Error('nothing landed')
    const taken = await take(all.length - 1, `(cursor: "${changeCursor(first)}")`)
    expect(taken.map(({ id }) => id)).toEqual(all.slice(1).map(({ toSnapshotId }) => toSnapshotId))
  })

  it('sends without a cursor only new items, filtered by asset and type, and stays alive by pings', async () => {
    await round(50)
    const { response, kill } = await subscribe(
      '(asset_id: "asset-2", analysis_type: regime)',
      'cursor item { asset_id analysis_type to_snapshot { generated_at } }',
    )
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    const items: unknown[] = []
    let pings = 0
    for await (const event of read(response)) {
      if (event === 'ping') pings += 1
      else if (typeof event !== 'string') items.push(event.data?.ai_analysis_changes.item)
      if (pings === 2 && items.length === 0) await round(40)
      if (items.length === 1 && pings > 3) break
    }
    kill()
    expect(items).toEqual([
      {
        asset_id: 'asset-2',
        analysis_type: 'regime',
        to_snapshot: { generated_at: daysAgo(40).toISOString() },
      },
    ])
  })

  it('is refused with 401 without a key, 403 without ai:read, 404 for an unknown asset and 422 for a foreign cursor', async () => {
    const free = await app.newKey({ tier: 'free' })
    const asked = [
      await subscribe('', FIELDS, null),
      await subscribe('', FIELDS, free),
      await subscribe('(asset_id: "nobody")'),
      await subscribe('(cursor: "x")'),
    ]
    const answers = await Promise.all(
      asked.map(async ({ response }) => {
        const { errors } = (await response.json()) as { errors: { extensions: { code: string } }[] }
        return [response.status, errors[0]?.extensions.code]
      }),
    )
    expect(answers).toEqual([
      [401, 'UNAUTHORIZED'],
      [403, 'FORBIDDEN'],
      [404, 'NOT_FOUND'],
      [422, 'VALIDATION_ERROR'],
    ])
    expect(asked[1]?.response.headers.get('x-ratelimit-remaining')).toBe('14')
  })

  it('is charged when it is opened, and refused with 429 when the quota is spent', async () => {
    const { response, kill } = await subscribe()
    expect(response.headers.get('x-ratelimit-remaining')).toBe('277')
    kill()
    const spent = await app.newKey({ tier: 'enterprise' })
    await app.database.script("update account set quota_month = 1, quota_hour = 1 where tier = 'enterprise'")
    ;(await subscribe('', FIELDS, spent)).kill()
    const refused = await subscribe('', FIELDS, spent)
    expect(refused.response.status).toBe(429)
    expect(Number(refused.response.headers.get('retry-after'))).toBeGreaterThan(0)
  })

  it('is refused with 406 to clients that do not accept events', async () => {
    const query = `subscription { ai_analysis_changes { ${FIELDS} } }`
    const { status, body } = await app.graphql(query, { key, headers: { accept: 'application/json' } })
    expect([status, body.errors?.[0]?.extensions.code]).toEqual([406, 'NOT_ACCEPTABLE'])
  })

  it('may be open ten times per account; a killed one does not count', async () => {
    const open = []
    const first = nextRequest('/graphql')
    for (let index = 0; index < MAX_STREAMS_PER_ACCOUNT; index++) open.push(await subscribe())
    expect(open.map(({ response }) => response.status)).toEqual(open.map(() => 200))
    expect((await subscribe()).response.status).toBe(429)
    open[0]?.kill()
    await first.closed
    const next = await subscribe()
    expect(next.response.status).toBe(200)
    for (const { kill } of [...open, next]) kill()
  })

  it('ends by itself when its key is revoked', async () => {
    const { response } = await subscribe()
    await app.database.script("update api_key set revoked_at = '2026-11-20T12:00:00Z'")
    app.clock.advance(2_000)
    let last: unknown = null
    for await (const event of read(response)) last = event
    expect(last).toBe('complete')
  })

  it('completes when the gateway drains, so that stopping does not wait for readers', async () => {
    const { response } = await subscribe()
    app.drain()
    let last: unknown = null
    for await (const event of read(response)) last = event
    expect(last).toBe('complete')
  })

  describe('the long poll of the same changes', () => {
    const poll = (query: string) =>
      app.rest<{ items: readonly unknown[]; total_count: number }>(`/v1/ai-analysis/changes?${query}`, {
        key,
      })

    /** Resolves once a poll has read a page. */
    const pageIsRead = () => watch.answered('from analysis_change c join asset a')

    /** A second after everything that landed so far. */
    const later = () => new Date(NOW.getTime() + 1_000).toISOString()

    it('answers as soon as an item arrives', async () => {
      const isRead = pageIsRead()
      const waiting = poll(`since=${later()}&wait_seconds=20&analysis_type=regime`)
      await isRead
      await land(app.database, [draft({ analysisType: 'regime' })], {
        knownAt: new Date(NOW.getTime() + 2_000),
      })
      app.clock.advance(2_000)
      const { status, body } = await waiting
      expect(status).toBe(200)
      expect(body).toMatchObject({
        items: [{ asset_id: 'bitcoin', analysis_type: 'regime' }],
        total_count: 1,
      })
    })

    it('has the changes of one asset only if asset_id names it, and their number', async () => {
      await land(app.database, [draft({ analysisType: 'regime', generatedAt: NOW })], {
        knownAt: new Date(NOW.getTime() + 1_000),
      })
      app.clock.advance(1_000)
      const whole = (await poll('limit=100')).body
      const own = (await poll('limit=100&asset_id=bitcoin')).body
      const ofBitcoin = whole.items.filter((item) => (item as { asset_id: string }).asset_id === 'bitcoin')
      expect(ofBitcoin.length).toBeGreaterThan(0)
      expect([own.items, own.total_count]).toEqual([ofBitcoin, ofBitcoin.length])
      expect((await poll('asset_id=no-such-asset')).status).toBe(404)
      const named = await app.graphql<{ ai_analysis_changes: { total_count: number } }>(
        '{ ai_analysis_changes(by: { slug: "bitcoin" }) { total_count } }',
        { key },
      )
      expect(named.body.data?.ai_analysis_changes.total_count).toBe(own.total_count)
    })

    it('answers with an empty page at the end of the time, and at once without a time', async () => {
      const began = performance.now()
      expect((await poll(`since=${later()}&wait_seconds=1`)).body.items).toEqual([])
      expect(performance.now() - began).toBeGreaterThan(990)
      expect((await poll(`since=${later()}`)).body.items).toEqual([])
    })

    it('ends when the gateway drains', async () => {
      const requests = watchRequests()
      const isRead = pageIsRead()
      const waiting = poll(`since=${later()}&wait_seconds=30`)
      await isRead
      app.drain()
      expect((await waiting).body.items).toEqual([])
      requests.stop()
      expect(requests.waits()).toHaveLength(1)
      expect(Math.max(...requests.waits())).toBeLessThan(5_000)
    })

    it.each(['wait_seconds=31', 'wait_seconds=-1'])('refuses %s with 422', async (query) => {
      expect((await poll(query)).status).toBe(422)
    })

    it('refuses to wait with a cursor, because no new items are added to older pages', async () => {
      await round(20)
      const { body } = await app.rest<{ next_cursor: string }>('/v1/ai-analysis/changes?limit=1', { key })
      expect((await poll(`wait_seconds=5&cursor=${body.next_cursor}`)).status).toBe(422)
    })
  })
})
