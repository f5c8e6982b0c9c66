import { request as httpRequest } from 'node:http'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Gateway, startToyGateway } from '../http/toy-gateway.js'

const BROWSER_ACCEPT = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'

describe('the pages over HTTP', () => {
  let gateway: Gateway
  let documentsBuilt = 0
  beforeAll(async () => {
    const short = async () => `{"built":${++documentsBuilt}}`
    const openApi = { short, full: async () => '{"full":true}' }
    gateway = await startToyGateway({ openApi, pageKey: null, version: '1.2.3' })
  })
  afterAll(() => gateway.close())

  const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    fetch(gateway.url + path, { headers, method })

  it('shows browsers the portal and programs links as JSON', async () => {
    const page = await get('/', { accept: BROWSER_ACCEPT })
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(await page.text()).toContain('Version 1.2.3')
    const json = await get('/', { accept: '*/*' })
    expect(json.headers.get('vary')).toBe('Accept, Accept-Encoding')
    expect(await json.json()).toEqual({
      name: 'Market Data Gateway',
      version: '1.2.3',
      links: { graphql: '/graphql', docs: '/docs', openapi: '/openapi.json', health: '/healthz' },
    })
  })

  it.each([
    [BROWSER_ACCEPT, true],
    ['text/html;q=0.9, application/json;q=0.1', true],
    ['application/json, text/html', false],
    ['application/graphql-response+json, text/html;q=0.5', false],
    ['text/html;q=0', false],
    ['*/*', false],
  ])('leaves /graphql to the endpoint unless HTML is preferred (%s)', async (accept, isPage) => {
    const answer = await get('/graphql?query={__typename}', { accept })
    expect(answer.headers.get('content-type')?.startsWith('text/html')).toBe(isPage)
  })

  it('gives every page of the portal its title and description', async () => {
    const head = async (path: string) => {
      const text = await (await get(path, { accept: BROWSER_ACCEPT })).text()
      return [/<title>(.*)<\/title>/.exec(text)?.[1], /name="description" content="(.*)"/.exec(text)?.[1]]
    }
    expect((await head('/'))[0]).toBe('Market Data Gateway')
    expect(await head('/assets')).toEqual([
      'Assets: Market Data Gateway',
      'All crypto assets, stocks, ETFs and commodities with price, market value and age.',
    ])
    expect((await head('/assets/bitcoin'))[0]).toBe('Asset: Market Data Gateway')
    const paths = ['/', '/assets', '/account', '/assets/bitcoin', `/snapshots/${'0'.repeat(36)}`]
    const heads = await Promise.all(paths.map(head))
    for (const part of [0, 1]) expect(new Set(heads.map((both) => both[part])).size).toBe(paths.length)
  })

  it.each(['/account', '/assets', '/assets/bitcoin', '/snapshots/8b1d36a5-3c0b-8f5c-8004-1d3f6f1b2a11'])(
    'shows browsers the portal at %s, where programs find nothing',
    async (path) => {
      const page = await get(path, { accept: BROWSER_ACCEPT })
      expect([page.status, page.headers.get('vary')]).toEqual([200, 'Accept, Accept-Encoding'])
      expect(await page.text()).toMatch(/src="\/docs\/assets\/portal\/main-[\w-]+\.js"/)
      const answer = await get(path, { accept: 'application/json' })
      expect(answer.status).toBe(404)
      expect(answer.headers.get('content-type')).toMatch(/^application\/json/)
    },
  )

  it('builds the OpenAPI document once and answers 304 to clients that have it', async () => {
    const first = await get('/openapi.json')
    expect(first.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(await first.text()).toBe('{"built":1}')
    const etag = first.headers.get('etag') ?? ''
    expect(etag).toMatch(/^W\/"[\w-]{16}"$/)
    const again = await get('/openapi.json', { 'if-none-match': `"other", ${etag}` })
    expect([again.status, await again.text()]).toEqual([304, ''])
    expect((await get('/openapi.json', { 'if-none-match': '"other"' })).status).toBe(200)
    expect(documentsBuilt).toBe(1)
    expect(await (await get('/openapi-full.json')).text()).toBe('{"full":true}')
  })

  it('answers HEAD with the headers of GET and no body', async () => {
    for (const coding of ['identity', 'gzip']) {
      const sent = { 'accept-encoding': coding }
      const [head, got] = [await get('/docs', sent, 'HEAD'), await get('/docs', sent)]
      expect(await head.text()).toBe('')
      for (const name of ['content-type', 'content-encoding', 'etag', 'vary']) {
        expect([name, head.headers.get(name)]).toEqual([name, got.headers.get(name)])
      }
      // Nothing is compressed for it, so it does not know the length then.
      const length = coding === 'identity' ? got.headers.get('content-length') : null
      expect(head.headers.get('content-length')).toBe(length)
    }
  })

  it('forbids framing, referrers and other origins on every page', async () => {
    for (const path of ['/', '/docs', '/graphql']) {
      const { headers } = await get(path, { accept: BROWSER_ACCEPT })
      const policy = headers.get('content-security-policy') ?? ''
      expect(policy).toContain("default-src 'self'; script-src 'self';")
      expect(policy).toContain("frame-ancestors 'none'")
      expect(policy).not.toMatch(/https?:|\*|unsafe-eval/)
      expect(headers.get('referrer-policy')).toBe('no-referrer')
      expect(headers.get('cache-control')).toBe('no-cache')
    }
  })

  it('lets the reference and the portal load only their own styles, and the editor of GraphiQL create some', async () => {
    const stylesOf = async (path: string) => {
      const { headers } = await get(path, { accept: BROWSER_ACCEPT })
      return /style-src ([^;]*)/.exec(headers.get('content-security-policy') ?? '')?.[1]
    }
    expect(await stylesOf('/docs')).toBe("'self'")
    expect(await stylesOf('/')).toBe("'self'")
    expect(await stylesOf('/graphql')).toBe("'self' 'unsafe-inline'")
  })

  it('puts no key into a page unless one is given', async () => {
    const graphiql = await (await get('/graphql', { accept: BROWSER_ACCEPT })).text()
    expect(graphiql).toContain(String.raw`\"X-API-Key\": \"\"`)
    expect(graphiql + (await (await get('/docs')).text())).not.toContain('mdg_')
  })

  it('shields pages that may carry a key from scripts of other sites', async () => {
    const foreign = { accept: 'text/html', 'sec-fetch-mode': 'cors', 'sec-fetch-site': 'cross-site' }
    for (const path of ['/', '/docs', '/graphql']) {
      const answer = await rawGet(gateway.url, path, foreign)
      expect(answer.headers['content-security-policy'], path).toBeUndefined()
      const navigation = await rawGet(gateway.url, path, { ...foreign, 'sec-fetch-mode': 'navigate' })
      expect(navigation.headers['content-security-policy'], path).toBeDefined()
    }
  })

  it.each([
    '/',
    '/assets',
    '/assets/bitcoin',
    '/currencies',
    '/macro',
    '/screening',
    '/receipts',
    '/data',
    '/status',
    '/changes',
    '/account',
    '/snapshots/8b1d36a5-3c0b-8f5c-8004-1d3f6f1b2a11',
  ])('loads at most 60 kB of script, as gzip, for the page %s', async (path) => {
    const page = await (await get(path, { accept: BROWSER_ACCEPT })).text()
    const named = (tag: RegExp) => [...page.matchAll(tag)].map(([, script = '']) => script)
    const entries = named(/<script type="module" src="([^"]+)">/g)
    expect([named(/<script[^>]* src="([^"]+)"/g), entries.length]).toEqual([entries, 1])
    const scripts = [...entries, ...named(/<link rel="modulepreload" href="([^"]+)">/g)]
    const answers = await Promise.all(
      scripts.map((script) => rawGet(gateway.url, script, { 'accept-encoding': 'gzip' })),
    )
    for (const { headers } of answers) {
      expect(headers['content-encoding']).toBe('gzip')
      expect(headers['cache-control']).toBe('public, max-age=31536000, immutable')
    }
    const known = new Set(scripts.map((script) => script.slice(script.lastIndexOf('/') + 1)))
    // The preloaded scripts are all that the page's scripts import.
    for (const { body } of answers.slice(1)) {
      const imported = [...String(gunzipSync(body)).matchAll(/from"\.\/([^"]+)"/g)].map(
        ([, name = '']) => name,
      )
      expect(imported.filter((name) => !known.has(name))).toEqual([])
    }
    const sent = answers.reduce((sum, { body }) => sum + body.length, 0)
    expect(sent).toBeGreaterThan(10_000)
    expect(sent).toBeLessThanOrEqual(60_000)
  })

  it('serves the files of the pages compressed, typed and immutable, and nothing else below their folder', async () => {
    const page = await (await get('/docs')).text()
    const [script = ''] = /\/docs\/assets\/scalar-[\w.-]+\/scalar\.js/.exec(page) ?? []
    const asset = await rawGet(gateway.url, script, { 'accept-encoding': 'br;q=0, gzip' })
    expect(asset.headers['content-encoding']).toBe('gzip')
    expect(asset.headers['content-type']).toBe('text/javascript; charset=utf-8')
    expect(asset.headers['cache-control']).toBe('public, max-age=31536000, immutable')
    const plain = await rawGet(gateway.url, script)
    expect(plain.headers['content-encoding']).toBeUndefined()
    expect(gunzipSync(asset.body).equals(plain.body)).toBe(true)
    const folder = script.slice(0, script.lastIndexOf('/'))
    for (const path of ['/package.json', '/..%2fpackage.json', '/']) {
      expect((await rawGet(gateway.url, folder + path)).status, path).toBe(404)
    }
    for (const path of ['/../../../package.json', '/%2e%2e/package.json']) {
      expect((await rawGet(gateway.url, folder + path)).status, path).toBe(400)
    }
  })
})

/** A request whose path is sent as written, and whose body comes as it travelled. */
function rawGet(url: string, path: string, headers: Record<string, string> = {}) {
  return new Promise<{ status: number | undefined; headers: Record<string, unknown>; body: Buffer }>(
    (resolve, reject) => {
      const sent = httpRequest(url, { path, headers }, (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('end', () =>
          resolve({ status: response.statusCode, headers: response.headers, body: Buffer.concat(chunks) }),
        )
      })
      sent.on('error', reject).end()
    },
  )
}
