import { describe, expect, it } from 'vitest'
import { headlineRule } from '../../../../src/domains/news/headline-model.js'
import type { NewsArticle } from '../../../../src/domains/news/model.js'
import { BrokenBody } from '../../../../src/ingest/feed.js'
import { newsFeed } from '../../../../src/ingest/providers/rss/rss.js'

const NOW = new Date('2026-11-20T12:00:00Z')
const findMentions = headlineRule([{ assetId: 1, ticker: 'BTC', name: 'Bitcoin' }])
const feed = newsFeed({ url: 'https://a.example/rss', name: 'a.example/rss', findMentions })

async function* inPieces(bytes: Uint8Array) {
  for (let at = 0; at < bytes.length; at += 7) yield bytes.subarray(at, at + 7)
}

/** Each row as its article, each rejection as `position: reason`. */
async function read(body: string | Uint8Array, from = feed) {
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
  const items: (NewsArticle | string)[] = []
  for await (const item of from.parseStream(inPieces(bytes), {
    now: NOW,
    onRead: () => undefined,
    onAbsent: () => undefined,
  })) {
    items.push(item.kind === 'row' ? item.row : `${item.position}: ${item.reason}`)
  }
  return items
}

const TIME = '<pubDate>Fri, 20 Nov 2026 09:00:00 GMT</pubDate>'
const rss = (...items: readonly string[]) =>
  `<?xml version="1.0" encoding="UTF-8"?><rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"
    xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:media="http://search.yahoo.com/mrss/"><channel>
    <title>Example Wire</title><link>https://a.example/</link><atom:link rel="self" href="https://a.example/rss"/>
    <image><title>Logo</title><link>https://a.example/</link></image>
    ${items.map((item) => `<item>${item}</item>`).join('\n')}</channel></rss>`
const atom = (...entries: readonly string[]) =>
  `<feed xmlns="http://www.w3.org/2005/Atom"><title type="text">Sample Ledger</title>
    <link rel="self" href="https://b.example/atom"/>
    ${entries.map((entry) => `<entry>${entry}</entry>`).join('')}</feed>`

