import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { fixedClock } from '../../../../src/core/time.js'
import { removeNews } from '../../../../src/domains/news/store.js'
import { newsGroup } from '../../../../src/ingest/datasets/news/news-group.js'
import { createJobs } from '../../../../src/ingest/jobs.js'
import { seedWorld } from '../../../../src/ingest/seed/seed-world.js'
import type { Database } from '../../../../src/platform/database/database.js'
import { createHttpClient } from '../../../../src/platform/http-client/http-client.js'
import { createLogger } from '../../../../src/platform/logger.js'
import { availableDatabases, openTestDatabase } from '../../../support/database/database.js'
import { jobOf, runGroup } from '../../../support/ingest/run-group.js'

const NOW = new Date('2026-11-22T10:00:00Z')
const log = createLogger('silent')
const minutesLater = (minutes: number) => new Date(NOW.getTime() + minutes * 60_000)

interface Item {
  readonly title: string
  readonly path?: string
  readonly editor?: string
  readonly at?: string
}

function rss(...items: readonly Item[]): string {
  const texts = items.map(
    ({ title, path = title.replace(/\W/g, ''), editor = 'Example Wire', at = '2026-11-21T09:00:00Z' }) =>
      `<item><title>${title}</title><link>https://wire.example/${path}</link><source>${editor}</source>
       <pubDate>${new Date(at).toUTCString()}</pubDate></item>`,
  )
  return `<rss version="2.0"><channel><title>T</title>${texts.join('')}</channel></rss>`
}

