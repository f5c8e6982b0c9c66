import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { VERSION } from '../../../src/platform/version.js'
import { startTestApp, type TestApp } from '../../support/app/app.js'
import { quickestDatabase } from '../../support/database/database.js'
import { InstalledClient, mayMakeClient } from './installed-client.js'

const GUIDE = resolve(import.meta.dirname, '../../../src/gateway/pages/guides/client.md')

/** Each line that is marked does not compile; the others do. */
const PROGRAM = `
import { ApiError, createClient, Document, type GatewayClient, type Schemas } from 'market-data-gateway-client'
import { asset, ohlcv_events, revoke_api_key } from 'market-data-gateway-client/operations'

export async function typed(client: GatewayClient): Promise<void> {
  const list = await client.get('/v1/assets')
  const ticker: string | undefined = list.body.data[0]?.ticker
  const status: 'fresh' | 'stale' | 'expired' | undefined = list.body._meta?.freshness_status
  const left: number | undefined = list.limits?.remaining
  const { body: one } = await client.get('/v1/assets/{id}', { id: 'bitcoin' })
  const card: Schemas['AssetCard'] = one.data
  const { body: screened } = await client.post('/v1/sanctions/screen', { leis: [] })
  const risk: number | null | undefined = screened.data[0]?.risk_score
  const { body: none } = await client.delete('/auth/keys/{key_id}', { key_id: 'x' })
  const nothing: null = none
  const { body: made } = await client.post('/auth/keys', { label: 'x' }, { idempotencyKey: 'y' })
  const raw: string = made.raw_key
  const { body: moved } = await client.patch('/auth/keys/{key_id}', { key_id: 'x', clock: { as_of: '2026-11-20T12:00:00Z' } })
  const basis: 'observed' | 'published' | undefined = moved.clock?.basis
  for await (const { candles } of mapped(client)) candles satisfies readonly { vwap_usd: number | null }[]
  for await (const { ts, vwap_usd } of client.rows('/v1/assets/{id}/ohlcv', { id: 'bitcoin' })) print(ts, vwap_usd)
  for await (const { rate } of client.rows('/v1/forex/cross', { base: 'USD', quote: ['GBP'], from: new Date() })) print(rate)
  for await (const { opens_at } of client.rows('/v1/calendars/{code}', { code: 'XNYS' })) print(opens_at)
  const { data } = await client.graphql(asset, { id: 'bitcoin' })
  print(data.asset?.data.name)
  for await (const { ohlcv } of client.subscribe(ohlcv_events, { id: 'bitcoin' })) print(ohlcv?.candle.vwap_usd)
  const own = new Document<{ answer: number }>('{ answer }')
  print((await client.graphql(own)).data.answer.toFixed(1))

  // @ts-expect-error no such path
  await client.get('/v1/asset')
  // @ts-expect-error a path that is not for POST
  await client.post('/v1/assets', {})
  // @ts-expect-error the path needs its parameter
  await client.get('/v1/assets/{id}')
  // @ts-expect-error no such parameter
  await client.get('/v1/assets', { limt: 5 })
  // @ts-expect-error a value that the parameter does not have
  await client.get('/v1/assets', { asset_class: 'bond' })
  // @ts-expect-error a path that is not for PATCH
  await client.patch('/auth/keys', {})
  // @ts-expect-error the body needs its member
  await client.patch('/auth/keys/{key_id}', { key_id: 'x' })
  // @ts-expect-error the body needs its member
  await client.post('/v1/sanctions/screen', {})
  // @ts-expect-error no such member of the answer
  print(list.body.rows)
  // @ts-expect-error an answer without rows
  client.rows('/v1/assets/{id}', { id: 'bitcoin' })
  // @ts-expect-error the operation needs its variable
  await client.graphql(asset)
  // @ts-expect-error a variable of another type
  await client.graphql(revoke_api_key, { key_id: 5 })
  // @ts-expect-error no such code
  if (new ApiError({} as never, null).code === 'nothing') print(1)
  print(ticker, status, left, card.name, risk, nothing, raw, basis)
}

async function* mapped(client: GatewayClient) {
  for await (const { body } of client.pages('/v1/assets/{id}/ohlcv', { id: 'bitcoin' }, { maxPages: 2 })) yield body.data
}

declare function print(...values: unknown[]): void
createClient({ url: 'http://127.0.0.1:4000' })
`

describe.runIf(await mayMakeClient())('the package of npm run client', { timeout: 120_000 }, () => {
  const installed = new InstalledClient()
  let app: TestApp
  beforeAll(async () => {
    ;[app] = await Promise.all([startTestApp(quickestDatabase()), installed.install()])
  }, 600_000)
  afterAll(() => app?.close())

  it('needs no other package, has the version of the gateway, and is small', () => {
    const manifest = JSON.parse(readFileSync(join(installed.directory, 'package.json'), 'utf8')) as object
    expect(manifest).toMatchObject({ version: VERSION, license: 'Apache-2.0', type: 'module' })
    expect(manifest).not.toHaveProperty('dependencies')
    expect(manifest).not.toHaveProperty('scripts')
    const [, script = '', packed = ''] =
      /([\d.]+) kB of JavaScript, .* ([\d.]+) kB packed/.exec(installed.printed) ?? []
    expect(Number(script)).toBeLessThan(60)
    // Nearly all of it are types: about 1 kB an operation.
    expect(Number(packed)).toBeLessThan(105)
    expect(readFileSync(join(installed.directory, 'LICENSE'), 'utf8')).toContain('Apache License')
  })

  it.each(['node', 'dom'] as const)(
    'compiles strictly with the types of %s, and refuses what is wrong',
    async (types) => {
      await installed.compile('program', PROGRAM, types)
    },
  )

  it('works as in the guide, whose examples compile and run', async () => {
    const blocks = readFileSync(GUIDE, 'utf8').matchAll(/^```ts\n([\s\S]*?)^```$/gm)
    await installed.compile('guide', Array.from(blocks, ([, text = '']) => text).join('\n'), 'node')
    const key = await app.newKey({ tier: 'pro' })
    const lines = (await installed.start('guide', { GATEWAY_URL: app.url, KEY: key })).split('\n')
    expect(lines[0]).toMatch(/^[A-Z]+ [\d.]+$/)
    expect(lines).toContainEqual(expect.stringMatching(/^fresh \d+ 2026-/))
    expect(lines).toContainEqual(expect.stringMatching(/^validation_error 422 limit null \S+$/))
    expect(lines).toContainEqual(
      expect.stringMatching(/^[a-z-]+ (DATA_REFRESH|MODEL_UPGRADE|METHODOLOGY_CHANGE)$/),
    )
    expect(lines).toContain('Bitcoin 1')
  })
})