describe('a feed in RSS 2.0', () => {
  it('gives title, link, editor and time of each item, and nothing of its text', async () => {
    const [article, ...more] = await read(
      rss(
        `<media:title>Other</media:title><title>Bitcoin &amp;amp; gold: &lt;b&gt;&lt;i&gt;a&lt;/i&gt; tie&lt;/b&gt; &amp;#8211; 1 &lt; 2</title>
         <link>https://a.example/x?utm_source=rss&amp;id=1#top</link><description>The whole text</description>
         <guid isPermaLink="false">42</guid>${TIME}<author>someone@a.example</author>`,
      ),
    )
    expect(more).toEqual([])
    expect(article).toMatchObject({
      title: 'Bitcoin & gold: a tie – 1 < 2',
      link: 'https://a.example/x?id=1',
      editor: { name: 'Example Wire', normalized: 'example wire' },
      publishedAt: new Date('2026-11-20T09:00:00Z'),
      feed: 'a.example/rss',
      mentions: [{ assetId: 1, matchedBy: 'name' }],
    })
    expect(JSON.stringify(article)).not.toContain('whole text')
  })

  it('uses the source of an item as its editor, a guid as its link, and dc:date as its time', async () => {
    const [article] = await read(
      rss(
        `<title><![CDATA[One &quot;two&quot;]]></title><guid>https://c.example/1</guid>
         <dc:date>2026-11-19T23:30:00-05:00</dc:date><source url="https://c.example/">Placeholder  Post</source>`,
      ),
    )
    expect(article).toMatchObject({
      title: 'One "two"',
      link: 'https://c.example/1',
      editor: { name: 'Placeholder Post' },
      publishedAt: new Date('2026-11-20T04:30:00Z'),
    })
  })

  it('rejects items one by one, with all their faults', async () => {
    const link = '<link>https://a.example/1</link>'
    const reasons = await read(
      rss(
        `<title>No link</title>${TIME}`,
        `<title>Script</title><link>javascript:alert(1)</link>${TIME}`,
        `<title>Relative</title><guid>/news/1</guid>${TIME}`,
        `<title>Password</title><link>https://u:p@a.example/</link>${TIME}`,
        `<title>&lt;img src=x&gt;</title>${link}${TIME}`,
        `<title>No time</title>${link}`,
        `<title>Future</title>${link}<pubDate>Fri, 20 Nov 2026 12:00:01 GMT</pubDate>`,
        `<title>Epoch</title>${link}<pubDate>Thu, 01 Jan 1970 00:00:00 GMT</pubDate>`,
        `<title>Words</title>${link}<pubDate>yesterday</pubDate>`,
        `<title>${'x'.repeat(501)}</title><link>https://a.example/${'x'.repeat(2_000)}</link>`,
        `<title>First</title>${link}${TIME}`,
        `<title>Again</title><link>http://a.example/1/?utm_id=2</link>${TIME}`,
      ),
    )
    expect(reasons.map((item) => (typeof item === 'string' ? item : item.title))).toEqual([
      'item 1, "No link": the link is missing',
      'item 2, "Script": the link "javascript:alert(1)" must be an http or https address',
      'item 3, "Relative": the link "/news/1" must be an http or https address',
      'item 4, "Password": the link "https://u:p@a.example/" must be an http or https address',
      'item 5, "": the title is missing',
      'item 6, "No time": the time of publication is missing',
      'item 7, "Future": the time 2026-11-20T12:00:01.000Z is in the future',
      'item 8, "Epoch": the time 1970-01-01T00:00:00.000Z is before 2009-01-03T00:00:00.000Z',
      'item 9, "Words": the time "yesterday" must be a day with time and zone, as RFC 822 or RFC 3339 writes it',
      `item 10, "${'x'.repeat(39)}…": the title has more than 500 characters; the link has more than 2000 characters; the time of publication is missing`,
      'https://a.example/1: a later row of the body contradicts it',
      'item 12, "Again": item 11 already has the link',
    ])
  })

  it('accepts no editor that is long before or after normalisation', async () => {
    const item = (editor: string, path: string) =>
      `<title>A</title><link>https://a.example/${path}</link>${TIME}<source>${editor}</source>`
    const articles = await read(
      rss(item('x'.repeat(200), '1'), item('x'.repeat(201), '2'), item('\ufdfa'.repeat(20), '3')),
    )
    expect(articles).toEqual([
      expect.objectContaining({ title: 'A' }),
      'item 2, "A": the editor has more than 200 characters',
      'item 3, "A": the editor has more than 200 characters',
    ])
  })

  it('needs an editor', async () => {
    const body = `<rss><channel><item><title>A</title><link>https://a.example/1</link>${TIME}</item><title>Late</title></channel></rss>`
    expect(await read(body)).toEqual(['item 1, "A": neither the item nor the feed before it names an editor'])
  })

  it('removes control characters, direction marks and lone surrogates from a title', async () => {
    const [article] = await read(
      rss(
        `<title>a\u202eb&amp;#0;&amp;#xD800;\tc\n\n d&amp;#x7;e&amp;nope;</title><link>https://a.example/1</link>${TIME}`,
      ),
    )
    expect(article).toMatchObject({ title: 'ab&#0; c de&nope;' })
  })

  it('takes linear time for titles that are all markup', async () => {
    const cpuOf = async (repeats: number) => {
      const markup = ['&lt;!--', '&lt;a', '&amp;', '&lt;'].map((text) => text.repeat(repeats))
      const before = process.cpuUsage()
      await read(rss(...Array.from({ length: 60 }, (_, at) => `<title>${markup[at % 4]}</title>`)))
      const { user, system } = process.cpuUsage(before)
      return user + system
    }
    await cpuOf(1_000)
    // Eight times the length takes 64 times as long where each character is looked at again for each other one.
    expect((await cpuOf(8_000)) / (await cpuOf(1_000))).toBeLessThan(24)
  })

  it('holds no more of an element than it accepts', async () => {
    const huge = 'x'.repeat(900_000)
    const [first, second] = await read(
      rss(
        `<title>A</title><description>${huge}</description><link>https://a.example/1</link>${TIME}`,
        `<title>${huge}</title><link>https://a.example/2</link>${TIME}`,
      ),
    )
    expect(first).toMatchObject({ title: 'A' })
    expect(second).toContain('the title has more than 500 characters')
  })
})

