import { guardedRequest } from './guarded-request.js'
import { ForbiddenAddress, hostOf, isPublicAddress, type Resolve, resolveHost } from './public-address.js'

/** The limit that RFC 1945 suggests; providers need one or two. */
const MAX_REDIRECTS = 5

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/** Also sent to the target of a redirect; other headers may contain the key of the first host. */
const HARMLESS_HEADERS: ReadonlySet<string> = new Set(['accept', 'accept-language', 'user-agent'])

/** A redirect that is not followed. The message names only the host. */
export class RefusedRedirect extends Error {
  override readonly name = 'RefusedRedirect'
}

export interface FollowedResponse {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly signal: AbortSignal
  /** Called before each further request. */
  readonly beforeRedirect?: () => Promise<void>
  /** The system's resolver by default. */
  readonly resolve?: Resolve
}

/**
 * GET that follows up to 5 redirects. The operator chose the first host, so any address of it is allowed. Hosts in redirects
 * must have public addresses, unless the first host is inside the operator's network. Redirects from https to http are
 * refused, and other origins get no headers that may contain a secret. Throws RefusedRedirect.
 */
export async function getFollowing({
  url,
  headers,
  signal,
  beforeRedirect = async () => {},
  resolve = resolveHost,
}: FollowedResponse): Promise<Response> {
  const first = new URL(url)
  let at = first
  let response = await fetch(first, { headers, redirect: 'manual', signal })
  for (let followed = 0; ; followed++) {
    const location = response.headers.get('location')
    if (!REDIRECTS.has(response.status) || location === null) return response
    await response.body?.cancel()
    if (followed >= MAX_REDIRECTS) throw new RefusedRedirect(`more than ${MAX_REDIRECTS} redirects`)
    at = nextAddress(at, location)
    await beforeRedirect()
    response =
      at.origin === first.origin
        ? await fetch(at, { headers, redirect: 'manual', signal })
        : await askElsewhere(at, first, { headers, signal, resolve })
  }
}

/** The target of a redirect. Throws RefusedRedirect if the address itself is not allowed. */
export function nextAddress(at: URL, location: string): URL {
  const next = URL.canParse(location, at.href) ? new URL(location, at.href) : null
  if (next === null || !['http:', 'https:'].includes(next.protocol))
    throw new RefusedRedirect('a redirect to a URL that is not http or https')
  if (at.protocol === 'https:' && next.protocol === 'http:')
    throw new RefusedRedirect(`a redirect from https to http at ${next.hostname}`)
  if (next.username !== '' || next.password !== '')
    throw new RefusedRedirect(`a redirect with a user name to ${next.hostname}`)
  return next
}

async function askElsewhere(
  url: URL,
  first: URL,
  { headers, signal, resolve }: Required<Omit<FollowedResponse, 'url' | 'beforeRedirect'>>,
): Promise<Response> {
  const harmless = Object.entries(headers).filter(([name]) => HARMLESS_HEADERS.has(name.toLowerCase()))
  const addresses = await resolve(hostOf(first))
  // A mirror at a private address may redirect to another one.
  const isInside = addresses.every((address) => !isPublicAddress(address))
  try {
    return await guardedRequest(
      { url, headers: Object.fromEntries(harmless), signal },
      isInside ? { isAllowed: () => true, resolve } : { resolve },
    )
  } catch (error) {
    if (error instanceof ForbiddenAddress) throw new RefusedRedirect(`a redirect: ${error.message}`)
    throw error
  }
}
