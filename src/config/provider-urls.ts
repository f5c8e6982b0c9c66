import { suggest } from '../core/suggest.js'
import { PROVIDER_HOSTS, type ProviderUrls } from '../platform/http-client/provider-addresses.js'

const PREFIX = 'PROVIDER_URL_'

export interface ReadProviderUrls {
  readonly urls: ProviderUrls
  /** A line for each invalid variable. */
  readonly faults: readonly string[]
}

const variableOf = (id: string): string => PREFIX + id.toUpperCase().replaceAll('-', '_')
const idOf = (name: string): string => name.slice(PREFIX.length).toLowerCase().replaceAll('_', '-')

/** Parses variables such as PROVIDER_URL_ECB: base URLs that replace those of providers. */
export function parseProviderUrls(env: NodeJS.ProcessEnv): ReadProviderUrls {
  const given = Object.entries(env).flatMap(([name, value]) =>
    name.startsWith(PREFIX) && value ? [{ name, id: idOf(name), value }] : [],
  )
  const faults = given.flatMap(({ name, id, value }) => {
    const fault = wrongId(id) ?? wrongUrl(value)
    return fault === null ? [] : [`${name}: ${fault}`]
  })
  return { urls: Object.fromEntries(given.map(({ id, value }) => [id, value])), faults }
}

function wrongId(id: string): string | null {
  const known = Object.keys(PROVIDER_HOSTS)
  if (known.includes(id)) return null
  const likely = suggest(id, known)
  const hint = likely === null ? `use one of: ${known.join(', ')}` : `did you mean ${variableOf(likely)}?`
  return `unknown provider ${JSON.stringify(id)}; ${hint}`
}

/** Requires https, because the gateway serves the response as data of the provider. */
function wrongUrl(text: string): string | null {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null) return 'must be a URL: https://…'
  if (url.search !== '' || url.hash !== '') return 'must have no query and no fragment'
  if (url.username !== '' || url.password !== '') return 'must have no user and no password'
  if (url.protocol === 'https:') return null
  const isLoopback = ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname)
  return url.protocol === 'http:' && isLoopback
    ? null
    : 'must begin with https; http is allowed for this machine only'
}
