import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../support/app/app.js'
import { quickestDatabase } from '../../support/database/database.js'

const PAGE = 'text/html,application/xhtml+xml,*/*;q=0.8'

describe('an address with a ticker or an ISIN', () => {
  let app: TestApp
  beforeAll(async () => {
    app = await startTestApp(quickestDatabase())
  })
  afterAll(() => app?.close())

  const open = (name: string, accept = PAGE) =>
    fetch(`${app.url}/assets/${name}`, { headers: { accept }, redirect: 'manual' })

  it.each([
    ['AAPL', 'apple'],
    ['BTC', 'bitcoin'],
    ['XAU', 'gold'],
    ['SPY', 'spdr-sp-500'],
    ['US0378331005', 'apple'],
  ])('leads browsers from %s to the page of %s', async (name, slug) => {
    const { status, headers } = await open(name)
    expect([status, headers.get('location')]).toEqual([302, `/assets/${slug}`])
    expect(headers.get('vary')).toContain('Accept')
    expect((await open(slug)).status).toBe(200)
  })

  it('leads from a ticker with a point in small letters', async () => {
    await app.database.rows(`update asset set ticker = 'BRK.B' where slug = 'nestle'`)
    const { status, headers } = await open('brk.b')
    expect([status, headers.get('location')]).toEqual([302, '/assets/nestle'])
  })

  it('answers 404 with a page if no asset has it', async () => {
    for (const name of ['NOTHING', 'US0000000000', `A${'A'.repeat(20)}`]) {
      const answer = await open(name)
      expect([answer.status, answer.headers.get('content-type')], name).toEqual([
        404,
        'text/html; charset=utf-8',
      ])
    }
  })

  it('answers programs with the usual error', async () => {
    const answer = await open('AAPL', 'application/json')
    expect([answer.status, answer.headers.get('location')]).toEqual([404, null])
  })
})
