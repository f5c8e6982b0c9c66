import { isDeepStrictEqual } from 'node:util'
import { PROVIDERS, type Provider } from '../../../core/providers.js'
import type { FindMentions, NewsArticle } from '../../../domains/news/model.js'
import { HTML_ENTITIES } from '../../bodies/html-entities.js'
import { withoutContradicted } from '../../bodies/without-contradicted.js'
import { withoutLeadingBlanks } from '../../bodies/without-leading-blanks.js'
import { type XmlTag, xmlTags } from '../../bodies/xml-tags.js'
import {
  BrokenBody,
  type FeedRequest,
  type ParseContext,
  type Parsed,
  quoted,
  type StreamFeed,
} from '../../feed.js'
import { type FeedItem, type ItemContext, readItem, toItemTitle } from './item.js'

export const NEWS_FEED = 'news-rss'

/** Feeds of newspapers have ten to a hundred items. */
const MAX_ITEMS = 2_000

/** Longest text of one element, longer than any accepted value. */
const MAX_TEXT_LENGTH = 10_000

export interface NewsFeedOptions {
  /** Null if it is read from a file. */
  readonly url: string | null
  /** Name of the feed in the data. */
  readonly name: string
  readonly findMentions: FindMentions
}

/** The headlines of a feed in RSS (0.9 to 2.0) or Atom 1.0. */
export function newsFeed({ url, name, findMentions }: NewsFeedOptions): StreamFeed<NewsArticle> {
  return {
    id: NEWS_FEED,
    provider: createPublisher(name),
    dataset: 'news',
    part: name,
    description: 'Headlines of feeds in RSS or Atom: title, link, editor and time',
    cadence: 'every 30 minutes, where NEWS_FEEDS is set',
    request: () => (url === null ? null : requestOf(url)),
    parseStream: (body, context) => parseNews(body, context, { feed: name, url, findMentions }),
  }
}

/** Several feeds may belong to one publisher. */
function requestOf(url: string): FeedRequest {
  return {
    url,
    headers: { accept: 'application/rss+xml, application/atom+xml, application/xml;q=0.9' },
    rate: { provider: new URL(url).host, pauseMs: 1_000 },
  }
}

/**
 * The articles of a body, without those that it contradicts. Throws BrokenBody if the body is not a feed, is cut
 * off or has no item.
 */
export async function* parseNews(
  body: AsyncIterable<Uint8Array>,
  { now }: ParseContext,
  options: Omit<ItemContext, 'now'>,
): AsyncGenerator<Parsed<NewsArticle>> {
  const parsed: Parsed<NewsArticle>[] = []
  for await (const item of parseItems(body, now, options)) parsed.push(item)
  yield* withoutContradicted(parsed, ({ link }) => link)
}

async function* parseItems(
  body: AsyncIterable<Uint8Array>,
  now: Date,
  options: Omit<ItemContext, 'now'>,
): AsyncGenerator<Parsed<NewsArticle>> {
  const reader = new FeedReader()
  const taken = new Map<string, { readonly place: number; readonly row: NewsArticle }>()
  let items = 0
  for await (const tag of xmlTags(withoutLeadingBlanks(body), { entities: HTML_ENTITIES })) {
    const item = reader.read(tag)
    if (item === null) continue
    items += 1
    if (items > MAX_ITEMS) throw new BrokenBody(`the feed has more than ${MAX_ITEMS} items`)
    const position = `item ${items}, ${quoted(toItemTitle(item))}`
    const read = readItem(item, { now, ...options })
    if ('wrong' in read) {
      yield { kind: 'rejected', position, reason: read.wrong }
      continue
    }
    const { articleHk } = read.value
    const earlier = taken.get(articleHk)
    if (earlier !== undefined) {
      const reason = `item ${earlier.place} already has the link`
      const isOther = !isDeepStrictEqual({ ...earlier.row, link: '' }, { ...read.value, link: '' })
      yield { kind: 'rejected', position, reason, ...(isOther ? { contradicts: earlier.row } : {}) }
      continue
    }
    taken.set(articleHk, { place: items, row: read.value })
    yield { kind: 'row', row: read.value }
  }
  if (items === 0) throw new BrokenBody('the feed has no item')
}

