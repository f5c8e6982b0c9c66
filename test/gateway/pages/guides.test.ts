import { readdirSync, readFileSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Environment } from '../../../src/config/environment.js'
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

  it.each(NAMES)('are served from their Markdown, without a script and without a key: %s', async (name) => {
    const answer = await get(`/docs/guides/${name}`)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(answer.headers.get('content-security-policy')).toContain("script-src 'self'")
    const page = await answer.text()
    const title = /^# (.+)$/m.exec(sourceOf(name))?.[1]
    expect(page).toContain(`<title>Market Data Gateway: ${title}</title>`)
    expect(page).toContain(`<li aria-current="page">${title}</li>`)
    expect(page).not.toContain('<script')
    expect(page).not.toContain('mdg_test_secret')
  })

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
    expect([...links].filter((link) => link?.startsWith('/docs/guides/')).toSorted()).toEqual(
      NAMES.map((name) => `/docs/guides/${name}`).toSorted(),
    )
    for (const link of links) {
      if (link?.startsWith('/docs')) expect([link, (await fetchPage(link ?? '')).status]).toEqual([link, 200])
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
