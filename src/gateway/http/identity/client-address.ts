import { isIPv4, isIPv6 } from 'node:net'

/** Replaces everything that is not an IP address. */
export const NO_ADDRESS = 'unknown'

/**
 * Normalizes the address that a client is counted by: dotted decimal for IPv4 (including IPv4-mapped IPv6), and the /64
 * prefix for IPv6, because one client has all its 2^64 addresses (RFC 6177 §2). Accepts the text of a socket or of a
 * proxy's header: with port, brackets, zone id or surrounding spaces, in any case. Anything else becomes `unknown`.
 */
export function normalizeAddress(text: string | null | undefined): string {
  const address = withoutPort(text?.trim() ?? '')
  if (isIPv4(address)) return address
  const [ipv6 = ''] = address.split('%')
  return isIPv6(ipv6) ? clientOf(groupsOf(ipv6)) : NO_ADDRESS
}

/**
 * The networks of a normalized address, the larger first: /32 and /48 for IPv6, /16 and /24 for IPv4. Providers give the first to
 * one another and the second to one customer or site.
 */
export function networksOf(address: string): readonly [string, string] {
  const separator = address.includes(':') ? ':' : '.'
  const parts = address.split(separator)
  return [parts.slice(0, 2).join(separator), parts.slice(0, 3).join(separator)]
}

/** `[address]:port`, `[address]` and `ipv4:port` without port and brackets; a bare IPv6 address has no port. */
function withoutPort(text: string): string {
  const [, inBrackets] = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(text) ?? []
  if (inBrackets !== undefined) return inBrackets
  const [, beforePort] = /^([\d.]+):\d{1,5}$/.exec(text) ?? []
  return beforePort ?? text
}

/** The eight numbers of an IPv6 address. */
function groupsOf(ipv6: string): readonly number[] {
  const [head = '', tail] = ipv6.split('::')
  const first = numbersOf(head)
  if (tail === undefined) return first
  const last = numbersOf(tail)
  return [...first, ...Array<number>(8 - first.length - last.length).fill(0), ...last]
}

/** Parses groups of hexadecimal digits; the last group may be an IPv4 address. */
function numbersOf(groups: string): readonly number[] {
  if (groups === '') return []
  return groups.split(':').flatMap((group) => {
    if (!group.includes('.')) return [Number.parseInt(group, 16)]
    const [a = 0, b = 0, c = 0, d = 0] = group.split('.').map(Number)
    return [a * 256 + b, c * 256 + d]
  })
}

/** ::ffff:0:0/96, RFC 4291 §2.5.5.2. */
const MAPPED_PREFIX = '0:0:0:0:0:ffff'

function clientOf(groups: readonly number[]): string {
  const hexadecimal = groups.map((group) => group.toString(16))
  if (hexadecimal.slice(0, 6).join(':') !== MAPPED_PREFIX) return `${hexadecimal.slice(0, 4).join(':')}::/64`
  return groups
    .slice(6)
    .flatMap((group) => [group >> 8, group & 255])
    .join('.')
}
