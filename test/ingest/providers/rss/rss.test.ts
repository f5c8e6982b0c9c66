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
async function read(body: string | Uint8Array) {
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
  const items: (NewsArticle | string)[] = []
  for await (const item of feed.parseStream(inPieces(bytes), { now: NOW, onRead: () => undefined })) {
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

  it('takes the source of an item as its editor, a guid as its link, and dc:date as its time', async () => {
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

  it('rejects items one by one, with all that is wrong', async () => {
    const link = '<link>https://a.example/1</link>'
    const reasons = await read(
      rss(
        `<title>No link</title>${TIME}`,
        `<title>Script</title><link>javascript:alert(1)</link>${TIME}`,
        `<title>Relative</title><link>/news/1</link>${TIME}`,
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
      'First',
      'item 12, "Again": the link is there already, as item 11',
    ])
  })

  it('takes no editor that is long, or becomes long when it is normalised', async () => {
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

  it('leaves no control character, mark of direction or half of a character in a title', async () => {
    const [article] = await read(
      rss(
        `<title>a\u202eb&amp;#0;&amp;#xD800;\tc\n\n d&amp;#x7;e&amp;nope;</title><link>https://a.example/1</link>${TIME}`,
      ),
    )
    expect(article).toMatchObject({ title: 'ab&#0; c de&nope;' })
  })

  it('reads titles that are all markup at once', async () => {
    const markup = ['&lt;!--', '&lt;a', '&amp;', '&lt;'].map((text) => text.repeat(2_000))
    const began = performance.now()
    await read(rss(...Array.from({ length: 100 }, (_, at) => `<title>${markup[at % 4]}</title>`)))
    expect(performance.now() - began).toBeLessThan(3_000)
  })

  it('holds no more of an element than it takes', async () => {
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

const LAUGHS = `<!DOCTYPE lolz [<!ENTITY lol "lol">${Array.from({ length: 9 }, (_, at) => `<!ENTITY lol${at + 1} "${`&lol${at === 0 ? '' : at};`.repeat(10)}">`).join('')}]>`

describe('a body that is no feed', () => {
  const item = `<title>A</title><link>https://a.example/1</link>${TIME}`
  it.each([
    ['an HTML page', '<!DOCTYPE html><html><body>Not found</body></html>', 'document type'],
    ['a page without a type', '<html><body>Not found</body></html>', 'begins with "html"'],
    ['nothing', '', 'no XML'],
    ['blanks', ' \n ', 'no XML'],
    ['an error as JSON', '{"error":"rate limit"}', 'no XML'],
    ['an error as XML', '<error><message>denied</message></error>', 'begins with "error"'],
    [
      'RSS 1.0',
      '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"/>',
      'begins with "other:RDF"',
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
    ['an entity that is not declared', rss(`<title>a&nbsp;b</title>`), 'no XML from line'],
    ['another encoding', '<?xml version="1.0" encoding="ISO-8859-1"?><rss/>', 'not in UTF-8'],
    ['other bytes', Buffer.from(rss('<title>\xe9</title>'), 'latin1'), 'not UTF-8'],
    ['UTF-16', Buffer.from(`\ufeff${rss(item)}`, 'utf16le'), 'UTF-8|no XML'],
    [
      'too many items',
      rss(...Array.from({ length: 2_001 }, (_, at) => item.replace('/1<', `/${at}<`))),
      'more than 2000 items',
    ],
    ['elements without end', `<rss>${'<a>'.repeat(100)}`, 'nested too deeply'],
  ])('%s is refused as a whole', async (_what, body, message) => {
    await expect(read(body)).rejects.toThrow(BrokenBody)
    await expect(read(body)).rejects.toThrow(new RegExp(message))
  })
})