describe.each(availableDatabases())('headlines on %s', (kind) => {
  let database: Database
  let server: Server
  /** What the server answers, by path. */
  const bodies = new Map<string, string | number>()
  let base = ''
  beforeAll(async () => {
    server = createServer((request, response) => {
      const body = bodies.get(request.url ?? '') ?? 404
      response.writeHead(typeof body === 'number' ? body : 200)
      response.end(typeof body === 'number' ? '' : body)
    }).listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    base = `127.0.0.1:${(server.address() as AddressInfo).port}`
    database = await openTestDatabase(kind)
    await seedWorld(database, NOW, ['instruments'])
  })
  beforeEach(async () => {
    bodies.clear()
    await database.script(
      `delete from news_mention; delete from news_article; delete from news_source; delete from ingest_run;
       delete from dataset_state where dataset = 'news'`,
    )
  })
  afterAll(async () => {
    await database?.close()
    server?.close()
  })

  const http = createHttpClient({ log, userAgent: 'test' })
  const depsAt = (at: Date) => ({
    database,
    clock: fixedClock(at),
    http,
  })
  const run = (at: Date, ...paths: readonly string[]) =>
    runGroup(newsGroup, {
      ...depsAt(at),
      settings: { newsFeeds: paths.map((path) => `http://${base}${path}`) },
    })
  const bytes = (text: string) =>
    ({ kind: 'bytes', bytes: new TextEncoder().encode(text), origin: 'feed.xml' }) as const
  const articles = () =>
    database.rows<Record<string, unknown>>(
      `select a.title, a.feed, s.editor, array(
         select asset.slug || ' ' || m.matched_by from news_mention as m join asset using (asset_id)
         where m.article_hk = a.article_hk and m.known_to is null and not m.is_withdrawn order by 1
       ) as mentions
       from news_article as a join news_source as s using (news_source_id) where a.known_to is null order by a.title`,
    )
  const version = async () =>
    (await database.rows(`select version, source, observed_at from dataset_state where dataset = 'news'`))[0]

  it('are removed by source with editors that no other article has', async () => {
    const editor = (name: string) => {
      const seen = { firstSeenAt: NOW, lastSeenAt: NOW, loadedAt: NOW }
      return { newsSourceId: name, editor: name, editorNormalized: name, ...seen, source: 'seed' }
    }
    const article = (articleHk: string, newsSourceId: string, source: string) => ({
      ...{ articleHk, title: 'Weather', link: 'https://news.example/', feed: 'news.example', newsSourceId },
      ...{ publishedAt: NOW, knownFrom: NOW, source },
    })
    await database.prisma.newsSource.createMany({ data: [editor('own'), editor('shared')] })
    await database.prisma.newsArticle.createMany({
      data: [article('1', 'own', 'seed'), article('2', 'shared', 'seed'), article('3', 'shared', 'rss')],
    })
    expect(await database.transaction((tx) => removeNews(tx, 'seed'))).toBe(3)
    const left = await database.prisma.newsSource.findMany({ include: { articles: true } })
    expect(left.map(({ editor, articles }) => [editor, articles.map(({ articleHk }) => articleHk)])).toEqual([
      ['shared', ['3']],
    ])
  })

  it('are stored with their editors and the assets that they name, and reading them again changes nothing', async () => {
    bodies.set(
      '/rss',
      rss(
        { title: 'Bitcoin and $LINK' },
        { title: 'Weather', editor: 'EXAMPLE wire', at: '2026-11-20T09:00:00Z' },
      ),
    )
    expect(await run(NOW, '/rss')).toMatchObject({
      done: 1,
      added: 2,
      alsoChanged: 2,
      revised: 0,
      rejected: 0,
      failed: [],
    })
    const stored = [
      {
        title: 'Bitcoin and $LINK',
        feed: `${base}/rss`,
        editor: 'Example Wire',
        mentions: ['bitcoin name', 'chainlink ticker'],
      },
      { title: 'Weather', feed: `${base}/rss`, editor: 'Example Wire', mentions: [] },
    ]
    expect(await articles()).toEqual(stored)
    const state = await version()
    expect(state).toEqual({ version: 1, source: 'news-rss', observed_at: new Date('2026-11-21T09:00:00Z') })
    const editors = () => database.rows('select * from news_source')
    const before = await editors()
    expect(before).toMatchObject([
      {
        editor_normalized: 'example wire',
        first_seen_at: new Date('2026-11-20T09:00:00Z'),
        last_seen_at: new Date('2026-11-21T09:00:00Z'),
        loaded_at: NOW,
        source: 'news-rss',
      },
    ])
    expect(await run(minutesLater(30), '/rss')).toMatchObject({
      added: 0,
      revised: 0,
      unchanged: 2,
      alsoChanged: 0,
    })
    expect([await articles(), await version(), await editors()]).toEqual([stored, state, before])
  })

  it('keep their earlier version when a title is corrected, with its assets', async () => {
    bodies.set('/rss', rss({ title: 'Solana and Bitcoin', path: 'x' }))
    await run(NOW, '/rss')
    bodies.set('/rss', rss({ title: 'Solana and $LINK', path: 'x' }))
    // The title, a mention more, a mention less.
    expect(await run(minutesLater(30), '/rss')).toMatchObject({
      added: 0,
      revised: 1,
      unchanged: 0,
      alsoChanged: 2,
    })
    expect(await articles()).toMatchObject([{ mentions: ['chainlink ticker', 'solana name'] }])
    expect(await database.rows('select title, known_to from news_article order by known_from')).toEqual([
      { title: 'Solana and Bitcoin', known_to: minutesLater(30) },
      { title: 'Solana and $LINK', known_to: null },
    ])
    expect(
      await database.rows(
        `select matched_by::text, is_withdrawn, known_from, known_to from news_mention where asset_id = 1 order by known_from`,
      ),
    ).toEqual([
      { matched_by: 'name', is_withdrawn: false, known_from: NOW, known_to: minutesLater(30) },
      { matched_by: null, is_withdrawn: true, known_from: minutesLater(30), known_to: null },
    ])
    bodies.set('/rss', rss({ title: 'Solana and Bitcoin', path: 'x' }))
    await run(minutesLater(60), '/rss')
    expect(await articles()).toMatchObject([{ mentions: ['bitcoin name', 'solana name'] }])
  })

  it('belong to the feed that had them first: two feeds with different texts do not revise each other', async () => {
    bodies.set('/one', rss({ title: 'Bitcoin', path: 'x' }))
    bodies.set(
      '/two?key=secret',
      rss({ title: 'Bitcoin - Example Wire', path: 'x', editor: 'Other' }, { title: 'Own', editor: 'Other' }),
    )
    expect(await run(NOW, '/one', '/two?key=secret')).toMatchObject({
      done: 2,
      added: 2,
      unchanged: 1,
      alsoChanged: 1,
    })
    expect(await run(minutesLater(30), '/two?key=secret', '/one')).toMatchObject({ added: 0, revised: 0 })
    const feeds = (await articles()).map(({ title, feed }) => [title, feed])
    expect(feeds).toEqual([
      ['Bitcoin', `${base}/one`],
      ['Own', expect.stringMatching(`^${base}/two#[0-9a-f]{8}$`)],
    ])
    const [state] = await database.rows<{ parts: Record<string, object> }>(
      `select parts from dataset_state where dataset = 'news'`,
    )
    expect(Object.keys(state?.parts ?? {})).toHaveLength(2)
    expect(JSON.stringify(state)).not.toContain('secret')
    expect(state?.parts[`${base}/one`]).toMatchObject({
      attribution: `Headlines of ${base}/one, linked to their articles`,
      licensed_for_commercial_use: false,
    })
    const runs = await database.rows<{ origin: string }>('select distinct origin from ingest_run')
    expect(JSON.stringify(runs)).not.toContain('secret')
  })

  it('of a failing feed stay, and the other feeds go on', async () => {
    bodies.set('/good', rss({ title: 'Bitcoin' }))
    bodies.set('/cut', rss({ title: 'Ethereum' }, { title: 'Solana' }).slice(0, -30))
    bodies.set('/page', '<!DOCTYPE html><html></html>')
    bodies.set('/large', `<rss>${' '.repeat(8 * 2 ** 20)}`)
    const summary = await run(NOW, '/cut', '/page', '/missing', '/large', '/good')
    expect(summary).toMatchObject({ done: 1, added: 1, alsoChanged: 1 })
    const failed = 'failed' in summary ? summary.failed : []
    expect(failed.map(({ name, reason }) => `${name}: ${reason}`)).toEqual([
      `${base}/cut: the body is cut off`,
      `${base}/page: the body is not a feed in RSS or Atom: it begins with "html"`,
      `${base}/missing: http://${base}/missing answered with status 404`,
      expect.stringMatching(`^${base}/large: the live source of news-rss failed: .*8388608|larger`),
    ])
    expect(await articles()).toHaveLength(1)
  })

  it('can come from a file, and replace synthetic ones', async () => {
    await seedWorld(database, NOW, ['news'])
    expect(await database.rows('select count(*)::int as rows from news_article')).toEqual([{ rows: 365 }])
    const summary = await runGroup(newsGroup, depsAt(NOW), {
      source: bytes(rss({ title: 'Bitcoin' }, { title: 'Late', at: '2026-11-22T10:00:01Z' })),
    })
    expect(summary).toMatchObject({ rows: 1, rejected: 1 })
    expect('removedSeed' in summary && summary.removedSeed).toBeGreaterThan(365)
    expect(await articles()).toMatchObject([{ title: 'Bitcoin', feed: 'file' }])
    expect(await seedWorld(database, NOW, ['news'])).toMatchObject({ news: null })
  })

  it('are read by the schedule with configured feeds; it fails if no feed can be read', async () => {
    const names = (newsFeeds: readonly string[]) => createJobs({ newsFeeds }).map(({ name }) => name)
    expect(names(['https://a.example/']).filter((name) => !names([]).includes(name))).toEqual(['news-rss'])
    bodies.set('/rss', rss({ title: 'Bitcoin' }))
    const attempt = (path: string) =>
      jobOf('news-rss', { newsFeeds: [`http://${base}${path}`] }).run({
        database,
        clock: fixedClock(NOW),
        log,
        http,
        signer: null as never, // the job signs nothing
        coversTo: NOW,
        signal: new AbortController().signal,
      })
    expect(await attempt('/rss')).toEqual({
      counts: { added: 1, revised: 0, unchanged: 0, rejected: 0, absent: 0 },
      note: null,
      unfinished: null,
    })
    await expect(attempt('/none')).rejects.toThrow(`no feed was read: ${base}/none: `)
  })

  it('take the same number of statements for one and for hundreds', async () => {
    const counted = async (text: string, at: Date) => {
      let statements = 0
      const counting: Database = {
        ...database,
        transaction: (work) =>
          database.transaction((tx) => {
            const rows: typeof tx.rows = (sql, parameters) => {
              statements += 1
              return tx.rows(sql, parameters)
            }
            return work({ ...tx, rows })
          }),
      }
      await runGroup(newsGroup, { ...depsAt(at), database: counting }, { source: bytes(text) })
      return statements
    }
    const one = await counted(rss({ title: 'Bitcoin' }), NOW)
    const many = Array.from({ length: 300 }, (_, at) => ({ title: `Bitcoin ${at}`, editor: `Editor ${at}` }))
    expect(await counted(rss(...many), minutesLater(1))).toBe(one)
  })
})
