import { isIP } from 'node:net'
import { hostOf, isPublicAddress } from '../../platform/http-client/public-address.js'
import type { WebhookHosts } from './model.js'

export const MAX_URL_LENGTH = 2_048

const HTTPS_PORT = 443
/** Lower ports belong to system services, which do not receive webhooks. */
const FIRST_FREE_PORT = 1_024

/** The problem of a URL for a webhook; null when it is valid. Each attempt checks the addresses that its host resolves to. */
export function urlFault(text: string, hosts: WebhookHosts): string | null {
  if (text.length > MAX_URL_LENGTH) return `must have at most ${MAX_URL_LENGTH} characters`
  if (!URL.canParse(text) || !/^[!-~]+$/.test(text))
    return 'must be a URL, for example https://example.com/hook'
  const url = new URL(text)
  const isLocal = hosts.localHosts.has(hostOf(url))
  if (url.protocol !== 'https:' && !(isLocal && url.protocol === 'http:'))
    return hosts.localHosts.size === 0
      ? 'must begin with https://'
      : 'must begin with https://, or with http://localhost on a gateway in development'
  if (url.username !== '' || url.password !== '') return 'must have no user and no password'
  if (url.hash !== '') return 'must have no fragment'
  const port = url.port === '' ? null : Number(url.port) // null: the port of the scheme
  if (port !== null && port !== HTTPS_PORT && port < FIRST_FREE_PORT)
    return `must have port 443 or a port from ${FIRST_FREE_PORT}`
  return isLocal || isPublicHost(hostOf(url), hosts.privateHosts)
    ? null
    : 'the host must be publicly reachable; the operator can allow it with WEBHOOK_PRIVATE_HOSTS'
}

function isPublicHost(host: string, privateHosts: ReadonlySet<string>): boolean {
  if (privateHosts.has(host)) return true
  if (isIP(host) !== 0) return isPublicAddress(host)
  const name = host.replace(/\.$/, '')
  return name.includes('.') && !/(^|\.)(localhost|local|internal|home\.arpa|onion)$/.test(name)
}
