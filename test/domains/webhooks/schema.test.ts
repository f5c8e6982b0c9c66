import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { deleteAccount } from '../../../src/domains/access/operator.js'
import { loadMessages } from '../../../src/domains/webhooks/delivery/message.js'
import { type Answer, startTestApp, type TestApp } from '../../support/app/app.js'
import { quickestDatabase } from '../../support/database/database.js'
import { startReceiver, type WebhookReceiver } from '../../support/peers/webhook-receiver.js'

interface Webhook {
  readonly webhook_id: string
  readonly url: string
  readonly state: string
  readonly disabled_reason: string | null
  readonly created_by: string
  readonly created_by_key_id: string | null
  readonly event_types: readonly string[]
  readonly asset_ids: readonly string[]
  readonly analysis_type: string | null
  readonly cursor: string | null
  readonly pending: number
  readonly dead_letters: number
  readonly failures_in_row: number
  readonly previous_secret_until: string | null
}
interface Events {
  readonly events: readonly {
    readonly cursor: string
    readonly state: string
    readonly event_id: string
    readonly asset_id: string
  }[]
  readonly next_cursor: string | null
  readonly total: number
}

interface WithSecret {
  readonly webhook: Webhook
  readonly secret: string
}
interface Refusal {
  readonly error: string
  readonly message: string
  readonly details?: readonly { readonly field: string; readonly message: string }[]
}

const URL_TEXT = 'https://hooks.example.com/changes'

let app: TestApp
let receiver: WebhookReceiver | undefined
beforeAll(async () => {
  app = await startTestApp(quickestDatabase(), {
    env: { WEBHOOK_PRIVATE_HOSTS: 'localhost', WEBHOOK_TIMEOUT_MS: '1000' },
  })
})
afterEach(() => receiver?.close())
afterAll(() => app?.close())

const post = <Body>(path: string, key: string, body: object = {}) =>
  app.rest<Body>(path, { key, method: 'POST', body })
const create = (key: string, body: object = {}) =>
  post<WithSecret>('/v1/webhooks', key, { url: URL_TEXT, ...body })