describe('a feed in Atom', () => {
  it('gives the same; titles of text, HTML and XHTML are plain text', async () => {
    const parts =
      '<published>2026-11-20T10:00:00.250+01:00</published><updated>2026-11-20T11:00:00Z</updated>'
    const articles = await read(
      atom(
        `<title>AT&amp;amp;T &lt;1&gt;</title><link rel="enclosure" href="https://b.example/m"/><link href="https://b.example/1"/>${parts}`,
        `<title type="html">&lt;b&gt;Bit&amp;shy;coin&lt;/b&gt; &amp;amp; co</title><link rel="alternate" href="https://b.example/2"/><updated>2026-11-20T11:00:00Z</updated>`,
        `<title type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">One <em>two</em>, three</div></title><link href="https://b.example/3"/>${parts}<source><title>Demo Dispatch</title></source>`,
      ),
    )
    expect(articles).toMatchObject([
      {
        title: 'AT&amp;T <1>',
        link: 'https://b.example/1',
        publishedAt: new Date('2026-11-20T09:00:00.250Z'),
      },
      { title: 'Bitcoin & co', link: 'https://b.example/2', publishedAt: new Date('2026-11-20T11:00:00Z') },
      { title: 'One two, three', editor: { name: 'Demo Dispatch' } },
    ])
    expect(articles[0]).toMatchObject({ editor: { name: 'Sample Ledger' } })
  })
})

describe('a feed of another kind', () => {
  const rdf = (inside: string) =>
    `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"
      xmlns:dc="http://purl.org/dc/elements/1.1/">${inside}</rdf:RDF>`
  const item = (about: string, parts = '') =>
    `<item rdf:about="${about}"><title>Bitcoin</title>${parts}<dc:date>2026-11-19T14:15:00Z</dc:date></item>`

  it('can be RSS 1.0, with items beside the channel', async () => {
    const channel =
      '<channel rdf:about="https://c.example/"><title>Demo Bank</title><link>https://c.example/</link></channel>'
    const about = 'https://c.example/press/1'
    const articles = await read(
      rdf(channel + item(about) + item('https://c.example/2', '<link>/press/2</link>')),
    )
    expect(articles).toMatchObject([
      { link: about, editor: { name: 'Demo Bank' }, publishedAt: new Date('2026-11-19T14:15:00Z') },
      { link: 'https://c.example/press/2' },
    ])
  })

  it('in RSS 1.0 without a channel has the host of its items as their editor', async () => {
    expect(await read(rdf(item('https://c.example/press/1')))).toMatchObject([
      { editor: { name: 'c.example' } },
    ])
  })

  it('may have a document type, which is not fetched', async () => {
    const type = '<!DOCTYPE rss PUBLIC "-//Example//DTD RSS 0.91//EN" "http://127.0.0.1:1/rss-0.91.dtd">'
    const body = rss(`<title>A</title><link>https://a.example/1</link>${TIME}`).replace('?>', `?>${type}`)
    expect(await read(body)).toMatchObject([{ title: 'A' }])
  })

  it('is read in its declared encoding', async () => {
    const body = rss(`<title>Caf\u00e9</title><link>https://a.example/1</link>${TIME}`).replace(
      'UTF-8',
      'ISO-8859-1',
    )
    expect(await read(Buffer.from(body, 'latin1'))).toMatchObject([{ title: 'Caf\u00e9' }])
  })

  it('may have named characters of HTML, and keeps unknown names as written', async () => {
    const title = 'Bitcoin&nbsp;caf&eacute;&mdash;&pi; &amp;Scaron; &amp;valueOf; &amp;frac34;'
    expect(await read(rss(`<title>${title}</title><link>https://a.example/1</link>${TIME}`))).toMatchObject([
      { title: 'Bitcoin caf\u00e9\u2014\u03c0 \u0160 &valueOf; \u00be' },
    ])
  })
})

