import { sha256Hex } from '../core/canonical-json.js'

/** A longer list would be a crawl. */
export const MAX_NEWS_FEEDS = 50

const MAX_URL_LENGTH = 1_000

/** The feed addresses of `NEWS_FEEDS`, and what is wrong with the text, or null. */
export function parseNewsFeeds(text: string): {
  readonly urls: readonly string[]
  readonly fault: string | null
} {
  const urls = text
    .split(',')
    .map((url) => url.trim())
    .filter((url) => url !== '')
  return { urls, fault: faultOf(urls) }
}

function faultOf(urls: readonly string[]): string | null {
  if (urls.length > MAX_NEWS_FEEDS) return `must have at most ${MAX_NEWS_FEEDS} addresses`
  if (new Set(urls).size < urls.length) return 'has an address twice'
  // The address is not shown, because it may contain a key.
  const wrong = urls.findIndex((url) => !isFeedUrl(url))
  return wrong < 0
    ? null
    : `address ${wrong + 1} must be https (http on this machine only), without user, password and fragment, commas as %2C`
}

function isFeedUrl(text: string): boolean {
  if (text.length > MAX_URL_LENGTH || !URL.canParse(text)) return false
  const { protocol, hostname, username, password, hash } = new URL(text)
  if (username !== '' || password !== '' || hash !== '') return false
  const isLoopback = ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
  return protocol === 'https:' || (protocol === 'http:' && isLoopback)
}

/**
 * The public name of a feed: host and path. A part that may be a key is replaced by eight digits of the SHA-256 of the
 * address. `shown` is the address as it may be logged.
 */
export function newsFeedName(url: string, shown: string): string {
  const { host, pathname } = new URL(shown)
  const name = host + pathname.replace(/\/$/, '')
  const { host: ownHost, pathname: ownPath, search } = new URL(url)
  const isWhole = search === '' && name === ownHost + ownPath.replace(/\/$/, '')
  return isWhole ? name : `${name}#${sha256Hex(url).slice(0, 8)}`
}
