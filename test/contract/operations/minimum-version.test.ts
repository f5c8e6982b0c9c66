import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Answer, startTestApp, type TestApp } from '../../support/app/app.js'
import { quickestDatabase } from '../../support/database/database.js'
import { commitRevision, reviseRates, valuesOf } from '../../support/database/forex-revisions.js'

interface Rates {
  readonly data: readonly { readonly rate: number }[]
}

const PATH = '/v1/forex?quote=USD'
const QUERY = '{ forex(quote: "USD") { data { rate } } }'

describe('X-Min-Data-Version', () => {
  let app: TestApp
  let key: string
  beforeAll(async () => {
    app = await startTestApp(quickestDatabase())
    key = await app.newKey({ tier: 'pro' })
    await commitRevision(app, 1)
  })
  afterAll(() => app?.close())

  const ask = (minimum: string, path = PATH): Promise<Answer<Rates>> =>
    app.rest(path, { key, headers: { 'x-min-data-version': minimum } })
  const version = async () => (await app.rest(PATH, { key })).headers.get('x-data-version') ?? ''
  const next = (text: string) =>
    text.replace(/forex=(\d+)/, (_, digits: string) => `forex=${Number(digits) + 1}`)

  it('takes the X-Data-Version of an answer', async () => {
    const minimum = await version()
    expect(minimum).toMatch(/^forex=\d+, installation=\d+$/)
    const answer = await ask(minimum)
    expect([answer.status, answer.headers.get('x-data-version')]).toEqual([200, minimum])
  })

  it('makes a node show a commit that it has not noticed yet', async () => {
    const minimum = next(await version())
    // The clock stands still, so the node would answer with the versions that it has read.
    await reviseRates(app.database, 2, app.clock.now())
    expect(await version()).not.toBe(minimum)
    const answer = await ask(minimum)
    expect([answer.headers.get('x-data-version'), valuesOf(answer.body)]).toEqual([minimum, [2]])
    expect(valuesOf((await ask(minimum)).body)).toEqual([2])
  })

  it('is a 412, free of charge, if no commit has these versions', async () => {
    const remaining = async () => (await app.rest('/v1/usage', { key })).headers.get('x-ratelimit-remaining')
    const minimum = next(await version())
    const before = await remaining()
    const answer = await ask(minimum, '/v1/forex?quote=JPY')
    expect([answer.status, answer.body]).toEqual([
      412,
      expect.objectContaining({
        error: 'precondition_failed',
        details: [
          {
            field: 'X-Min-Data-Version',
            message: expect.stringMatching(
              /^asks for forex=\d+, but this gateway has \d+; send the request without it$/,
            ),
          },
        ],
      }),
    ])
    const foreign = await ask('forex=1, installation=1', '/v1/forex?quote=JPY')
    expect([foreign.status, foreign.text]).toEqual([412, expect.stringContaining('another gateway')])
    expect(await remaining()).toBe(before)
  })

  it('is a 400 if it is malformed', async () => {
    const answer = await ask('W/"a"')
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('X-Min-Data-Version')])
  })

  it('holds for a 304 and for files', async () => {
    const minimum = next(await version())
    const tag = (await app.rest(PATH, { key })).headers.get('etag') ?? ''
    await reviseRates(app.database, 3, app.clock.now())
    const headers = { 'x-min-data-version': minimum, 'if-none-match': tag }
    expect((await app.rest(PATH, { key, headers })).status).toBe(200)
    const file = await ask(next(minimum), '/v1/forex.csv?quote=USD')
    expect(file.status).toBe(412)
    expect((await ask(minimum, '/v1/forex.csv?quote=USD')).headers.get('x-data-version')).toBe(minimum)
  })

  it('holds for GraphQL', async () => {
    const minimum = next(await version())
    const send = (value: string) =>
      app.rest<{ readonly errors?: readonly { readonly extensions: { readonly code: string } }[] }>(
        '/graphql',
        {
          key,
          method: 'POST',
          body: { query: QUERY },
          headers: { 'x-min-data-version': value },
        },
      )
    const refused = await send(minimum)
    expect([refused.status, refused.body.errors?.[0]?.extensions.code]).toEqual([412, 'PRECONDITION_FAILED'])
    await reviseRates(app.database, 4, app.clock.now())
    const answer = await send(minimum)
    expect([answer.status, answer.headers.get('x-data-version')]).toEqual([200, minimum])
  })

  it('is not read by what writes', async () => {
    const answer = await app.rest('/v1/billing/keys', {
      key,
      method: 'POST',
      body: {},
      headers: { 'x-min-data-version': 'forex=999999' },
    })
    expect(answer.status).not.toBe(412)
  })

  it('may be sent and read by pages of other origins', async () => {
    const origin = 'https://app.example'
    const preflight = await app.rest(PATH, {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'GET',
        'access-control-request-headers': 'x-min-data-version',
      },
    })
    expect(preflight.headers.get('access-control-allow-headers')).toContain('x-min-data-version')
    const answer = await app.rest(PATH, { key, headers: { origin } })
    expect(answer.headers.get('access-control-expose-headers')).toContain('X-Data-Version')
  })
})
