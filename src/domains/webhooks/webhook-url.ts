import { isIP } from 'node:net'
import { hostOf, isPublicAddress } from '../../platform/http-client/public-address.js'

export const MAX_URL_LENGTH = 2_048

const HTTPS_PORT = 443
/** Lower ports belong to system services, which do not receive webhooks. */
const FIRST_FREE_PORT = 1_024

/** The problem of a URL for a webhook; null when it is valid. Each attempt checks the addresses that its host resolves to. */
export function urlFault(text: string, privateHosts: ReadonlySet<string>): string | null {
  if (text.length > MAX_URL_LENGTH) return `must have at most ${MAX_URL_LENGTH} characters`
  if (!URL.canParse(text) || !/^[!-~]+$/.test(text))
    return 'must be a URL, for example https://example.com/hook'
  const url = new URL(text)
  if (url.protocol !== 'https:') return 'must begin with https://'
  if (url.username !== '' || url.password !== '') return 'must have no user and no password'
  if (url.hash !== '') return 'must have no fragment'
  const port = url.port === '' ? HTTPS_PORT : Number(url.port)
  if (port !== HTTPS_PORT && port < FIRST_FREE_PORT)
    return `must have port 443 or a port from ${FIRST_FREE_PORT}`
  return isPublicHost(hostOf(url), privateHosts)
    ? null
    : 'the host must be publicly reachable; for local tests set WEBHOOK_PRIVATE_HOSTS'
}

function isPublicHost(host: string, privateHosts: ReadonlySet<string>): boolean {
  if (privateHosts.has(host)) return true
  if (isIP(host) !== 0) return isPublicAddress(host)
  const name = host.replace(/\.$/, '')
  return name.includes('.') && !/(^|\.)(localhost|local|internal|home\.arpa|onion)$/.test(name)
}
