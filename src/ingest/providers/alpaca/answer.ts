import { isJsonObject, type Json, type JsonObject, shown, wholeJson } from '../../bodies/json/json-body.js'
import { BrokenBody, type FeedRequest, type Page } from '../../feed.js'

interface AlpacaPage {
  /** By symbol, or by kind of action. */
  readonly found: JsonObject
  readonly nextToken: string | null
}

const EMPTY: JsonObject = new Map()

/**
 * Reads a page whose data are in the member `name`. Throws BrokenBody for a page that is cut off, because its end names the
 * next page, for an error, which is an object with `message`, and for other JSON.
 */
export function readAlpacaPage(body: Uint8Array, name: string): AlpacaPage {
  const value = wholeJson(body)
  const found = isJsonObject(value) ? value.get(name) : undefined
  const token = isJsonObject(value) ? value.get('next_page_token') : undefined
  if (found !== null && !isJsonObject(found))
    throw new BrokenBody(`the body is ${reasonOf(value)}, not ${name}`)
  if (token !== null && typeof token !== 'string')
    throw new BrokenBody(`next_page_token is ${shown(token)}, so pages may be missing`)
  return { found: found ?? EMPTY, nextToken: token }
}

function reasonOf(value: Json): string {
  const message = isJsonObject(value) ? value.get('message') : undefined
  return message === undefined ? shown(value) : `the message ${shown(message)}`
}

/** The request for the page after one; null after the last page. */
export function nextAlpacaPage(
  { body, request }: Page & { readonly request: FeedRequest },
  name: string,
): FeedRequest | null {
  const { nextToken } = readAlpacaPage(body, name)
  if (nextToken === null) return null
  const url = new URL(request.url)
  url.searchParams.set('page_token', nextToken)
  return { ...request, url: url.href }
}
