import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../support/app/app.js'
import { quickestDatabase } from '../../support/database/database.js'

let app: TestApp
let key: string
beforeAll(async () => {
  app = await startTestApp(quickestDatabase())
  key = await app.newKey({ tier: 'pro' })
})
afterAll(() => app?.close())

const cell = async (path: string) => {
  const { status, text, headers } = await app.rest(`/compat/cell/${path}`, { key })
  expect(headers.get('content-type')).toBe('text/plain; charset=utf-8')
  return [status, text]
}

describe('a cell', () => {
  it('is one value of an answer: a number, a text, an element of a list', async () => {
    const { body } = await app.rest<{ data: readonly { date: string; rate: number }[] }>(
      '/v1/forex?quote=USD',
      { key },
    )
    expect(await cell('forex/data.last.rate?quote=USD')).toEqual([200, String(body.data.at(-1)?.rate)])
    expect(await cell('forex/data.0.date?quote=USD')).toEqual([200, body.data[0]?.date])
    expect(await cell('forex/data.first.rate?quote=USD')).toEqual([200, String(body.data[0]?.rate)])
    expect(await cell('asset/data.ticker?id=bitcoin')).toEqual([200, 'BTC'])
    expect(await cell('forex/rows?quote=USD&from=2026-11-18&to=2026-11-18')).toEqual([200, '1'])
  })

  it('says where it comes from and how fresh it is, and has an entity tag', async () => {
    const path = '/compat/cell/forex/data.last.rate?quote=USD'
    const { headers } = await app.rest(path, { key })
    expect([headers.get('x-is-dev-dataset'), headers.get('x-data-source')]).toEqual(['true', 'seed'])
    const tag = headers.get('etag') ?? ''
    expect((await app.rest(path, { key, headers: { 'if-none-match': tag } })).status).toBe(304)
  })

  it('has an age at a second address, which grows', async () => {
    const path = 'forex/data.last.rate/age?quote=USD'
    const [, before] = await cell(path)
    app.clock.advance(5_000)
    const [, after] = await cell(path)
    expect(Number(after) - Number(before)).toBe(5)
    const { headers } = await app.rest(`/compat/cell/${path}`, { key })
    expect(headers.get('cache-control')).toBe('no-store')
  })

  it.each([
    [404, 'No operation forexx is read by GET. /v1/operations lists them.', 'forexx/data'],
    [404, 'No operation api_keys is read by GET. /v1/operations lists them.', 'api_keys/total'],
    [404, 'No operation screen_leis is read by GET. /v1/operations lists them.', 'screen_leis/data'],
    [
      404,
      'data.9999 does not exist; name an element: first, last, or 0 to 2.',
      'forex/data.9999.rate?quote=USD&from=2026-11-17',
    ],
    [404, 'data.last.price does not exist; its members are date, rate.', 'forex/data.last.price?quote=USD'],
    [404, 'ended_on is null: the answer has no value there.', 'forex/ended_on?quote=USD'],
    [422, 'data.last: is not one value; its members are date, rate', 'forex/data.last?quote=USD'],
    [422, 'id: is required', 'asset/data.ticker'],
    [422, 'quote: is required', 'forex/data.last.rate'],
    [404, 'constructor does not exist', 'forex/constructor?quote=USD'],
  ])('is refused with %s %s', async (status, message, path) => {
    expect(await cell(path)).toEqual([status, expect.stringContaining(message)])
  })

  it('is read with a key for addresses: of the interface, or of the operation', async () => {
    const make = async (url_use: object) => {
      const body = { label: 'sheet', url_use: { hourly_units: 10, ...url_use } }
      return (await app.rest<{ raw_key: string }>('/auth/keys', { method: 'POST', key, body })).body.raw_key
    }
    const [ofCells, ofForex] = [await make({ interfaces: ['cell'] }), await make({ operations: ['forex'] })]
    const statusOf = async (path: string) => (await app.rest(`/compat/cell/${path}`)).status
    expect(await statusOf(`forex/data.last.rate?quote=USD&token=${ofCells}`)).toBe(200)
    expect(await statusOf(`asset/data.ticker?id=bitcoin&token=${ofCells}`)).toBe(200)
    expect(await statusOf(`forex/data.last.rate?quote=USD&token=${ofForex}`)).toBe(200)
    expect(await statusOf(`asset/data.ticker?id=bitcoin&token=${ofForex}`)).toBe(403)
  })

  it('costs what its operation costs', async () => {
    const own = await app.newKey({ tier: 'free' })
    const left = async (path: string) =>
      (await app.rest(`/compat/cell/${path}`, { key: own })).headers.get('x-ratelimit-remaining')
    expect(await left('forex/data.last.rate?quote=USD')).toBe('13')
    expect(await left('forex/data.last.price?quote=USD')).toBe('13')
  })
})
