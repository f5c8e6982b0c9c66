import {
  articleHkOf,
  articleLinkOf,
  editorOf,
  FIRST_PUBLICATION,
  type FindMentions,
  type NewsArticle,
} from '../../../domains/news/model.js'
import type { Read } from '../../bodies/read.js'
import { quoted } from '../../feed.js'
import { plainText, plainTextOfHtml } from './plain-text.js'
import { parseWrittenInstant } from './written-instant.js'

/** Headlines have some hundred characters. */
const MAX_TITLE_LENGTH = 500
const MAX_LINK_LENGTH = 2_000
const MAX_EDITOR_LENGTH = 200

/** What a feed says of an article, as it is written; null: nothing. */
export interface FeedItem {
  readonly title: string | null
  /** Whether the title is HTML. */
  readonly isHtml: boolean
  readonly link: string | null
  readonly published: string | null
  readonly editor: string | null
}

export interface ItemContext {
  readonly now: Date
  /** Name of the feed. */
  readonly feed: string
  readonly findMentions: FindMentions
}

/** The article of an item, or all that is wrong with it. */
export function readItem(item: FeedItem, { now, feed, findMentions }: ItemContext): Read<NewsArticle> {
  const title = readTitle(itemTitleOf(item))
  const link = readLink(plainText(item.link ?? ''))
  const publishedAt = readPublication(item.published ?? '', now)
  const editor = readEditor(plainTextOfHtml(item.editor ?? ''))
  if ('wrong' in title || 'wrong' in link || 'wrong' in publishedAt || 'wrong' in editor) {
    const faults = [title, link, publishedAt, editor].flatMap((read) => ('wrong' in read ? read.wrong : []))
    return { wrong: faults.join('; ') }
  }
  return {
    value: {
      articleHk: articleHkOf(link.value),
      title: title.value,
      link: link.value,
      editor: editor.value,
      publishedAt: publishedAt.value,
      feed,
      mentions: findMentions(title.value),
    },
  }
}

/** The title of an item as plain text. */
export function itemTitleOf({ title, isHtml }: FeedItem): string {
  return isHtml ? plainTextOfHtml(title ?? '') : plainText(title ?? '')
}

function readTitle(title: string): Read<string> {
  if (title === '') return { wrong: 'the title is missing' }
  if (title.length > MAX_TITLE_LENGTH)
    return { wrong: `the title has more than ${MAX_TITLE_LENGTH} characters` }
  return { value: title }
}

function readLink(link: string): Read<string> {
  if (link === '') return { wrong: 'the link is missing' }
  if (link.length > MAX_LINK_LENGTH) return { wrong: `the link has more than ${MAX_LINK_LENGTH} characters` }
  const url = URL.canParse(link) ? new URL(link) : null
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '')
    return { wrong: `the link ${quoted(link)} must be an http or https address` }
  return { value: articleLinkOf(url) }
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
  const editor = editorOf(name)
  if (editor === null) return { wrong: 'neither the item nor the feed before it names an editor' }
  // One character may be eighteen when it is normalised.
  return Math.max(name.length, editor.normalized.length) > MAX_EDITOR_LENGTH
    ? { wrong: `the editor has more than ${MAX_EDITOR_LENGTH} characters` }
    : { value: editor }
}