const ATOM = 'http://www.w3.org/2005/Atom'
const RDF = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#'
/** RSS 1.0 and its two predecessors, which use RDF. */
const RSS_IN_RDF: readonly string[] = [
  'http://purl.org/rss/1.0/',
  'http://my.netscape.com/rdf/simple/0.9/',
  'http://channel.netscape.com/rdf/simple/0.9/',
]
const DUBLIN_CORE = 'http://purl.org/dc/elements/1.1/'

/** The dialect of a feed by its root: the names of its items and their parts. */
interface Dialect {
  readonly item: string
  /** Title of the feed, which names its editor. */
  readonly feedTitle: string
  /** URL of the feed's site, the base of relative links. */
  readonly feedLink: string
  /** The member of an item for each element path. */
  readonly parts: ReadonlyMap<string, Part>
}

type Part = 'title' | 'link' | 'guid' | 'published' | 'otherTime' | 'editor' | 'publisher'

const RSS: Dialect = {
  item: 'rss/channel/item',
  feedTitle: 'rss/channel/title',
  feedLink: 'rss/channel/link',
  parts: new Map<string, Part>([
    ['title', 'title'],
    ['link', 'link'],
    ['guid', 'guid'],
    ['pubDate', 'published'],
    ['dc:date', 'otherTime'],
    ['source', 'editor'],
    ['dc:publisher', 'publisher'],
  ]),
}

/** Its items are beside the channel. */
const RSS_1: Dialect = {
  ...RSS,
  item: 'rdf:RDF/item',
  feedTitle: 'rdf:RDF/channel/title',
  feedLink: 'rdf:RDF/channel/link',
}

const ATOM_1: Dialect = {
  item: 'atom:feed/atom:entry',
  feedTitle: 'atom:feed/atom:title',
  feedLink: 'atom:feed/atom:link',
  parts: new Map<string, Part>([
    ['atom:title', 'title'],
    ['atom:published', 'published'],
    ['atom:updated', 'otherTime'],
    ['atom:source/atom:title', 'editor'],
  ]),
}

const DIALECTS: ReadonlyMap<string, Dialect> = new Map([
  ['rss', RSS],
  ['rdf:RDF', RSS_1],
  ['atom:feed', ATOM_1],
])

/** Reads the items of a feed from its tags; it ignores elements of other namespaces. */
class FeedReader {
  readonly #path: string[] = []
  #dialect: Dialect = RSS
  #feedTitle: string | null = null
  #feedLink: string | null = null
  #item: Map<Part, string> | null = null
  #isHtml = true
  /** The current member and the depth of its element; null between members. */
  #text: { readonly depth: number; written: string } | null = null

  /** The item that the tag completes, or null. */
  read(tag: XmlTag): FeedItem | null {
    if (tag.kind === 'cut') throw new BrokenBody('the body is cut off')
    return tag.kind === 'open' ? this.#open(tag) : this.#close(tag.text)
  }

