import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type {
  ApiKeyCreateResponse,
  ApiKeyInfo,
  ApiKeyListResponse,
} from '../../../src/domains/access/keys/key-model.js'
import { createAccountWithKey } from '../../../src/domains/access/operator.js'
import type { Tier } from '../../../src/policy/tiers.js'
import { type CallOptions, startTestApp, type TestApp } from '../../support/app/app.js'
import { quickestDatabase } from '../../support/database/database.js'
import { eventually } from '../../support/eventually.js'

interface Refusal {
  readonly error: string
  readonly message: string
  readonly required_scope?: string
  readonly upgrade_url?: string
  readonly details?: readonly { readonly field: string; readonly message: string }[]
}

const HOUR_MS = 3_600_000
/** In the order of the scope table. */
const NARROW = ['keys:manage', 'ai:read']
const NOWHERE = '3f2b8c1e-5d4a-4b6f-9a7e-2c1d0e9f8a7b'

describe('keys', () => {
  let app: TestApp
  /** Every key that was made, to look for where none may be. */
  const rawKeys: string[] = []
  beforeAll(async () => {
    app = await startTestApp(quickestDatabase())
  })
  afterAll(() => app?.close())

  async function account(tier: Tier = 'growth') {
    const made = await createAccountWithKey(app.access, { tier, label: 'first' })
    rawKeys.push(made.raw_key)
    return made
  }
  async function create(key: string, body: unknown, headers: CallOptions['headers'] = {}) {
    const answer = await app.rest<ApiKeyCreateResponse & Refusal>('/auth/keys', {
      key,
      method: 'POST',
      body,
      headers,
    })
    if (answer.status === 201) rawKeys.push(answer.body.raw_key)
    return answer
  }
  const rotate = (key: string, keyId: string, body?: unknown) =>
    app.rest<ApiKeyCreateResponse & Refusal>(`/auth/keys/${keyId}/rotate`, { key, method: 'POST', body })
  const revoke = (key: string, keyId: string) =>
    app.rest<Refusal>(`/auth/keys/${keyId}`, { key, method: 'DELETE' })
  const info = (key: string, keyId: string) => app.rest<ApiKeyInfo & Refusal>(`/auth/keys/${keyId}`, { key })
  const list = async (key: string) => (await app.rest<ApiKeyListResponse>('/auth/keys', { key })).body
  /** Both transports must agree on whether a key works. */
  async function statusOf(key: string): Promise<number> {
    const [rest, graphql] = [await app.rest('/auth/me', { key }), await app.graphql('{ me { id } }', { key })]
    expect(graphql.status).toBe(rest.status)
    return rest.status
  }

  it('are read with one query for the selected fields, including nested selections of a model', async () => {
    const own = await account()
    const fewest = async (query: string) => {
      const counts: number[] = []
      // The fewest of several: what the process writes in the background is counted as well.
      for (let run = 0; run < 5; run++) {
        const before = app.database.statementCount()
        expect((await app.graphql(query, { key: own.raw_key })).status).toBe(200)
        counts.push(app.database.statementCount() - before)
      }
      return Math.min(...counts)
    }
    const one = await fewest('{ me { id } }')
    expect(await fewest('{ me { id email tier created_at } }')).toBe(one)
    // The account with the number of its keys; the keys that work; those that do not.
    expect(await fewest('{ api_keys { total keys { label } } }')).toBe(one + 2)
    // Both reads of keys with their account.
    expect(await fewest('{ api_keys { total keys { label tier } } }')).toBe(one + 4)
    for (const label of ['second', 'third']) await create(own.raw_key, { label })
    expect(await fewest('{ api_keys { total keys { label tier scopes is_active } } }')).toBe(one + 4)
  })

  it('are created, listed and described alike in REST and GraphQL, with the hourly quota of the account', async () => {
    const own = await account()
    const expiresAt = new Date(app.clock.now().getTime() + HOUR_MS).toISOString()
    const made = await create(own.raw_key, {
      label: ' dashboard ',
      scopes: ['ohlcv:intraday', 'ai:read'],
      expires_at: expiresAt,
    })
    expect(made.status).toBe(201)
    const { raw_key, warning, ...shown } = made.body
    expect([raw_key.slice(0, 16), warning]).toEqual([shown.key_prefix, expect.stringMatching(/once/)])
    expect(shown).toMatchObject({
      label: 'dashboard',
      tier: 'growth',
      scopes: ['ai:read', 'ohlcv:intraday'],
      expires_at: expiresAt,
    })
    await app.rest('/v1/assets', { key: raw_key })
    // When a key was last used is written in the background.
    await eventually(async () => {
      const { keys } = await list(own.raw_key)
      expect(keys.map(({ last_used_at }) => last_used_at)).not.toContain(null)
    })
    const described = await info(own.raw_key, shown.key_id)
    const state = { is_active: true, last_used_at: described.body.last_used_at }
    expect(described.body).toEqual({
      id: shown.key_id,
      ...shown,
      ...state,
      created_by_key_id: own.key_id,
      // Of the key that is asked about, not of the other one of the account.
      usage_current_window: 1,
      quota_per_hour: 1_389,
    })
    const FIELDS =
      'key_id key_prefix label tier scopes created_at expires_at last_used_at is_active created_by_key_id url_use { operations interfaces hourly_units } clock { as_of basis }'
    const graphql = await app.graphql<{ api_key: unknown; api_keys: unknown }>(
      `{ api_key(key_id: "${shown.key_id}") { id ${FIELDS} usage_current_window quota_per_hour } api_keys { keys { ${FIELDS} } total } }`,
      { key: own.raw_key },
    )
    const listed = await list(own.raw_key)
    expect(graphql.body.data).toEqual({ api_key: described.body, api_keys: listed })
    expect([listed.total, listed.keys.map(({ key_id }) => key_id).sort()]).toEqual([
      2,
      [own.key_id, shown.key_id].sort(),
    ])
    app.clock.advance(HOUR_MS)
    expect(await statusOf(raw_key)).toBe(401)
    expect((await info(own.raw_key, shown.key_id)).body).toMatchObject({
      is_active: false,
      usage_current_window: 0,
    })
  })

  it('rotate with a grace period: the old key works until its end, the new one at once', async () => {
    const own = await account()
    const old = (await create(own.raw_key, { label: 'rotated', scopes: ['ai:read'] })).body
    const next = await rotate(own.raw_key, old.key_id, { grace_seconds: 60 })
    rawKeys.push(next.body.raw_key)
    expect([next.status, next.body.label, next.body.scopes]).toEqual([201, 'rotated', ['ai:read']])
    expect(next.body.key_id).not.toBe(old.key_id)
    expect([await statusOf(old.raw_key), await statusOf(next.body.raw_key)]).toEqual([200, 200])
    expect((await rotate(own.raw_key, old.key_id)).status).toBe(409)
    app.clock.advance(59_999)
    expect(await statusOf(old.raw_key)).toBe(200)
    app.clock.advance(1)
    expect([await statusOf(old.raw_key), await statusOf(next.body.raw_key)]).toEqual([401, 200])
    const last = await rotate(own.raw_key, next.body.key_id)
    rawKeys.push(last.body.raw_key)
    expect([await statusOf(next.body.raw_key), await statusOf(last.body.raw_key)]).toEqual([401, 200])
    const tooLong = await rotate(own.raw_key, own.key_id, { grace_seconds: 604_801 })
    expect([tooLong.status, tooLong.body.details?.[0]?.field]).toEqual([422, 'grace_seconds'])
  })

  it('are revoked at once and repeatedly, free of charge even with a spent quota', async () => {
    const own = await account('free')
    const doomed = (await create(own.raw_key, { label: 'doomed' })).body
    expect(await statusOf(doomed.raw_key)).toBe(200)
    for (let call = 0; call < 13; call++) await app.rest('/v1/assets', { key: own.raw_key })
    expect((await app.rest('/v1/assets', { key: own.raw_key })).status).toBe(429)
    expect((await revoke(own.raw_key, doomed.key_id)).status).toBe(204)
    expect(await statusOf(doomed.raw_key)).toBe(401)
    expect((await revoke(own.raw_key, doomed.key_id)).status).toBe(204)
    const { keys } = await list(own.raw_key)
    expect(keys.map(({ label, is_active }) => [label, is_active])).toEqual([
      ['first', true],
      ['doomed', false],
    ])
  })

  it.each([
    ['a label of 101 characters', { label: 'x'.repeat(101) }, 'label'],
    ['no label', {}, 'label'],
    ['a label of blanks', { label: '  ' }, 'label'],
    ['an unknown scope', { label: 'x', scopes: ['ai:raed'] }, 'scopes'],
    ['an end in the past', { label: 'x', expires_at: '2026-01-01T00:00:00Z' }, 'expires_at'],
    ['an end that is no instant', { label: 'x', expires_at: 'tomorrow' }, 'expires_at'],
    ['a tier', { label: 'x', tier: 'pro' }, 'tier'],
    ['is_active', { label: 'x', is_active: true }, 'is_active'],
    ['a key_id', { label: 'x', key_id: NOWHERE }, 'key_id'],
    ['a raw_key', { label: 'x', raw_key: 'mdg_test_mine' }, 'raw_key'],
  ])('are not created with %s: 422 names the field, and nothing is charged', async (_what, body, field) => {
    const own = await account()
    const answer = await create(own.raw_key, body)
    expect([answer.status, answer.body.error]).toEqual([422, 'validation_error'])
    expect(answer.body.details?.map((detail) => detail.field)).toEqual([field])
    expect((await list(own.raw_key)).total).toBe(1)
    expect(answer.headers.get('x-ratelimit-remaining')).toBe('1389')
  })

  it('accept a label of 100 characters', async () => {
    expect((await create((await account()).raw_key, { label: 'é'.repeat(100) })).status).toBe(201)
  })

  it('are created once per Idempotency-Key: a replay is 409 with the key_id, another body is another 409', async () => {
    const own = await account()
    const headers = { 'idempotency-key': 'order-1' }
    const first = await create(own.raw_key, { label: 'once' }, headers)
    const replay = await create(own.raw_key, { label: 'once' }, headers)
    const other = await create(own.raw_key, { label: 'another' }, headers)
    for (const refused of [replay, other]) {
      expect([refused.status, refused.body.error]).toEqual([409, 'conflict'])
      expect(refused.body.details).toEqual([{ field: 'key_id', message: first.body.key_id }])
      expect(refused.text).not.toContain(first.body.raw_key)
    }
    expect([replay.body.message, other.body.message]).toEqual([
      expect.stringMatching(/already/),
      expect.stringMatching(/another body/),
    ])
    const graphql = await app.graphql('mutation { create_api_key(label: "once") { key_id } }', {
      key: own.raw_key,
      headers,
    })
    expect([graphql.status, graphql.body.errors?.[0]?.extensions.code]).toEqual([409, 'CONFLICT'])
    expect((await list(own.raw_key)).total).toBe(2)
    expect((await create((await account()).raw_key, { label: 'once' }, headers)).status).toBe(201)
  })

  it('of another account give 404 on every route and field, and keep working', async () => {
    const [own, other] = [await account('enterprise'), await account()]
    const ask = async (keyId: string) => {
      const rest = [
        await info(own.raw_key, keyId),
        await rotate(own.raw_key, keyId),
        await revoke(own.raw_key, keyId),
      ]
      const fields = ['{ api_key', 'mutation { rotate_api_key', 'mutation { revoke_api_key']
      const graphql = await Promise.all(
        fields.map((field, index) =>
          app.graphql(`${field}(key_id: "${keyId}") ${index < 2 ? '{ key_id }' : ''} }`, {
            key: own.raw_key,
          }),
        ),
      )
      return [
        ...rest.map(({ status, body }) => [status, body.message]),
        ...graphql.map(({ status, body }) => [status, body.errors?.[0]?.message]),
      ]
    }
    const answers = await ask(other.key_id)
    expect(answers.map(([status]) => status)).toEqual([404, 404, 404, 404, 404, 404])
    expect(answers).toEqual(await ask(NOWHERE))
    expect(await statusOf(other.raw_key)).toBe(200)
    expect((await list(own.raw_key)).keys.map(({ key_id }) => key_id)).toEqual([own.key_id])
  })

  it('cannot grant missing scopes: 403 names the scope; a narrowed key creates narrowed keys', async () => {
    const own = await account()
    const starter = await app.newKey({ tier: 'starter' })
    const beyondTier = await create(starter, { label: 'x', scopes: ['history:full'] })
    expect([beyondTier.status, beyondTier.body.required_scope]).toEqual([403, 'history:full'])
    const narrow = (await create(own.raw_key, { label: 'narrow', scopes: NARROW })).body
    const beyondKey = await create(narrow.raw_key, { label: 'x', scopes: ['ai:read', 'etf:read'] })
    expect([beyondKey.status, beyondKey.body.required_scope]).toEqual([403, 'etf:read'])
    const rotated = await rotate(narrow.raw_key, own.key_id)
    expect([rotated.status, rotated.body.message]).toEqual([403, expect.stringContaining('narrowed to')])
    expect(await statusOf(own.raw_key)).toBe(200)
    expect((await create(narrow.raw_key, { label: 'child' })).body.scopes).toEqual(NARROW)
    const graphql = await app.graphql(
      'mutation { create_api_key(label: "x", scopes: ["etf:read"]) { key_id } }',
      { key: narrow.raw_key },
    )
    expect([graphql.status, graphql.body.errors?.[0]?.extensions.required_scope]).toEqual([403, 'etf:read'])
    for (const refused of [beyondTier, beyondKey, rotated])
      expect(refused.body.upgrade_url).toMatch(/^https:/)
    expect(graphql.body.errors?.[0]?.extensions.upgrade_url).toMatch(/^https:/)
    expect(beyondTier.body.message).toContain(
      'it comes with tier growth and above; the account has tier starter.',
    )
    expect(beyondKey.body.message).toContain('your key is narrowed to keys:manage, ai:read.')
  })

  it('manage keys only if not narrowed or narrowed to keys:manage; all may read the account and usage', async () => {
    const own = await account()
    const narrow = (await create(own.raw_key, { label: 'narrow', scopes: ['ai:read'] })).body
    const refusals = [
      await create(narrow.raw_key, { label: 'x' }),
      await rotate(narrow.raw_key, narrow.key_id),
      await revoke(narrow.raw_key, own.key_id),
      await info(narrow.raw_key, own.key_id),
      await app.rest<Refusal>('/auth/keys', { key: narrow.raw_key }),
    ]
    for (const { status, body } of refusals) {
      expect([status, body.required_scope]).toEqual([403, 'keys:manage'])
      expect(body.message).toBe('This needs the scope keys:manage: your key is narrowed to ai:read.')
      expect(body.upgrade_url).toMatch(/^https:/)
    }
    expect((await list(own.raw_key)).keys.every(({ is_active }) => is_active)).toBe(true)
    for (const path of ['/auth/me', '/v1/usage'])
      expect((await app.rest(path, { key: narrow.raw_key })).status).toBe(200)

    const manager = (await create(own.raw_key, { label: 'manager', scopes: ['keys:manage'] })).body
    expect((await create(manager.raw_key, { label: 'made' })).body.scopes).toEqual(['keys:manage'])
    expect((await revoke(manager.raw_key, narrow.key_id)).status).toBe(204)
    expect(await statusOf(narrow.raw_key)).toBe(401)
  })

  it('cannot delete the account, which needs a token: 403 in both APIs', async () => {
    const own = await account('enterprise')
    const rest = await app.rest<Refusal>('/auth/me', { key: own.raw_key, method: 'DELETE' })
    const graphql = await app.graphql('mutation { delete_me }', { key: own.raw_key })
    const message = (login: string) =>
      `This needs an access token, which ${login} gives; an API key is not enough.`
    expect([rest.status, rest.body.message]).toEqual([403, message('POST /auth/login')])
    expect(rest.body.upgrade_url).toMatch(/^https:/)
    expect([graphql.status, graphql.body.errors?.[0]?.message]).toEqual([403, message('the field login')])
    expect(await statusOf(own.raw_key)).toBe(200)
  })

  it('create keys that end no later: a later end is 422, no end becomes that of the creator', async () => {
    const own = await account()
    const end = new Date(app.clock.now().getTime() + HOUR_MS)
    const maker = (await create(own.raw_key, { label: 'ends', expires_at: end.toISOString() })).body
    const later = new Date(end.getTime() + 1).toISOString()
    const refused = await create(maker.raw_key, { label: 'x', expires_at: later })
    expect([refused.status, refused.body.details?.map(({ field }) => field)]).toEqual([422, ['expires_at']])
    const child = await create(maker.raw_key, { label: 'child' })
    expect([child.status, child.body.expires_at]).toEqual([201, end.toISOString()])
    const rotated = await rotate(maker.raw_key, own.key_id)
    expect([rotated.status, rotated.body.message]).toEqual([
      403,
      expect.stringContaining('A key cannot create a key that expires later'),
    ])
    expect(await statusOf(own.raw_key)).toBe(200)
  })

  it('are shown once: no later answer and no log line contains one', async () => {
    const own = await account()
    const { body } = await create(own.raw_key, { label: 'seen once' })
    const later = [
      await app.rest('/auth/keys', { key: body.raw_key }),
      await info(own.raw_key, body.key_id),
      await app.rest('/v1/usage', { key: body.raw_key }),
      await app.rest('/v1/assets?limit=0', { key: body.raw_key }),
      await app.graphql('{ api_keys { keys { key_id key_prefix } } }', { key: body.raw_key }),
    ]
    const seen = later.map(({ text }) => text).join('') + app.logLines.join('')
    expect(rawKeys.length).toBeGreaterThan(15)
    expect(app.logLines.length).toBeGreaterThan(50)
    for (const key of rawKeys) expect(seen).not.toContain(key)
  })
})
