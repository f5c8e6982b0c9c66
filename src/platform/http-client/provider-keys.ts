import { z } from 'zod'
import type { DownloadClient, HttpClient, HttpRequest } from './http-client.js'

/**
 * Environment variables with an operator's key or identity for a provider. A feed writes the variable's name where the value
 * belongs, as a path segment, as a header, as a word of a header or as a text of a JSON body.
 */
export const PROVIDER_KEY_FORMS = {
  ALPACA_API_KEY_ID: z
    .string()
    .regex(/^\w{1,64}$/, 'must be the key id of Alpaca: letters and digits')
    .optional(),
  ALPACA_API_SECRET_KEY: z
    .string()
    .regex(/^\w{1,128}$/, 'must be the secret key of Alpaca: letters and digits')
    .optional(),
  BLS_API_KEY: z
    .string()
    .regex(/^[0-9a-f]{16,64}$/i, 'must be a registration key of the BLS: hexadecimal digits')
    .optional(),
  BOK_API_KEY: z
    .string()
    .regex(/^[\w-]{1,64}$/, 'must be an API key of ECOS: letters and digits')
    .optional(),
  SEC_USER_AGENT: z
    .string()
    .max(200, 'must have at most 200 characters')
    .regex(
      /^[!-~][ -~]* [!-?A-~]+@[!-?A-~]+$/,
      'must be a name and an e-mail address: Example Ltd data@example.com',
    )
    .optional(),
  TIINGO_API_KEY: z
    .string()
    .regex(/^[\w-]{1,64}$/, 'must be a token of Tiingo: letters and digits')
    .optional(),
} as const

export type ProviderKeyVariable = keyof typeof PROVIDER_KEY_FORMS

export const PROVIDER_KEY_VARIABLES = Object.keys(PROVIDER_KEY_FORMS) as readonly ProviderKeyVariable[] // its keys

/** The keys that are configured. */
export type ProviderKeys = Readonly<Partial<Record<ProviderKeyVariable, string>>>

/**
 * The client that replaces names of variables in requests by their values. Logs and messages show the name, because a key in
 * a path looks like any other segment.
 */
export function withProviderKeys(
  http: HttpClient & DownloadClient,
  keys: ProviderKeys,
): HttpClient & DownloadClient {
  const sent = (request: HttpRequest) => withBody(withHeaders(withPath(request, keys), keys), keys)
  return {
    request: (request) => http.request(sent(request)),
    download: (request, path) => http.download(sent(request), path),
  }
}

function withPath(request: HttpRequest, keys: ProviderKeys): HttpRequest {
  const url = new URL(request.url)
  const segments = url.pathname.split('/')
  if (!segments.some((segment) => keyNamed(segment, keys) !== undefined)) return request
  url.pathname = segments
    .map((segment) => {
      const key = keyNamed(segment, keys)
      return key === undefined ? segment : encodeURIComponent(key)
    })
    .join('/')
  return { ...request, url: url.href, shownUrl: request.shownUrl ?? request.url }
}

function withHeaders(request: HttpRequest, keys: ProviderKeys): HttpRequest {
  const { headers } = request
  if (headers === undefined) return request
  const given = Object.entries(headers)
  const filledIn = (value: string) =>
    value
      .split(' ')
      .map((word) => keyNamed(word, keys) ?? word)
      .join(' ')
  if (!given.some(([, value]) => filledIn(value) !== value)) return request
  const filled = given.map(([name, value]) => [name, filledIn(value)] as const)
  return { ...request, headers: Object.fromEntries(filled) }
}

/** The texts of a JSON body that name a variable. */
function withBody(request: HttpRequest, keys: ProviderKeys): HttpRequest {
  const { body } = request
  if (typeof body !== 'string') return request
  const filled = body.replace(/"([A-Z_]{1,40})"/g, (text, name: string) => {
    const key = keyNamed(name, keys)
    return key === undefined ? text : JSON.stringify(key)
  })
  return filled === body ? request : { ...request, body: filled }
}

/** The value of the variable; undefined for any other text and for a variable that is not set. */
function keyNamed(text: string, keys: ProviderKeys): string | undefined {
  const variable = PROVIDER_KEY_VARIABLES.find((name) => name === text)
  return variable && keys[variable]
}
