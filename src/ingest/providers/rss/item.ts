import {
  FIRST_PUBLICATION,
  type FindMentions,
  hashArticleLink,
  type NewsArticle,
  parseEditor,
  toArticleLink,
} from '../../../domains/news/model.js'
import { type Read, readAll, readOn } from '../../bodies/read.js'
import { quoted } from '../../feed.js'
import { plainText, plainTextOfHtml } from './plain-text.js'
import { parseWrittenInstant } from './written-instant.js'

/** The longest headlines have a few hundred characters. */
const MAX_TITLE_LENGTH = 500
const MAX_LINK_LENGTH = 2_000
const MAX_EDITOR_LENGTH = 200

/** The raw texts of an article; null if absent. */
export interface FeedItem {
  readonly title: string | null
  /** Whether the title is HTML. */
  readonly isHtml: boolean
  readonly link: string | null
  /** The id of the item, used if it has no link. */
  readonly permalink: string | null
  /** URL of the feed's site. */
  readonly feedLink: string | null
  readonly published: string | null
  readonly editor: string | null
}

export interface ItemContext {
  readonly now: Date
  /** Name of the feed. */
  readonly feed: string
  /** URL of the feed; null if it is read from a file. */
  readonly url: string | null
  readonly findMentions: FindMentions
}

/** The article of an item, or everything that is wrong with it. */
export function readItem(item: FeedItem, { now, feed, url, findMentions }: ItemContext): Read<NewsArticle> {
  const read = readAll({
    title: readTitle(toItemTitle(item)),
    link: readLink(item, url),
    publishedAt: readPublication(item.published ?? '', now),
    editor: readEditor(plainTextOfHtml(item.editor ?? '')),
  })
  return readOn(read, (texts) => ({
    value: { ...texts, articleHk: hashArticleLink(texts.link), feed, mentions: findMentions(texts.title) },
  }))
}

/** The title of an item as plain text. */
export function toItemTitle({ title, isHtml }: FeedItem): string {
  return isHtml ? plainTextOfHtml(title ?? '') : plainText(title ?? '')
}

function readTitle(title: string): Read<string> {
  if (title === '') return { wrong: 'the title is missing' }
  if (title.length > MAX_TITLE_LENGTH)
    return { wrong: `the title has more than ${MAX_TITLE_LENGTH} characters` }
  return { value: title }
}

function readLink({ link, permalink, feedLink }: FeedItem, feedUrl: string | null): Read<string> {
  const written = plainText(link ?? permalink ?? '')
  if (written === '') return { wrong: 'the link is missing' }
  if (written.length > MAX_LINK_LENGTH)
    return { wrong: `the link has more than ${MAX_LINK_LENGTH} characters` }
  const base = [plainText(feedLink ?? ''), feedUrl].find(
    (address) => address !== null && isWebAddress(address),
  )
  const isRelative = link !== null && !URL.canParse(written) && /^[^\s#]+$/.test(written)
  if (isRelative && base == null)
    return { wrong: `the link ${quoted(written)} is relative, but the feed states no base URL` }
  const address =
    isRelative && URL.canParse(written, base ?? undefined)
      ? new URL(written, base ?? undefined).href
      : written
  if (!isWebAddress(address)) return { wrong: `the link ${quoted(written)} must be an http or https address` }
  return { value: toArticleLink(new URL(address)) }
}

function isWebAddress(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : null
  return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === ''
}

function readPublication(text: string, now: Date): Read<Date> {
  if (text.trim() === '') return { wrong: 'the time of publication is missing' }
  const instant = parseWrittenInstant(text)
  if (instant === null)
    return {
      wrong: `the time ${quoted(text)} must be a day with time and zone, as RFC 822 or RFC 3339 writes it`,
    }
  if (instant > now) return { wrong: `the time ${instant.toISOString()} is in the future` }
  if (instant < FIRST_PUBLICATION)
    return { wrong: `the time ${instant.toISOString()} is before ${FIRST_PUBLICATION.toISOString()}` }
  return { value: instant }
}

function readEditor(name: string): Read<NewsArticle['editor']> {
  const editor = parseEditor(name)
  if (editor === null) return { wrong: 'neither the item nor the feed before it names an editor' }
  // Normalisation may turn one character into eighteen.
  return Math.max(name.length, editor.normalized.length) > MAX_EDITOR_LENGTH
    ? { wrong: `the editor has more than ${MAX_EDITOR_LENGTH} characters` }
    : { value: editor }
}
