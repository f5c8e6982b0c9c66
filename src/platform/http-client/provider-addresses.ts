import { PROVIDERS } from '../../core/providers.js'
import { withoutTrailing } from '../../core/without-trailing.js'
import type { DownloadClient, HttpClient, HttpRequest } from './http-client.js'

/** The hosts of each provider, by its id. */
export const PROVIDER_HOSTS: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.values(PROVIDERS).flatMap(({ id, hosts }) => (hosts === undefined ? [] : [[id, hosts]])),
)

/** Base address that replaces a provider's own, by its id. */
export type ProviderUrls = Readonly<Record<string, string>>

/**
 * The client that sends requests for a provider to another base address, such as a mirror or a proxy in the operator's
 * network. Path and query stay the same.
 */
export function withProviderUrls(
  http: HttpClient & DownloadClient,
  urls: ProviderUrls,
): HttpClient & DownloadClient {
  const bases = new Map(
    Object.entries(urls).flatMap(([id, base]) => (PROVIDER_HOSTS[id] ?? []).map((host) => [host, base])),
  )
  if (bases.size === 0) return http
  const sent = (request: HttpRequest): HttpRequest => {
    const { host, pathname, search } = new URL(request.url)
    const base = bases.get(host)
    if (base === undefined) return request
    // A mirror may serve several providers; failures of one do not count for the others.
    return { ...request, url: withoutTrailing(base, '/') + pathname + search, circuit: host }
  }
  return {
    request: (request) => http.request(sent(request)),
    download: (request, path) => http.download(sent(request), path),
  }
}