describe('a relative link', () => {
  const item = `<item><title>A</title><link>/news/1?id=2</link>${TIME}</item>`
  const link = '<link>https://site.example/home/</link>'
  const body = (channel: string) => `<rss><channel><title>W</title>${channel}${item}</channel></rss>`

  it("is resolved against the feed's site, else against the URL of the feed", async () => {
    expect(await read(body(link))).toMatchObject([{ link: 'https://site.example/news/1?id=2' }])
    expect(await read(body(''))).toMatchObject([{ link: 'https://a.example/news/1?id=2' }])
    expect(await read(body('<link>javascript:alert(1)</link>'))).toMatchObject([
      { link: 'https://a.example/news/1?id=2' },
    ])
  })

  it('is refused in a file of a feed without a site', async () => {
    const file = newsFeed({ url: null, name: 'file', findMentions })
    expect(await read(body(''), file)).toEqual([
      'item 1, "A": the link "/news/1?id=2" is relative, but the feed states no base URL',
    ])
  })
})

const LAUGHS = `<!DOCTYPE lolz [<!ENTITY lol "lol">${Array.from({ length: 9 }, (_, at) => `<!ENTITY lol${at + 1} "${`&lol${at === 0 ? '' : at};`.repeat(10)}">`).join('')}]>`

describe('a body that is not a feed', () => {
  const item = `<title>A</title><link>https://a.example/1</link>${TIME}`
  it.each([
    ['an HTML page', '<!DOCTYPE html><html><body>Not found</body></html>', 'begins with "html"'],
    ['a page without a type', '<html><body>Not found</body></html>', 'begins with "html"'],
    ['nothing', '', 'not XML'],
    ['blanks', ' \n ', 'not XML'],
    ['an error as JSON', '{"error":"rate limit"}', 'not XML'],
    ['an error as XML', '<error><message>denied</message></error>', 'begins with "error"'],
    [
      'RSS 1.0 without an item',
      '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"/>',
      'no item',
    ],
    ['a feed without an item', rss(), 'no item'],
    ['a truncated feed', rss(item).slice(0, -20), 'cut off'],
    ['a feed cut off in a tag', rss(item).slice(0, -3), 'cut off'],
    [
      'billion laughs',
      `<?xml version="1.0"?>${LAUGHS}<rss><channel><item><title>&lol9;</title></item></channel></rss>`,
      'document type',
    ],
    [
      'an external entity',
      '<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]><rss>&x;</rss>',
      'document type',
    ],
    ['an entity that is not declared', rss(`<title>a&nope;b</title>`), 'not XML from line'],
    ['an encoding that nobody knows', '<?xml version="1.0" encoding="KLINGON"?><rss/>', 'must be in UTF-8'],
    ['an encoding that it is not in', '<?xml version="1.0" encoding="UTF-16"?><rss/>', 'must be in UTF-8'],
    ['other bytes', Buffer.from(rss('<title>\xe9</title>'), 'latin1'), 'not UTF-8'],
    ['UTF-16', Buffer.from(`\ufeff${rss(item)}`, 'utf16le'), 'UTF-8|not XML'],
    [
      'too many items',
      rss(...Array.from({ length: 2_001 }, (_, at) => item.replace('/1<', `/${at}<`))),
      'more than 2000 items',
    ],
    ['elements without end', `<rss>${'<a>'.repeat(100)}`, 'nested too deeply'],
  ])('%s is refused completely', async (_what, body, message) => {
    await expect(read(body)).rejects.toThrow(BrokenBody)
    await expect(read(body)).rejects.toThrow(new RegExp(message))
  })
})
