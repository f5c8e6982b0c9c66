import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../support/app/app.js'
import { windowsOf } from '../support/app/limit-headers.js'
import { availableDatabases } from '../support/database/database.js'
import { noteFigures } from '../support/figures.js'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** Forth and back, and in the end where it began. */
const JUMPS = [
  ['an hour on', HOUR_MS],
  ['two hours back', -2 * HOUR_MS],
  ['a day on', DAY_MS],
  ['two days back', -2 * DAY_MS],
  ['three days on', 3 * DAY_MS],
  ['a second back', -1_000],
  ['to where it began', -(2 * DAY_MS - HOUR_MS - 1_000)],
] as const

const ACCOUNT = { email: 'clock@example.org', password: 'correct horse battery staple' }

describe.each(availableDatabases())('a clock that jumps under a gateway on %s', (kind) => {
  const findings: string[] = []
  let requests = 0
  let jumps = 0
  let app: TestApp
  let key: string

  beforeAll(async () => {
    app = await startTestApp(kind)
    key = await app.newKey({ tier: 'pro' })
    expect((await app.rest('/auth/register', { method: 'POST', body: ACCOUNT })).status).toBe(201)
  })
  afterAll(async () => {
    noteFigures({ part: `clock jumps on ${kind}`, done: { jumps, requests }, findings })
    await app?.close()
  })

  const ask = async (path: string, withKey = key) => {
    requests += 1
    return app.rest(path, { key: withKey })
  }
  /** Units of each window that are used, by its name and beginning. */
  const usedNow = async () => {
    const answer = await ask('/v1/forex?quote=USD&from=2026-11-01')
    expect(answer.status).toBe(200)
    const quotas = /"hour";q=(\d+)/.exec(answer.headers.get('ratelimit-policy') ?? '')
    const hour = windowsOf(answer).find(({ policy }) => policy === 'hour')
    return Number(quotas?.[1]) - (hour?.remaining ?? Number.NaN)
  }
  const login = async () => {
    const { status, body } = await app.rest<{ access_token: string }>('/auth/login', {
      method: 'POST',
      body: ACCOUNT,
    })
    return { status, token: body.access_token }
  }
  const meWith = async (token: string) =>
    (await app.rest('/auth/me', { headers: { authorization: `Bearer ${token}` } })).status

  it('counts each hour separately, continues a repeated hour, and always serves', async () => {
    const used = new Map<number, number>()
    for (const [name, ms] of JUMPS) {
      app.clock.advance(ms)
      jumps += 1
      const hour = Math.floor(app.clock.now().getTime() / HOUR_MS)
      const expected = (used.get(hour) ?? 0) + 1
      const counted = await usedNow()
      // An hour that was left may have been forgotten by its end; never may more be counted than was used.
      if (counted > expected || counted < 1) findings.push(`${name}: ${counted} used, not ${expected}`)
      used.set(hour, counted)
      for (const path of ['/readyz', '/healthz', '/v1/assets?limit=1']) {
        const { status } = await ask(path)
        if (status !== 200) findings.push(`${name}: ${path} is ${status}`)
      }
    }
    expect(findings).toEqual([])
  })

  it('ends tokens by the clock and accepts new ones, whatever time it shows', async () => {
    let before = await login() // an hour admits ten
    for (const [name, ms] of JUMPS) {
      app.clock.advance(ms)
      jumps += 1
      const after = await login()
      if (after.status !== 200) findings.push(`${name}: a login is ${after.status}`)
      else if ((await meWith(after.token)) !== 200) findings.push(`${name}: a new token is refused`)
      const isOver = ms >= DAY_MS
      const old = before.status === 200 ? await meWith(before.token) : 401
      if (isOver && old !== 401) findings.push(`${name}: a token of a day before is ${old}`)
      if (old !== 200 && old !== 401) findings.push(`${name}: an old token is ${old}`)
      before = after
    }
    expect(findings).toEqual([])
  })

  it('states the age of data by the clock, and never less than 0', async () => {
    for (const [name, ms] of JUMPS) {
      app.clock.advance(ms)
      jumps += 1
      requests += 1
      const { body } = await app.rest<{ _meta: { data_freshness_seconds: number } }>('/v1/assets?limit=2', {
        key,
      })
      const age = body._meta.data_freshness_seconds
      if (!(age >= 0)) findings.push(`${name}: the data are ${age} s old`)
    }
    expect(findings).toEqual([])
  })
})
