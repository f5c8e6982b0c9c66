import type { IncomingMessage } from 'node:http'
import { ApiError } from '../../../core/errors.js'
import { KEY_PARAMETERS } from '../../../policy/compat-interfaces.js'
import { COMPAT_PREFIX } from '../../paths.js'

/** The target of a request. Only the request line determines it, never a header. */
export interface RequestTarget {
  readonly path: string
  /** The query string with its question mark and without a key; '' without one. */
  readonly search: string
  /** The key that the query has as `token`, or as the parameter of a compatible interface; null without one. */
  readonly urlKey: string | null
}

/** The absolute form of RFC 9112 §3.2.2, which clients of a proxy send. */
const ABSOLUTE = /^https?:\/\/[^/?#]*/i
/** A name or an IPv4 or bracketed IPv6 address, with or without a port. */
const HOST = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i
/** `.` and `..` as a segment, plain or percent-encoded, and backslashes, which some clients take for slashes. */
const UNSAFE_PATH = /\/(?:\.|%2e){1,2}(?:\/|$)|\\|%5c|#/i

/** Throws 400 for a target or Host header that a proxy in front of the gateway might interpret differently. */
export function parseTarget(request: IncomingMessage): RequestTarget {
  checkHost(request)
  const url = request.url ?? '/'
  const target = url.startsWith('/') ? url : originForm(url)
  const end = target.indexOf('?')
  const path = end < 0 ? target : target.slice(0, end)
  if (UNSAFE_PATH.test(path)) throw badTarget('The path has a dot segment, a backslash or a fragment.')
  return { path, ...takeUrlKey(path, end < 0 ? '' : target.slice(end)) }
}

/** Only a text that begins as a key does, because other paths have other tokens. */
const URL_KEY = /^(\w+)=mdg_(?:live|test)_/

/** Takes a key out of the query, so that it reaches no cache, link, log or error. Throws 400 for two of them. */
function takeUrlKey(path: string, search: string): Pick<RequestTarget, 'search' | 'urlKey'> {
  if (!search.includes('=mdg_')) return { search, urlKey: null }
  const names = keyParametersOf(path)
  const parameters = search.slice(1).split('&')
  const isKey = (parameter: string) => names.includes(URL_KEY.exec(parameter)?.[1] ?? '')
  const [key, ...more] = parameters.filter(isKey)
  if (more.length > 0) throw badTarget('The query has two keys; send one.')
  const others = parameters.filter((parameter) => !isKey(parameter)).join('&')
  const urlKey = key?.slice(key.indexOf('=') + 1) ?? null
  return { search: others === '' ? '' : `?${others}`, urlKey }
}

function keyParametersOf(path: string): readonly string[] {
  const own = Object.entries(KEY_PARAMETERS).find(([name]) => path.startsWith(`${COMPAT_PREFIX}/${name}/`))
  return own === undefined ? ['token'] : ['token', own[1]]
}

function originForm(url: string): string {
  // Only OPTIONS uses *, for the server as a whole.
  if (url === '*') return '/'
  const authority = ABSOLUTE.exec(url)?.[0]
  if (authority === undefined) throw badTarget('The request line has no path.')
  const target = url.slice(authority.length)
  return target.startsWith('/') ? target : `/${target}`
}

/** RFC 9112 §3.2: more than one Host field, or an invalid one, is a 400. */
function checkHost({ headers, rawHeaders }: IncomingMessage): void {
  let hosts = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts += 1
  }
  if (hosts > 1 || (headers.host !== undefined && headers.host !== '' && !HOST.test(headers.host)))
    throw badTarget('The Host header is malformed.')
}

function badTarget(message: string): ApiError {
  return new ApiError('bad_request', { message })
}