describe('a webhook', () => {
  it('is created with a secret that is shown once, in both styles, and begins with the next change', async () => {
    const key = await app.newKey({ tier: 'growth' })
    const made = await create(key, { asset_ids: ['bitcoin', 'bitcoin'], analysis_type: 'market_context' })
    expect(made.status).toBe(201)
    expect(made.body.secret).toMatch(/^whsec_[\w+/]{43}=$/)
    expect(made.body.webhook).toMatchObject({
      ...{ url: URL_TEXT, state: 'active', disabled_reason: null, asset_ids: ['bitcoin'] },
      ...{ analysis_type: 'market_context', pending: 0, dead_letters: 0, failures_in_row: 0 },
    })
    const changes = await app.rest<{ items: readonly { to_snapshot_id: string }[] }>(
      '/v1/ai-analysis/changes?limit=1',
      { key },
    )
    const [newest] = await app.database.rows<{ at: Date; id: number }>(
      'select computed_at as at, diff_id as id from analysis_change where to_snapshot_id = $1::uuid',
      [changes.body.items[0]?.to_snapshot_id],
    )
    expect(Buffer.from(made.body.webhook.cursor ?? '', 'base64url').toString()).toBe(
      JSON.stringify([newest?.at.toISOString(), newest?.id]),
    )
    const second = await app.graphql<{ create_webhook: WithSecret }>(
      `mutation { create_webhook(url: "${URL_TEXT}") { secret webhook { webhook_id } } }`,
      { key },
    )
    expect(second.body.data?.create_webhook.secret).toMatch(/^whsec_/)
    const list = await app.rest<{ webhooks: readonly Webhook[]; limit: number }>('/v1/webhooks', { key })
    expect(list.body.webhooks).toHaveLength(2)
    expect(list.body.limit).toBe(5)
    expect(list.text).not.toContain('whsec_')
    const one = await app.rest<Webhook>(`/v1/webhooks/${made.body.webhook.webhook_id}`, { key })
    expect(one.body).toEqual(made.body.webhook)
    // What is stored does not sign: the secret is nowhere in the database.
    const [stored] = await app.database.rows<{ text: string }>(
      'select string_agg(w::text, chr(10)) as text from webhook as w',
    )
    const secretBytes = Buffer.from(made.body.secret.slice(6), 'base64')
    expect(stored?.text).not.toContain(secretBytes.toString('hex'))
    expect(app.logLines.join('')).not.toContain('whsec_')
  })

  it.each([
    [{ url: 'http://hooks.example.com/' }, 'url'],
    [{ url: 'https://10.0.0.1/' }, 'url'],
    [{ asset_ids: [] }, 'asset_ids'],
    [{ asset_ids: Array.from({ length: 51 }, (_, at) => `asset-${at}`) }, 'asset_ids'],
    [{ cursor: 'nonsense' }, 'cursor'],
    [{ event_types: [] }, 'event_types'],
    [{ event_types: ['corporate_action.changed'] }, 'event_types'],
    [{ event_types: ['corporate_action.created'], analysis_type: 'regime' }, 'analysis_type'],
    [{ event_types: ['corporate_action.revised'], change_type: 'RESTATEMENT' }, 'change_type'],
  ])('is a 422 with %o', async (body, field) => {
    const { status, body: refusal } = await post<Refusal>('/v1/webhooks', await app.newKey({ tier: 'pro' }), {
      url: URL_TEXT,
      ...body,
    })
    expect([status, refusal.details?.[0]?.field]).toEqual([422, field])
  })

  it('gives 404 for an unknown asset, 403 without the scope, and 409 beyond the tier’s number', async () => {
    const key = await app.newKey({ tier: 'starter' })
    expect((await create(key, { asset_ids: ['no-such-asset'] })).status).toBe(404)
    expect((await create(key)).status).toBe(201)
    const refused = (await create(key)) as unknown as Answer<Refusal>
    expect([refused.status, refused.body.message]).toEqual([
      409,
      'An account on tier starter can have at most 1 webhook; delete one first.',
    ])
    expect((await create(await app.newKey({ tier: 'free' }))).status).toBe(403)
  })

  it('gets changes of analyses, or those that it names, and of corporate actions only with instruments:read', async () => {
    const key = await app.newKey({ tier: 'growth' })
    expect((await create(key)).body.webhook.event_types).toEqual(['ai_analysis.change'])
    const types = ['corporate_action.revised', 'corporate_action.created', 'corporate_action.revised']
    const made = await create(key, { event_types: types, asset_ids: ['apple'] })
    expect([made.status, made.body.webhook.event_types]).toEqual([
      201,
      ['corporate_action.created', 'corporate_action.revised'],
    ])
    const { body } = await app.graphql<{ create_webhook: WithSecret }>(
      `mutation { create_webhook(url: "${URL_TEXT}", event_types: ["ai_analysis.change", "corporate_action.created"]) {
        webhook { event_types } } }`,
      { key },
    )
    expect(body.data?.create_webhook.webhook.event_types).toEqual([
      'ai_analysis.change',
      'corporate_action.created',
    ])
    const narrowed = await app.newKey({ tier: 'growth', scopes: ['ai:read'] })
    const refused = (await create(narrowed, { event_types: types })) as unknown as Answer<Refusal>
    expect([refused.status, refused.body.message]).toEqual([403, expect.stringContaining('instruments:read')])
    expect((await create(narrowed)).status).toBe(201)
  })

  it('lists events of corporate actions with their type and id, and replays them from a cursor', async () => {
    const key = await app.newKey({ tier: 'growth' })
    const { webhook } = (await create(key, { event_types: ['corporate_action.created'] })).body
    const [change] = await app.database.prisma.corporateActionChange.findMany({
      orderBy: [{ computedAt: 'desc' }, { diffId: 'desc' }],
      take: 1,
    })
    const { diffId = 0n, computedAt = new Date(), assetId = 0, changeId } = change ?? {}
    const event = { webhookId: webhook.webhook_id, diffId, computedAt, assetId, feed: 'corporate_action' }
    const now = new Date()
    await app.database.prisma.webhookDelivery.create({
      data: { ...event, nextAttemptAt: now, state: 'delivered', settledAt: now },
    })
    const path = `/v1/webhooks/${webhook.webhook_id}`
    const { body } = await app.rest<Events>(`${path}/events`, { key })
    expect(body.events).toMatchObject([
      { event_id: `change_${changeId}`, event_type: 'corporate_action.created', state: 'delivered' },
    ])
    const feed = await app.rest<{ next_cursor: string }>('/v1/corporate-actions/changes?limit=1', { key })
    expect(feed.body.next_cursor).toBe(body.events[0]?.cursor)
    const replayed = await post<Webhook>(`${path}/replay`, key, { cursor: feed.body.next_cursor })
    expect([replayed.status, replayed.body.cursor]).toEqual([200, feed.body.next_cursor])
  })

  it('is paused, resumed, redirected and deleted, each in the audit', async () => {
    const key = await app.newKey({ tier: 'growth' })
    const { webhook } = (await create(key)).body
    const path = `/v1/webhooks/${webhook.webhook_id}`
    expect((await post<Webhook>(path, key, { state: 'paused' })).body.state).toBe('paused')
    const data = { state: 'disabled', disabledReason: 'failing', failuresInRow: 9 }
    await app.database.prisma.webhook.update({ where: { webhookId: webhook.webhook_id }, data })
    const url = 'https://other.example.com/'
    expect((await post<Webhook>(path, key, { state: 'active', url })).body).toMatchObject({
      ...{ state: 'active', disabled_reason: null, failures_in_row: 0, url },
    })
    expect((await post(path, key)).status).toBe(422)
    expect((await post(path, key, { url: 'https://10.0.0.1/' })).status).toBe(422)
    expect((await app.rest(path, { key, method: 'DELETE' })).status).toBe(204)
    expect((await app.rest(path, { key })).status).toBe(404)
    const events = await app.database.prisma.auditEvent.findMany({
      where: { details: { path: ['webhook_id'], equals: webhook.webhook_id } },
      select: { action: true },
      orderBy: { at: 'asc' },
    })
    expect(events.map(({ action }) => action).toSorted()).toEqual([
      ...['webhook_created', 'webhook_deleted', 'webhook_updated', 'webhook_updated'],
    ])
  })

  it('has a new secret after a rotation, and the old one beside it for the overlap', async () => {
    receiver = await startReceiver()
    const key = await app.newKey({ tier: 'growth' })
    const { webhook, secret } = (await create(key, { url: `${receiver.url}/hook` })).body
    const path = `/v1/webhooks/${webhook.webhook_id}`
    const rotated = await post<WithSecret>(`${path}/rotate-secret`, key, { overlap_hours: 2 })
    expect(rotated.status).toBe(200)
    expect(rotated.body.secret).not.toBe(secret)
    expect(rotated.body.webhook.previous_secret_until).toBe(
      new Date(app.clock.now().getTime() + 2 * 3_600_000).toISOString(),
    )
    expect((await post(`${path}/rotate-secret`, key, { overlap_hours: 169 })).status).toBe(422)
    const last = await post<WithSecret>(`${path}/rotate-secret`, key, { overlap_hours: 0 })
    expect(last.body.webhook.previous_secret_until).toBeNull()
  })

  it('shows how a receiver answers a test; one without a valid certificate gets nothing', async () => {
    receiver = await startReceiver()
    const key = await app.newKey({ tier: 'growth' })
    const { webhook } = (await create(key, { url: `${receiver.url}/hook` })).body
    const tested = await post<{ delivered: boolean; status: number | null; error: string }>(
      `/v1/webhooks/${webhook.webhook_id}/test`,
      key,
    )
    expect([tested.status, tested.body]).toMatchObject([200, { delivered: false, status: null }])
    expect(tested.body.error).toMatch(/^TLS failed/)
    expect(receiver.events).toEqual([])
  })

  it('is replayed from a cursor or with its dead letters, and lists its events', async () => {
    const key = await app.newKey({ tier: 'growth' })
    const { webhook } = (await create(key)).body
    const path = `/v1/webhooks/${webhook.webhook_id}`
    const changes = await app.database.rows<{ id: number; at: Date; asset: number }>(
      'select diff_id as id, computed_at as at, asset_id as asset from analysis_change order by computed_at, diff_id limit 3',
    )
    for (const [at, { id, at: computedAt, asset }] of changes.entries()) {
      const state = at === 0 ? 'dead' : 'delivered'
      const data = { webhookId: webhook.webhook_id, diffId: BigInt(id), computedAt, assetId: asset, state }
      await app.database.prisma.webhookDelivery.create({
        data: {
          ...data,
          attempts: 8,
          nextAttemptAt: computedAt,
          settledAt: app.clock.now(),
          lastError: 'status 500',
        },
      })
    }
    const page = await app.rest<Events>(`${path}/events?limit=2`, { key })
    expect(page.body.events.map(({ state }) => state)).toEqual(['delivered', 'delivered'])
    const older = await app.rest<Events>(`${path}/events?limit=2&cursor=${page.body.next_cursor}`, { key })
    expect([older.body.events.map(({ state }) => state), older.body.next_cursor]).toEqual([['dead'], null])
    expect([page.body.total, older.body.total]).toEqual([3, 3])
    const dead = await app.rest<Events>(`${path}/events?state=dead`, { key })
    expect([dead.body.events, dead.body.total]).toEqual([older.body.events, 1])
    expect((await app.rest<Webhook>(path, { key })).body).toMatchObject({ dead_letters: 1, pending: 0 })
    expect((await post(`${path}/replay`, key)).status).toBe(422)
    const cursor = older.body.events[0]?.cursor
    expect((await post(`${path}/replay`, key, { cursor, from: 'dead_letters' })).status).toBe(422)
    const revived = await post<Webhook>(`${path}/replay`, key, { from: 'dead_letters' })
    expect(revived.body).toMatchObject({ dead_letters: 0, pending: 1, cursor: webhook.cursor })
    const back = await post<Webhook>(`${path}/replay`, key, { cursor })
    expect(back.body).toMatchObject({ pending: 1, cursor })
    expect((await app.rest<Events>(`${path}/events`, { key })).body.events).toHaveLength(1)
  })

  it('lists its events with the selected fields: one statement for their changes, none for their assets', async () => {
    const key = await app.newKey({ tier: 'growth' })
    const { webhook_id: webhookId } = (await create(key)).body.webhook
    const fewest = async (fields: string) => {
      const counts: number[] = []
      for (let run = 0; run < 5; run++) {
        const before = app.database.statementCount()
        const query = `{ webhook_events(webhook_id: "${webhookId}") { events { ${fields} } } }`
        expect((await app.graphql(query, { key })).status).toBe(200)
        counts.push(app.database.statementCount() - before)
      }
      return Math.min(...counts)
    }
    const none = await fewest('cursor')
    for (const { diffId, computedAt, assetId } of await app.database.prisma.analysisChange.findMany({
      distinct: ['assetId'],
      take: 3,
    }))
      await app.database.prisma.webhookDelivery.create({
        data: { webhookId, diffId, computedAt, assetId, nextAttemptAt: computedAt },
      })
    expect(await fewest('cursor state attempts')).toBe(none)
    expect(await fewest('event_id')).toBe(none + 1)
    expect(await fewest('asset_id')).toBe(none)
    expect(await fewest('event_id asset_id')).toBe(none + 1)
  })

  it('leaves out events of removed assets, and pages the others', async () => {
    const key = await app.newKey({ tier: 'growth' })
    const { webhook_id: webhookId } = (await create(key)).body.webhook
    const { analysisChange, asset, webhookDelivery } = app.database.prisma
    const changes = await analysisChange.findMany({
      distinct: ['assetId'],
      take: 3,
      orderBy: [{ assetId: 'asc' }],
    })
    const REMOVED = 2_000_000_000
    const added = changes.map(({ diffId, computedAt, assetId }, at) => ({
      webhookId,
      diffId,
      computedAt,
      assetId: at === 1 ? REMOVED : assetId,
      nextAttemptAt: computedAt,
    }))
    await webhookDelivery.createMany({ data: added })
    const held = await asset.findMany({
      where: { assetId: { in: added.map(({ assetId }) => assetId) } },
      select: { slug: true },
    })
    const slugs = held.map(({ slug }) => slug).toSorted()
    expect(slugs).toHaveLength(2)
    const path = `/v1/webhooks/${webhookId}/events`
    const all = await app.rest<Events>(path, { key })
    expect(all.body.events.map(({ asset_id }) => asset_id).toSorted()).toEqual(slugs)
    const seen: string[] = []
    for (let at: string | null = `${path}?limit=1`; at !== null; ) {
      const { body }: { readonly body: Events } = await app.rest<Events>(at, { key })
      seen.push(...body.events.map(({ asset_id }) => asset_id))
      at = body.next_cursor === null ? null : `${path}?limit=1&cursor=${encodeURIComponent(body.next_cursor)}`
    }
    expect(seen.toSorted()).toEqual(slugs)
  })

  it('is read with the selected fields: one statement each for webhooks, assets and events', async () => {
    const key = await app.newKey({ tier: 'growth' })
    for (const slug of ['ethereum', 'bitcoin']) {
      await create(key, { asset_ids: ['solana', slug] })
      app.clock.advance(1) // the oldest are listed first
    }
    const fewest = async (fields: string) => {
      const counts: number[] = []
      // The fewest of several: what the process writes in the background is counted as well.
      for (let run = 0; run < 5; run++) {
        const before = app.database.statementCount()
        const query = `{ webhooks { limit webhooks { ${fields} } } }`
        expect((await app.graphql(query, { key })).status).toBe(200)
        counts.push(app.database.statementCount() - before)
      }
      return Math.min(...counts)
    }
    const one = await fewest('webhook_id')
    expect(await fewest('webhook_id url state cursor created_at last_error')).toBe(one)
    expect(await fewest('asset_ids')).toBe(one + 1)
    expect(await fewest('pending dead_letters')).toBe(one + 1)
    const all = await app.rest<{ webhooks: readonly Webhook[] }>('/v1/webhooks', { key })
    expect(all.body.webhooks.map(({ asset_ids }) => asset_ids)).toEqual([
      ['ethereum', 'solana'],
      ['bitcoin', 'solana'],
    ])
  })

  it('shows the remaining events after each change of one operation', async () => {
    const key = await app.newKey({ tier: 'growth' })
    const { webhook_id: webhookId } = (await create(key)).body.webhook
    const [change] = await app.database.rows<{ id: number; at: Date; asset: number }>(
      'select diff_id as id, computed_at as at, asset_id as asset from analysis_change limit 1',
    )
    if (change === undefined) throw new Error('there is no change')
    const { id, at, asset } = change
    const event = { webhookId, diffId: BigInt(id), computedAt: at, assetId: asset, nextAttemptAt: at }
    await app.database.prisma.webhookDelivery.create({
      data: { ...event, state: 'dead', settledAt: app.clock.now() },
    })
    const { body } = await app.graphql(
      `mutation {
        paused: update_webhook(webhook_id: "${webhookId}", state: paused) { state pending dead_letters }
        revived: replay_webhook(webhook_id: "${webhookId}", from: dead_letters) { state pending dead_letters }
      }`,
      { key },
    )
    expect(body.data).toEqual({
      paused: { state: 'paused', pending: 0, dead_letters: 1 },
      revived: { state: 'paused', pending: 1, dead_letters: 0 },
    })
  })

  it('is disabled when the key that created it is revoked; lists name that key', async () => {
    const key = await app.newKey({ tier: 'growth' })
    const second = await post<{ raw_key: string; key_id: string }>('/auth/keys', key, { label: 'second' })
    const { webhook } = (await create(second.body.raw_key)).body
    const { webhook: other } = (await create(key)).body
    const listed = await app.rest<{ webhooks: readonly Webhook[] }>('/v1/webhooks', { key })
    const makers = new Map(listed.body.webhooks.map((each) => [each.webhook_id, each]))
    expect(makers.get(webhook.webhook_id)).toMatchObject({
      created_by: second.body.raw_key.slice(0, 16),
      created_by_key_id: second.body.key_id,
    })
    expect(makers.get(other.webhook_id)).toMatchObject({ created_by: key.slice(0, 16) })
    const path = `/auth/keys/${second.body.key_id}`
    expect((await app.rest(path, { key, method: 'DELETE' })).status).toBe(204)
    const one = async (id: string) => (await app.rest<Webhook>(`/v1/webhooks/${id}`, { key })).body
    expect(await one(webhook.webhook_id)).toMatchObject({ state: 'disabled', disabled_reason: 'access_lost' })
    expect(await one(other.webhook_id)).toMatchObject({ state: 'active', disabled_reason: null })
  })

  it('is hidden from a narrowed key that has not created it', async () => {
    const key = await app.newKey({ tier: 'growth' })
    const narrow = await post<{ raw_key: string }>('/auth/keys', key, {
      label: 'narrow',
      scopes: ['ai:read'],
    })
    const { webhook } = (await create(key)).body
    const own = (await create(narrow.body.raw_key)).body.webhook
    const of = { key: narrow.body.raw_key }
    const listed = await app.rest<{ webhooks: readonly Webhook[] }>('/v1/webhooks', of)
    expect(listed.body.webhooks.map(({ webhook_id }) => webhook_id)).toEqual([own.webhook_id])
    const path = `/v1/webhooks/${webhook.webhook_id}`
    const statuses = [
      await app.rest(path, of),
      await app.rest(`${path}/events`, of),
      await app.rest(path, { ...of, method: 'DELETE' }),
      await post(path, of.key, { state: 'paused' }),
      await post(`${path}/test`, of.key),
      await post(`${path}/rotate-secret`, of.key),
      await post(`${path}/replay`, of.key, { from: 'dead_letters' }),
    ].map(({ status }) => status)
    expect(statuses).toEqual(Array.from({ length: 7 }, () => 404))
    expect((await app.rest(`/v1/webhooks/${own.webhook_id}`, { ...of, method: 'DELETE' })).status).toBe(204)
    const all = await app.rest<{ webhooks: readonly Webhook[] }>('/v1/webhooks', { key })
    expect(all.body.webhooks).toMatchObject([{ webhook_id: webhook.webhook_id, state: 'active' }])
  })

  it('is deleted with its account, and moves to the key that replaced its own', async () => {
    const email = `owner${Date.now()}@example.org`
    const key = await app.newKey({ tier: 'growth', email })
    const { webhook } = (await create(key)).body
    const keys = await app.rest<{ keys: readonly { key_id: string }[] }>('/auth/keys', { key })
    const rotated = await post<{ key_id: string }>(`/auth/keys/${keys.body.keys[0]?.key_id}/rotate`, key)
    const where = { webhookId: webhook.webhook_id }
    const stored = await app.database.prisma.webhook.findUniqueOrThrow({ where })
    expect(stored.keyId).toBe(rotated.body.key_id)
    await deleteAccount(app.access, stored.accountId)
    expect(await app.database.prisma.webhook.count({ where })).toBe(0)
  })
})

describe('the body of an event', () => {
  it('has the item of the list of changes, byte for byte', async () => {
    const key = await app.newKey({ tier: 'growth' })
    const { body } = await app.rest<{ items: readonly object[] }>('/v1/ai-analysis/changes?limit=50', { key })
    const rows = await app.database.rows<{ id: number }>(
      'select diff_id as id from analysis_change order by computed_at desc, diff_id desc limit 50',
    )
    const ids = rows.map(({ id }) => id)
    const due = ids.map((diffId) => ({ diffId, feed: 'ai_analysis' as const }))
    const messages = await loadMessages(app.database, due)
    const sent = ids.flatMap((id) => {
      const message = messages.get(id)
      return message === undefined ? [] : [JSON.parse(message.body) as { data: object }]
    })
    expect(body.items.length).toBeGreaterThan(3)
    expect(JSON.stringify(sent.map(({ data }) => data))).toBe(JSON.stringify(body.items))
  })
})
