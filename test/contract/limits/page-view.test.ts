import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccountWithKey } from '../../../src/domains/access/operator.js'
import { PAGE_VIEW_UNITS, QUOTAS } from '../../../src/policy/limits.js'
import { startTestApp, type TestApp } from '../../support/app/app.js'
import { quickestDatabase } from '../../support/database/database.js'

const PAGES = ['1', '2', '3'].map((digit) => digit.repeat(32)) as [string, string, string]
const DEAREST = PAGE_VIEW_UNITS

/** A query of that many units. */
const queryOf = (units: number) =>
  `{ ${Array.from({ length: units }, (_, place) => `a${place}: assets(limit: 1) { data { ticker } }`).join(' ')} }`

describe('requests of one page of the portal', () => {
  let app: TestApp
  beforeAll(async () => {
    app = await startTestApp(quickestDatabase())
  })
  afterAll(() => app?.close())

  const signIn = async () => {
    const { account_id, raw_key } = await createAccountWithKey(app.access, { tier: 'free', label: 'reader' })
    const token = await app.access.tokens.sign(account_id, app.clock.now())
    const ask = (view: string | null, path: string, call: { method?: string; body?: unknown } = {}) =>
      app.rest(path, {
        ...call,
        headers: { authorization: `Bearer ${token}`, ...(view !== null && { 'x-page-view': view }) },
      })
    const query = (view: string, units: number) =>
      ask(view, '/graphql', { method: 'POST', body: { query: queryOf(units) } })
    const used = async () => {
      const { body } = await app.rest<{ policies: readonly { policy: string; used: number }[] }>(
        '/v1/usage',
        {
          headers: { authorization: `Bearer ${token}` },
        },
      )
      return Object.fromEntries(body.policies.map(({ policy, used }) => [policy, used]))
    }
    return { ask, query, used, key: raw_key }
  }

  it('cost a signed-in account one unit together, sent at once or one after another', async () => {
    const { ask, used } = await signIn()
    const paths = [
      '/v1/assets',
      '/v1/assets/bitcoin',
      '/v1/assets/ethereum',
      '/v1/forex?quote=USD',
      '/v1/assets/solana',
    ]
    const answers = await Promise.all(paths.map((path) => ask(PAGES[0], path)))
    for (const path of paths) answers.push(await ask(PAGES[0], path))
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
    expect(answers.at(-1)?.headers.get('x-ratelimit-remaining')).toBe(String(QUOTAS.free.hour - 1))
    expect(await used()).toMatchObject({ hour: 1, month: 1 })
    await ask(PAGES[1], '/v1/assets')
    expect(await used()).toMatchObject({ hour: 2, month: 2 })
  })

  it('are charged as elsewhere beyond the units that a page covers', async () => {
    const { query, used } = await signIn()
    expect((await query(PAGES[0], DEAREST - 4)).status).toBe(200)
    expect((await query(PAGES[0], 5)).status).toBe(200)
    expect(await used()).toMatchObject({ hour: 6, month: 6 })
    expect((await query(PAGES[0], 4)).status).toBe(200)
    expect(await used()).toMatchObject({ hour: 6, month: 6 })
    expect((await query(PAGES[1], DEAREST + 1)).status).toBe(429)
    expect(await used()).toMatchObject({ hour: 6, month: 6 })
  })

  it('are refused by a used-up quota unless their page has paid', async () => {
    const { ask, query, used } = await signIn()
    expect((await ask(PAGES[0], '/v1/assets')).status).toBe(200)
    expect((await ask(null, '/graphql', { method: 'POST', body: { query: queryOf(13) } })).status).toBe(200)
    expect(await used()).toMatchObject({ hour: QUOTAS.free.hour })
    expect((await ask(PAGES[1], '/v1/assets')).status).toBe(429)
    expect((await query(PAGES[1], 2)).status).toBe(429)
    expect((await ask(PAGES[0], '/v1/assets')).status).toBe(200)
    expect(await used()).toMatchObject({ hour: QUOTAS.free.hour })
  })

  it('pay their unit even if the first one finds nothing', async () => {
    const { ask, used } = await signIn()
    expect((await ask(PAGES[0], '/v1/assets/no-such-coin')).status).toBe(404)
    expect((await ask(PAGES[0], '/v1/assets')).status).toBe(200)
    expect(await used()).toMatchObject({ hour: 1, month: 1 })
  })

  it.each(['', 'short', 'x'.repeat(32), '1'.repeat(37)])('need an id of 32 digits: not %j', async (id) => {
    const { ask, used } = await signIn()
    await ask(id, '/v1/assets')
    await ask(id, '/v1/assets/bitcoin')
    expect(await used()).toMatchObject({ hour: 2 })
  })

  it('are charged one by one to a key', async () => {
    const { key, used } = await signIn()
    for (const path of ['/v1/assets', '/v1/assets/bitcoin'])
      await app.rest(path, { key, headers: { 'x-page-view': PAGES[2] } })
    expect(await used()).toMatchObject({ hour: 2, month: 2 })
  })
})
