import { lookup } from 'node:dns/promises'
import { BlockList, isIP, type LookupFunction } from 'node:net'

/** Every address behind a host name, or the host itself where it is an address. */
export type Resolve = (host: string) => Promise<readonly string[]>

/** IPv4 that is not globally reachable: the IANA special-purpose registry (RFC 6890), multicast and class E. */
const NOT_PUBLIC_IPV4 = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const

/** Global unicast; mapped, translated, local and multicast addresses lie outside. */
const GLOBAL_IPV6 = ['2000::', 3] as const

/** Inside of it: protocol assignments with Teredo, documentation, 6to4, which carries any IPv4 address. */
const NOT_PUBLIC_IPV6 = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const

const refusedIpv4 = new BlockList()
for (const [net, prefix] of NOT_PUBLIC_IPV4) refusedIpv4.addSubnet(net, prefix, 'ipv4')
const refusedIpv6 = new BlockList()
for (const [net, prefix] of NOT_PUBLIC_IPV6) refusedIpv6.addSubnet(net, prefix, 'ipv6')
const globalIpv6 = new BlockList()
globalIpv6.addSubnet(...GLOBAL_IPV6, 'ipv6')

/** Whether an address is public; false for a text that is not an address. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address)
  if (family === 4) return !refusedIpv4.check(address, 'ipv4')
  if (family !== 6 || address.includes('%')) return false
  return globalIpv6.check(address, 'ipv6') && !refusedIpv6.check(address, 'ipv6')
}

/** Whether an address is one of this machine (RFC 1122 §3.2.1.3, RFC 4291 §2.5.3). */
export function isLoopbackAddress(address: string): boolean {
  return address === '::1' || (isIP(address) === 4 && address.startsWith('127.'))
}

/** Uses the system's resolver. */
export const resolveHost: Resolve = async (host) => {
  if (isIP(host) !== 0) return [host]
  const found = await lookup(host, { all: true })
  return found.map(({ address }) => address)
}

/** The host of a URL for sockets: IPv6 without brackets. URL has already normalized IPv4 to dotted decimals. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1')
}

/** The host has an address that may not be connected to. */
export class ForbiddenAddress extends Error {
  override readonly name = 'ForbiddenAddress'

  constructor(host: string) {
    super(`${host} is, or leads to, an address that is not public`)
  }
}

/**
 * A `lookup` for sockets that returns checked addresses only, so a name that resolves differently a moment later has no
 * effect. One forbidden address among several refuses the name. Sockets do not look up hosts that are addresses;
 * `assertAllowed` checks those.
 */
export function checkedLookup(resolve: Resolve, isAllowed: (address: string) => boolean): LookupFunction {
  return (host, options, callback) => {
    checkedAddresses(host, resolve, isAllowed).then(
      (addresses) => {
        const found = addresses.map((address) => ({ address, family: isIP(address) }))
        const [first] = found
        if (options.all || first === undefined) callback(null, found)
        else callback(null, first.address, first.family)
      },
      (error: NodeJS.ErrnoException) => callback(error, []),
    )
  }
}

async function checkedAddresses(host: string, resolve: Resolve, isAllowed: (address: string) => boolean) {
  const addresses = await resolve(host)
  if (addresses.length === 0 || !addresses.every(isAllowed)) throw new ForbiddenAddress(host)
  return addresses
}

/** Throws if the host is itself an address that is not allowed. */
export function assertAllowed(host: string, isAllowed: (address: string) => boolean): void {
  if (isIP(host) !== 0 && !isAllowed(host)) throw new ForbiddenAddress(host)
}
