import type { DownloadClient, HttpClient, HttpRequest } from './http-client.js'

/** Variables that hold the operator's key of a provider; a feed writes the name where the key belongs in a path. */
export const PROVIDER_KEY_VARIABLES = ['BOK_API_KEY'] as const

export type ProviderKeyVariable = (typeof PROVIDER_KEY_VARIABLES)[number]

/** The keys that are configured. */
export type ProviderKeys = Readonly<Partial<Record<ProviderKeyVariable, string>>>

/**
 * The client with keys put into the paths of requests that name their variable. Logs and messages show the name: a key in
 * a path looks like any other segment.
 */
export function withProviderKeys(
  http: HttpClient & DownloadClient,
  keys: ProviderKeys,
): HttpClient & DownloadClient {
  const sent = (request: HttpRequest): HttpRequest => {
    const url = new URL(request.url)
    const segments = url.pathname.split('/')
    const variable = PROVIDER_KEY_VARIABLES.find((name) => segments.includes(name))
    const key = variable === undefined ? undefined : keys[variable]
    if (key === undefined) return request
    url.pathname = segments
      .map((segment) => (segment === variable ? encodeURIComponent(key) : segment))
      .join('/')
    return { ...request, url: url.href, shownUrl: request.shownUrl ?? request.url }
  }
  return {
    request: (request) => http.request(sent(request)),
    download: (request, path) => http.download(sent(request), path),
  }
}
