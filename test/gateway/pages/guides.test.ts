import { readdirSync, readFileSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Environment } from '../../../src/config/environment.js'
import { ERROR_TABLE } from '../../../src/core/errors.js'
import { escapeHtml } from '../../../src/core/escape-html.js'
import { QUOTAS } from '../../../src/policy/limits.js'
import { SCOPE_NAMES, SCOPES, scopesOfTier } from '../../../src/policy/scopes.js'
import { TIERS } from '../../../src/policy/tiers.js'
import { type Gateway, startToyGateway } from '../http/toy-gateway.js'

const ROOT = resolve(import.meta.dirname, '../../..')
const SOURCES = resolve(ROOT, 'src/gateway/pages/guides')
const NAMES = readdirSync(SOURCES).map((file) => basename(file, '.md'))
const MAX_LINES = 150
const PUBLIC_URL = 'https://gateway.example/data?a&b'

const sourceOf = (name: string) => readFileSync(resolve(SOURCES, `${name}.md`), 'utf8')

describe('the guides', () => {
  let gateway: Gateway
  beforeAll(async () => {
    gateway = await startToyGateway({
      openApi: { short: async () => '{}', full: async () => '{}' },
      pageKey: 'mdg_test_secret',
      version: '1.2.3',
      sampleUrl: PUBLIC_URL,
    })
  })
  afterAll(() => gateway.close())

  const get = (path: string) => fetch(gateway.url + path)

  it.each(NAMES)(
    'are served from their Markdown, with no script but that of the frame and without a key: %s',
    async (name) => {
      const answer = await get(`/docs/guides/${name}`)
      expect(answer.status).toBe(200)
      expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8')
      expect(answer.headers.get('content-security-policy')).toContain("script-src 'self'")
      const page = await answer.text()
      const title = /^# (.+)$/m.exec(sourceOf(name))?.[1]
      expect(page).toContain(`<title>Market Data Gateway: ${title}</title>`)
      expect(page).toContain(`<li aria-current="page">${title}</li>`)
      expect(page.match(/<script[^>]*>/g)).toEqual([
        expect.stringMatching(/^<script type="module" src="\/docs\/assets\/portal\/start-[\w-]+\.js">$/),
        '<script type="application/json" id="config">',
      ])
      expect(page).toContain('"pageKey":null')
      expect(page).not.toContain('mdg_test_secret')
    },
  )

  it.each(NAMES)('state first their readers, and have at most 150 lines: %s', (name) => {
    const lines = sourceOf(name).trimEnd().split('\n')
    expect(lines.length).toBeLessThanOrEqual(MAX_LINES)
    expect(lines[0]).toMatch(/^# \S/)
    expect(lines[2]).toMatch(/^For \S/)
  })

  it('are introduced to language models, as an index and as one text', async () => {
    const index = await get('/llms.txt')
    expect(index.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    const list = await index.text()
    expect(list).toMatch(/^# Market data gateway\n\n> /)
    const links = Array.from(list.matchAll(/^- \[[^\]]+\]\(([^)]+)\): \S/gm), ([, url]) => url ?? '')
    expect(links).toHaveLength(NAMES.length + 7)
    for (const url of links) expect(url.startsWith(`${PUBLIC_URL}/`)).toBe(true)
    for (const name of NAMES) expect(links).toContain(`${PUBLIC_URL}/docs/guides/${name}`)
    const full = await (await get('/llms-full.txt')).text()
    for (const name of NAMES) expect(full).toContain(`\n\n${sourceOf(name).split('\n')[0]}\n\nFor `)
    expect(full).not.toContain('127.0.0.1:4000')
    expect(full).not.toMatch(/\]\([\w-]+\.md\)/)
  })

  it('say in the list what each is for, and lead to the next and the previous one and to their sections', async () => {
    const index = await (await get('/docs/guides')).text()
    const [list = ''] = /<nav aria-label="Guides">.*?<\/nav>/s.exec(index) ?? []
    expect(list.match(/<\/a> <span>[A-Z][^<]+\.<\/span><\/li>/g)).toHaveLength(NAMES.length)
    const page = await (await get('/docs/guides/limits')).text()
    expect(page).toContain('<a href="/docs/guides/tiers"><span>Previous:</span> Tiers</a>')
    expect(page).toContain('<a href="/docs/guides/paging"><span>Next:</span> Paging</a>')
    expect(page).toContain('<li><a href="#tiers">Tiers</a></li>')
  })

  it('list every error code as the gateway answers it', async () => {
    const page = await (await get('/docs/guides/errors')).text()
    for (const [code, { status, message }] of Object.entries(ERROR_TABLE))
      expect(page.replaceAll('\n', '')).toContain(
        `<td><code>${code}</code></td><td>${status}</td><td>${escapeHtml(message)}</td>`,
      )
  })

  it('show what each tier has, from the tables that the gateway enforces', async () => {
    const page = (await (await get('/docs/guides/tiers')).text()).replaceAll('\n', '')
    const row = (...cells: readonly string[]) => cells.map((cell) => `<td>${cell}</td>`).join('')
    const quota = (name: 'hour' | 'month') =>
      TIERS.map((tier) =>
        tier === 'enterprise' ? 'by contract' : QUOTAS[tier][name].toLocaleString('en-GB'),
      )
    expect(page).toContain(row('Units per hour', ...quota('hour')))
    expect(page).toContain(row('Units per month', ...quota('month')))
    expect(page).toContain(row('Daily prices of crypto assets', '365 days', '365 days', 'all', 'all', 'all'))
    expect(page).toContain(row('Analyses', '–', '90 days', 'all', 'all', 'all'))
    for (const scope of SCOPE_NAMES) {
      const held = TIERS.map((tier) => (scopesOfTier(tier).has(scope) ? 'yes' : '–'))
      const shown = row(`<code>${scope}</code>`, SCOPES[scope].opens, ...held)
      if (scope === 'admin') expect(page).not.toContain('<code>admin</code>')
      else expect(page).toContain(shown)
    }
  })

  it.each([
    ['rate limit', '/docs/guides/limits', 'Limits'],
    ['PRICE of a request', '/docs/guides/limits#the-price-of-a-request', 'Limits: The price of a request'],
    ['tiers', '/docs/guides/tiers', 'Tiers'],
    ['content hash', '/docs/guides/verification', 'Verification'],
  ])('are searched in full: %s', async (words, path, title) => {
    const answer = await get(`/docs/guides?${new URLSearchParams({ q: words })}`)
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    const page = await answer.text()
    const found = Array.from(
      page.matchAll(/<li><a href="([^"]+)">([^<]+)<\/a><p>(.*?)<\/p>/g),
      ([, ...one]) => one,
    )
    expect(found.map(([to, name]) => `${name} ${to}`)).toContain(`${title} ${path}`)
    expect(found.length).toBeLessThanOrEqual(20)
    for (const [, , excerpt = ''] of found) expect(excerpt.length).toBeGreaterThan(0)
    expect(page).toContain(`value="${words}"`)
  })

  it('say that no guide has the words, as text and not as HTML', async () => {
    const page = await (await get(`/docs/guides?${new URLSearchParams({ q: '<b>zebra</b>' })}`)).text()
    expect(page).toContain('No guide has all words of “&lt;b&gt;zebra&lt;/b&gt;”')
    expect(page).not.toContain('<b>zebra')
  })

  it('are listed without a search, and only these pages may send a form, to the gateway itself', async () => {
    for (const [path, target] of [
      ['/docs/guides', "'self'"],
      ['/docs/guides?q=', "'self'"],
      ['/docs/guides?q=limits', "'self'"],
      ['/docs/guides/limits', "'none'"],
    ] as const) {
      const answer = await get(path)
      expect(answer.headers.get('content-security-policy'), path).toContain(`form-action ${target}`)
    }
    expect(await (await get('/docs/guides?q=')).text()).toContain('<nav aria-label="Guides">')
  })

  it('stand beside the changelog, which comes from the document of the repository', async () => {
    expect(await (await get('/docs/guides')).text()).toContain('href="/docs/changelog"')
    expect(await (await get('/docs/changelog')).text()).toContain('<h1 id="changelog">')
  })

  it.each(['/docs/guides', '/docs/guides/limits'])('are listed by reader on %s, each once', async (path) => {
    const page = await (await get(path)).text()
    const [list = ''] = /<nav aria-label="Guides">.*?<\/nav>/s.exec(page) ?? []
    expect(Array.from(list.matchAll(/<h2>(.*?)<\/h2>/g), ([, reader]) => reader)).toEqual([
      'Everyone',
      'Front-end developers',
      'Quants',
      'BI analysts',
      'Agents and services',
      'Operators',
    ])
    expect(list.match(/<li/g)).toHaveLength(NAMES.length)
  })

  it.each(NAMES)('show the addresses of the gateway that serves them: %s', async (name) => {
    const page = await (await get(`/docs/guides/${name}`)).text()
    expect(page).not.toContain('127.0.0.1:4000')
    const written = sourceOf(name).match(/http:\/\/127\.0\.0\.1:4000/g) ?? []
    const shown = page.match(/https:\/\/gateway\.example\/data\?a&amp;b/g) ?? []
    expect(shown).toHaveLength(written.length)
  })

  it('show the WebSocket of the gateway that serves them', async () => {
    const page = await (await get('/docs/guides/subscriptions')).text()
    expect(page).toContain('<code>wss://gateway.example/data?a&amp;b/graphql</code>')
  })

  it('link to no page that is not served', async () => {
    const paths = ['/', ...NAMES.map((name) => `/docs/guides/${name}`)]
    const pages = await Promise.all(paths.map(async (path) => (await fetchPage(path)).text()))
    const links = new Set(
      pages.flatMap((page) => [...page.matchAll(/href="(\/[^"]*)"/g)].map(([, to]) => to)),
    )
    const withoutSection = [...links].filter((link) => !link?.includes('#'))
    expect(withoutSection.filter((link) => link?.startsWith('/docs/guides/')).toSorted()).toEqual(
      NAMES.map((name) => `/docs/guides/${name}`).toSorted(),
    )
    for (const link of links) {
      if (!link?.startsWith('/docs')) continue
      const target = await fetchPage(link)
      expect([link, target.status]).toEqual([link, 200])
      const [, section] = link.split('#')
      if (section !== undefined) expect(await target.text()).toContain(` id="${section}"`)
    }
  })

  it('are all named in the README, which names no other', () => {
    const readme = readFileSync(resolve(ROOT, 'README.md'), 'utf8')
    const named = [
      ...readme.matchAll(/\[`\/docs\/guides\/([\w-]+)`\]\(src\/gateway\/pages\/guides\/\1\.md\)/g),
    ]
    expect(named.map(([, name]) => name).toSorted()).toEqual(NAMES.toSorted())
  })

  it('name every variable of the environment, and no unknown one', () => {
    const rows = sourceOf('settings')
      .split('\n')
      .filter((line) => line.startsWith('| `'))
    const named = rows.flatMap((row) =>
      [...(row.split('|')[1] ?? '').matchAll(/`([A-Z_]+)`/g)].map(([, name]) => name),
    )
    expect(named.toSorted()).toEqual(
      Object.keys(Environment.shape)
        .filter((name) => name !== 'NODE_ENV')
        .toSorted(),
    )
  })

  const fetchPage = (path: string) => fetch(gateway.url + path, { headers: { accept: 'text/html' } })
})
