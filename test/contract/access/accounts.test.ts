import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  LOGINS_PER_ACCOUNT_AND_ADDRESS,
  LOGINS_PER_ADDRESS,
  REGISTRATIONS_PER_ADDRESS,
} from '../../../src/domains/access/model.js'
import {
  type Answer,
  type CallOptions,
  startTestApp,
  type TestApp,
  TestClock,
} from '../../support/app/app.js'
import { quickestDatabase } from '../../support/database/database.js'

interface Refusal {
  readonly error: string
  readonly message: string
  readonly details?: readonly { readonly field: string; readonly message: string }[]
  readonly request_id: string
}

interface Login {
  readonly access_token: string
  readonly token_type: string
  readonly expires_in: number
  readonly user: {
    readonly id: string
    readonly email: string
    readonly tier: string
    readonly created_at: string
  }
}

interface CreatedKey {
  readonly key_id: string
  readonly raw_key: string
}

const PASSWORD = 'correct horse battery'

const median = (numbers: readonly number[]) =>
  [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0

describe('accounts', () => {
  let app: TestApp
  let addresses = 0
  beforeAll(async () => {
    // Throttles run on the system's clock, so the test's begins with it.
    app = await startTestApp(quickestDatabase(), {
      world: 'seeded',
      clock: new TestClock(new Date()),
      env: { TRUST_PROXY: 'true' },
    })
  })
  afterAll(() => app?.close())

  /** An address nobody asked from before. */
  const newAddress = () => {
    addresses += 1
    return `192.0.2.${addresses}`
  }
  const from = (address: string) => ({ 'x-forwarded-for': address })
  const send = <Body = Refusal>(path: string, body: unknown, address = newAddress()) =>
    app.rest<Body>(path, { method: 'POST', body, headers: from(address) })
  const register = (email: string, password = PASSWORD) => send<Login>('/auth/register', { email, password })
  const login = (email: string, password = PASSWORD, address?: string) =>
    send<Login & Refusal>('/auth/login', { email, password }, address)
  const bearer = (token: string): CallOptions => ({ headers: { authorization: `Bearer ${token}` } })
  const remainingOf = (answer: Answer) => Number(answer.headers.get('x-ratelimit-remaining'))

  it('work from registration to deletion, which keeps only the usage totals', async () => {
    const registered = await register('Ada.Lovelace@Example.org')
    expect(registered.status).toBe(201)
    expect(registered.body).toMatchObject({ token_type: 'bearer', expires_in: 3600 })
    expect(registered.body.user).toMatchObject({ email: 'ada.lovelace@example.org', tier: 'free' })
    const { status, body } = await login('ADA.lovelace@example.org')
    expect(status).toBe(200)
    expect(body.user).toEqual(registered.body.user)
    const token = bearer(body.access_token)

    const me = await app.rest('/auth/me', token)
    const graphql = await app.graphql('{ me { id email tier created_at } }', token)
    expect([me.body, graphql.body.data]).toEqual([registered.body.user, { me: registered.body.user }])
    expect(remainingOf(await app.rest('/v1/assets/bitcoin', token))).toBe(13)
    expect((await app.graphql('{ asset(id: "bitcoin") { data { ticker } } }', token)).status).toBe(200)
    const made = await app.rest<CreatedKey>('/auth/keys', {
      ...token,
      method: 'POST',
      body: { label: 'mine' },
    })
    expect([made.status, remainingOf(made)]).toEqual([201, 11])
    const key = made.body.raw_key
    expect(remainingOf(await app.rest('/v1/assets/bitcoin', { key }))).toBe(10)

    const used = await app.rest<{ days: unknown }>('/v1/usage', { key })
    const gone = await app.rest('/auth/me', { ...token, method: 'DELETE' })
    expect([gone.status, gone.text]).toEqual([204, ''])
    for (const dead of [{ key }, token]) {
      expect((await app.rest('/auth/me', dead)).status).toBe(401)
      expect((await app.graphql('{ me { id } }', dead)).status).toBe(401)
    }
    expect((await login('ada.lovelace@example.org')).status).toBe(401)

    const { id } = registered.body.user
    const [account] = await app.database.rows(
      'select email, password_hash as hash, deleted_at is not null as gone from account where account_id = $1',
      [id],
    )
    expect(account).toEqual({ email: null, hash: null, gone: true })
    const [keys] = await app.database.rows(
      `select count(*) as active from api_key where account_id = $1 and (revoked_at is null or label <> '')`,
      [id],
    )
    expect(keys).toEqual({ active: 0 })
    const kept = await app.database.rows(
      `select operation, sum(units)::int as units from usage_day where account_id = $1 group by operation order by operation`,
      [id],
    )
    expect(kept).toEqual([
      { operation: 'asset', units: 3 },
      { operation: 'create_api_key', units: 1 },
    ])
    expect(used.body.days).toHaveLength(2)
    const again = await register('ada.lovelace@example.org')
    expect([again.status, again.body.user.id === id]).toEqual([201, false])
  })

  it('work the same through GraphQL', async () => {
    const ask = (mutation: string) =>
      app.graphql<{ answer: Login }>(
        `mutation { answer: ${mutation} { access_token expires_in user { email tier } } }`,
        {
          headers: from(newAddress()),
        },
      )
    const arguments_ = `(email: "graph@example.org", password: "${PASSWORD}")`
    const registered = await ask(`register${arguments_}`)
    expect(registered.body.data?.answer.user).toEqual({ email: 'graph@example.org', tier: 'free' })
    const token = (await ask(`login${arguments_}`)).body.data?.answer.access_token ?? ''
    const gone = await app.graphql('mutation { delete_me }', bearer(token))
    expect([gone.body.data, gone.body.extensions?.cost?.charged]).toEqual([{ delete_me: true }, 0])
    const refused = await ask(`login${arguments_}`)
    expect([refused.status, refused.body.errors?.[0]?.extensions.code]).toEqual([401, 'UNAUTHORIZED'])
  })

  it('have tokens that end after 3600 seconds and fail if changed or created elsewhere', async () => {
    const { body } = await register('token@example.org')
    const token = body.access_token
    const [head, payload, signature] = token.split('.')
    const other = Buffer.from(JSON.stringify({ sub: body.user.id, exp: 9_999_999_999 })).toString('base64url')
    const unsigned = Buffer.from(JSON.stringify({ alg: 'none' })).toString('base64url')
    for (const bad of [`${head}.${other}.${signature}`, `${unsigned}.${payload}.`, 'x', `${token}x`]) {
      expect((await app.rest('/auth/me', bearer(bad))).status).toBe(401)
    }
    expect((await app.rest('/auth/me', { headers: { authorization: `Basic ${token}` } })).status).toBe(401)
    app.clock.advance(3_599_000)
    expect((await app.rest('/auth/me', bearer(token))).status).toBe(200)
    app.clock.advance(1_000)
    expect((await app.rest('/auth/me', bearer(token))).status).toBe(401)
    app.clock.advance(-3_600_000)
  })

  it.each(['admin', '', '0', 'a'.repeat(1_000)])(
    'a token with our signature for "%s" is 401 alike',
    async (subject) => {
      const token = await app.access.tokens.sign(subject, app.clock.now())
      const rest = await app.rest<Refusal>('/auth/me', bearer(token))
      const graphql = await app.graphql('{ me { id } }', bearer(token))
      expect([rest.status, rest.body.error]).toEqual([401, 'unauthorized'])
      expect([graphql.status, graphql.body.errors?.[0]?.extensions.code]).toEqual([401, 'UNAUTHORIZED'])
    },
  )

  it('give the same answer, in about the same time, for an unknown e-mail and a wrong password', async () => {
    const known = ['k1@example.org', 'k2@example.org', 'k3@example.org']
    for (const email of known) expect((await register(email)).status).toBe(201)
    const timed = async (email: string) => {
      const startedAt = performance.now()
      const answer = await login(email, 'wrong horse battery')
      return { answer, ms: performance.now() - startedAt }
    }
    const times = { known: [] as number[], unknown: [] as number[] }
    const answers: unknown[] = []
    for (let round = 0; round < 15; round++) {
      const knownOne = await timed(known[round % known.length] ?? '')
      const unknownOne = await timed(`nobody-${round}@example.org`)
      times.known.push(knownOne.ms)
      times.unknown.push(unknownOne.ms)
      for (const { answer } of [knownOne, unknownOne]) {
        const { request_id: _, ...body } = answer.body
        answers.push([answer.status, body, [...answer.headers.keys()]])
      }
    }
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
    expect(answers[0]).toEqual([
      401,
      { error: 'unauthorized', message: 'E-mail or password is wrong.' },
      expect.anything(),
    ])
    process.stdout.write(
      `login, median of ${times.known.length}: known e-mail ${median(times.known).toFixed(1)} ms, unknown e-mail ${median(times.unknown).toFixed(1)} ms\n`,
    )
  })

  it.each([
    ['an address', { email: 'not an address', password: PASSWORD }, ['email']],
    ['a longer password', { email: 'short@example.org', password: 'elevenchars' }, ['password']],
    ['a shorter password', { email: 'long@example.org', password: 'x'.repeat(129) }, ['password']],
    ['both', { email: '', password: '' }, ['email', 'password']],
    ['a password', { email: 'none@example.org' }, ['password']],
    ['text', { email: 7, password: PASSWORD }, ['email']],
    ['nothing of our own', { email: 'own@example.org', password: PASSWORD, tier: 'pro' }, ['tier']],
  ])('register only with %s: 422 names the field', async (_what, body, fields) => {
    const answer = await send('/auth/register', body)
    expect([answer.status, answer.body.error]).toEqual([422, 'validation_error'])
    expect(answer.body.details?.map(({ field }) => field)).toEqual(fields)
    expect(answer.text).not.toContain(PASSWORD)
  })

  it('register an e-mail with its password once, in any case: 409', async () => {
    expect((await register('twice@example.org')).status).toBe(201)
    expect((await register('Twice@Example.ORG')).status).toBe(409)
  })

  it('throttle logins per account and address and per address, and registrations per address', async () => {
    await register('hammered@example.org')
    const statuses: number[] = []
    const guesser = newAddress()
    for (let attempt = 0; attempt < LOGINS_PER_ACCOUNT_AND_ADDRESS.limit; attempt++) {
      statuses.push((await login('hammered@example.org', 'wrong horse battery', guesser)).status)
    }
    expect(new Set(statuses)).toEqual(new Set([401]))
    const byAccount = await login('hammered@example.org', PASSWORD, guesser)
    expect((await login('hammered@example.org')).status).toBe(200)
    const mallory = newAddress()
    // One after the other: a busy node refuses what would wait for too many passwords ahead of it, and does not count that.
    const many = async (count: number, path: string, body: (index: number) => unknown, address: string) => {
      let refused = 0
      for (let index = 0; index < count; index += 1)
        refused += (await send(path, body(index), address)).status === 429 ? 1 : 0
      return refused
    }
    const guess = (index: number) => ({
      email: `guess-${index}@example.org`,
      password: 'wrong horse battery',
    })
    expect(await many(LOGINS_PER_ADDRESS.limit + 2, '/auth/login', guess, mallory)).toBe(2)
    expect(await many(1, '/auth/register', guess, mallory)).toBe(1)
    expect(await many(REGISTRATIONS_PER_ADDRESS.limit + 2, '/auth/register', guess, newAddress())).toBe(2)
    const byAddress = await login('somebody@example.org', PASSWORD, mallory)
    for (const refused of [byAccount, byAddress]) {
      expect([refused.status, refused.body.error]).toEqual([429, 'rate_limit_exceeded'])
      const wait = Number(refused.headers.get('retry-after'))
      expect(wait).toBeGreaterThan(0)
      // The window runs on the system's clock; the test's has not moved since the beginning.
      expect(wait).toBeLessThan(16 * 60)
    }
    expect((await login('token@example.org')).status).toBe(200)
  })

  it('put no e-mail, password or token in a log line or an audit row', async () => {
    const { body } = await register('secret@example.org')
    await app.rest('/auth/me', bearer(body.access_token))
    const audit = await app.database.rows('select * from audit_event')
    const kept = app.logLines.join('') + JSON.stringify(audit)
    expect(audit.length).toBeGreaterThan(10)
    for (const secret of ['example.org', 'horse battery', body.access_token])
      expect(kept).not.toContain(secret)
  })
})