  #open(tag: XmlTag & { readonly kind: 'open' }): null {
    this.#add(tag.textBefore)
    const name = nameOf(tag)
    if (this.#path.length === 0) this.#begin(name)
    this.#path.push(name)
    const path = this.#path.join('/')
    if (path === this.#dialect.item) {
      this.#item = new Map()
      this.#isHtml = true
    }
    const part = this.#partAt(path)
    // The first of several counts.
    const isWanted = part !== undefined ? !this.#item?.has(part) : this.#isOfFeed(path)
    if (this.#text === null && isWanted) this.#text = { depth: this.#path.length, written: '' }
    if (path === `${ATOM_1.item}/atom:title`) this.#isHtml = tag.attribute('type') === 'html'
    if (path === `${ATOM_1.item}/atom:link` || path === ATOM_1.feedLink) this.#noteLink(tag)
    if (path === RSS_1.item) this.#noteAddress(tag)
    // Such an id names the article but is not its URL.
    if (part === 'guid' && tag.attribute('isPermaLink')?.toLowerCase() === 'false') this.#text = null
    return null
  }

  #close(text: string): FeedItem | null {
    this.#add(text)
    const path = this.#path.join('/')
    if (this.#text !== null && this.#text.depth === this.#path.length) {
      const { written } = this.#text
      const part = this.#partAt(path)
      if (part !== undefined && written.trim() !== '') this.#item?.set(part, written)
      if (path === this.#dialect.feedTitle) this.#feedTitle ??= written
      if (path === this.#dialect.feedLink && written.trim() !== '') this.#feedLink ??= written
      this.#text = null
    }
    this.#path.pop()
    return path === this.#dialect.item ? this.#endItem() : null
  }

  #begin(root: string): void {
    const dialect = DIALECTS.get(root)
    if (dialect === undefined)
      throw new BrokenBody(`the body is not a feed in RSS or Atom: it begins with ${quoted(root)}`)
    this.#dialect = dialect
  }

  #isOfFeed(path: string): boolean {
    return path === this.#dialect.feedTitle || path === this.#dialect.feedLink
  }

  #partAt(path: string): Part | undefined {
    const { item, parts } = this.#dialect
    return path.startsWith(`${item}/`) ? parts.get(path.slice(item.length + 1)) : undefined
  }

  #add(text: string): void {
    if (this.#text === null || this.#text.written.length > MAX_TEXT_LENGTH) return
    this.#text.written += text.slice(0, MAX_TEXT_LENGTH + 1)
  }

  #noteLink(tag: XmlTag & { readonly kind: 'open' }): void {
    const isArticle = (tag.attribute('rel') ?? 'alternate') === 'alternate'
    const address = tag.attribute('href') ?? ''
    if (!isArticle) return
    if (this.#item === null) this.#feedLink ??= address
    else if (!this.#item.has('link')) this.#item.set('link', address)
  }

  /** An item of RSS 1.0 has its URL as its name, which replaces a missing link. */
  #noteAddress(tag: XmlTag & { readonly kind: 'open' }): void {
    const address = tag.attribute('rdf:about')
    if (address !== null) this.#item?.set('guid', address)
  }

  /** Items of RSS 1.0 may come without a channel; then the host of their URL names the publisher. */
  #hostOf(item: ReadonlyMap<Part, string>): string | null {
    const address = item.get('guid') ?? ''
    return this.#dialect === RSS_1 && URL.canParse(address) ? new URL(address).hostname : null
  }

  #endItem(): FeedItem {
    const item = this.#item ?? new Map<Part, string>()
    this.#item = null
    return {
      title: item.get('title') ?? null,
      isHtml: this.#isHtml,
      link: item.get('link') ?? null,
      permalink: item.get('guid') ?? null,
      feedLink: this.#feedLink,
      published: item.get('published') ?? item.get('otherTime') ?? null,
      editor: item.get('editor') ?? item.get('publisher') ?? this.#feedTitle ?? this.#hostOf(item),
    }
  }
}

/** Names of RSS have no namespace here, whichever the feed uses. */
function nameOf({ name, namespace }: XmlTag & { readonly kind: 'open' }): string {
  if (namespace === '' || RSS_IN_RDF.includes(namespace)) return name
  if (namespace === RDF) return `rdf:${name}`
  if (namespace === ATOM) return `atom:${name}`
  return namespace === DUBLIN_CORE ? `dc:${name}` : `other:${name}`
}

/** The publisher of one feed, by its host and path. */
function createPublisher(feed: string): Provider {
  return {
    ...PROVIDERS.newsPublishers,
    name: feed,
    attribution: `Headlines of ${feed}, linked to their articles`,
  }
}
