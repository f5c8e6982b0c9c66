import { sha256Hex } from '../../core/canonical-json.js'
import { type Registered, registerDatasets } from '../../core/datasets.js'
import { withoutTrailing } from '../../core/without-trailing.js'

const DATASETS = registerDatasets({ news: 'daily' })

declare module '../../core/datasets.js' {
  interface Datasets extends Registered<typeof DATASETS> {}
}

export const MENTION_MATCHES = ['name', 'ticker'] as const

/** How a headline names an asset; `name` if it does so in both ways. */
export type MentionMatch = (typeof MENTION_MATCHES)[number]

export interface Mention {
  readonly assetId: number
  readonly matchedBy: MentionMatch
}

/** Finds the assets that a headline names. */
export type FindMentions = (title: string) => readonly Mention[]

/** An editor, with the name as a feed gives it. */
export interface Editor {
  /** SHA-256 of `normalized`. */
  readonly newsSourceId: string
  readonly name: string
  readonly normalized: string
}

/** The stored members of an article; its text is not stored. */
export interface NewsArticle {
  readonly articleHk: string
  /** Plain text. */
  readonly title: string
  /** http or https, without tracking parameters and fragment. */
  readonly link: string
  readonly editor: Editor
  readonly publishedAt: Date
  /** Host and path of the feed. */
  readonly feed: string
  readonly mentions: readonly Mention[]
}

/** Headlines are on or after the day of the first block of Bitcoin. */
export const FIRST_PUBLICATION = new Date('2009-01-03T00:00:00Z')

/** Accents of Latin, Greek and Cyrillic letters do not matter; marks of other scripts distinguish words. */
const ACCENTS = /[\u0300-\u036f]/g

/**
 * The editor with that name. Case, accents, punctuation and blanks do not matter. Null for a name without a letter
 * or digit.
 */
export function parseEditor(name: string): Editor | null {
  const normalized = name
    .normalize('NFKD')
    .replace(ACCENTS, '')
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ')
    .trim()
  return normalized === '' ? null : { newsSourceId: sha256Hex(normalized), name, normalized }
}

/** Parameters by which publishers track readers; they do not select a page. */
const TRACKING_PARAMETERS = [
  /^utm_/,
  /^at_(medium|campaign|custom\d|link_.*|format|ptr_name|bbc_team)$/,
  /^mc_(cid|eid)$/,
  /^_hs(enc|mi)$/,
  /^(fbclid|gclid|dclid|gbraid|wbraid|msclkid|yclid|twclid|ttclid|igshid|igsh|cmpid|ncid|smid|xtor|guccounter)$/,
] as const

/** The URL of an article without tracking parameters and fragment. */
export function toArticleLink(address: URL): string {
  const link = new URL(address)
  for (const name of new Set(link.searchParams.keys())) {
    if (TRACKING_PARAMETERS.some((tracking) => tracking.test(name.toLowerCase())))
      link.searchParams.delete(name)
  }
  link.hash = ''
  return link.href
}

/**
 * The key of the article of a link from `toArticleLink`. Scheme, order of parameters and a final slash do not
 * matter.
 */
export function hashArticleLink(link: string): string {
  const { host, pathname, searchParams } = new URL(link)
  searchParams.sort()
  const query = searchParams.toString()
  return sha256Hex(`${host}${withoutTrailing(pathname, '/')}${query === '' ? '' : `?${query}`}`)
}
