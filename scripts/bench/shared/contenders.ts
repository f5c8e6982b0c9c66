import type { Gateway } from './gateways.js'
import type { NodeBinary } from './nodes.js'

/** Programs that respond to requests. Each process has its own port. */
export type ServerKind =
  | 'bare'
  | 'fastify'
  | 'yoga'
  | 'prisma-include'
  | 'mercurius'
  | 'apollo'
  | 'postgraphile'
  | 'gateway-cold'
  | 'gateway-warm'

/** The names in `--contenders`: a server, or a variant of its requests. */
export const CONTENDER_KINDS = [
  'bare',
  'bare-headers',
  'bare-304',
  'fastify',
  'yoga',
  'prisma-include',
  'mercurius',
  'apollo',
  'postgraphile',
  'gateway-cold',
  'gateway-warm',
  'gateway-br',
  'gateway-304',
] as const

export type ContenderKind = (typeof CONTENDER_KINDS)[number]

/** Contenders with additional packages, which `--install` installs. */
export const INSTALLED_KINDS: readonly (ContenderKind | ServerKind)[] = [
  'mercurius',
  'apollo',
  'postgraphile',
]

/** A program, the build of the gateway, and the Node.js that runs it. */
export interface Server {
  /** Unique in a run, e.g. `before-cold@24`. */
  readonly name: string
  readonly kind: ServerKind
  readonly node: NodeBinary
  /** Null for another program than the gateway. */
  readonly gateway: Gateway | null
}

export interface Contender {
  /** Unique in a run, e.g. `before-304@24`. */
  readonly name: string
  readonly kind: ContenderKind
  readonly server: Server
}

/** PostGraphile returns errors under an older Node.js. */
const POSTGRAPHILE_NODE = 22

/** Why a kind is skipped under a Node.js; null if it runs. */
export function reasonToLeaveOut(kind: ContenderKind, { version }: NodeBinary): string | null {
  const major = Number(/^v(\d+)/.exec(version)?.[1])
  const isTooOld = kind === 'postgraphile' && major < POSTGRAPHILE_NODE
  return isTooOld ? `postgraphile needs Node.js ${POSTGRAPHILE_NODE}: left out under ${version}` : null
}

/** Every kind under every Node.js that can run it. The kinds of the gateway exist for every build. */
export function contendersOf(
  kinds: readonly ContenderKind[],
  gateways: readonly Gateway[],
  nodes: readonly NodeBinary[],
): readonly Contender[] {
  return nodes.flatMap((node) =>
    kinds.flatMap((kind) => {
      if (reasonToLeaveOut(kind, node) !== null) return []
      const builds = isGateway(kind) ? gateways : [null]
      return builds.map((gateway) => ({
        name: contenderName(kind, gateway?.label ?? null, node.label),
        kind,
        server: serverOf(serverKindOf(kind), gateway, node),
      }))
    }),
  )
}

export function serverOf(kind: ServerKind, gateway: Gateway | null, node: NodeBinary): Server {
  return { name: contenderName(kind, gateway?.label ?? null, node.label), kind, node, gateway }
}

/** `gateway-cold` of the build `before` under the Node.js `24` is `before-cold@24`. */
export function contenderName(kind: ContenderKind, gateway: string | null, node: string | null): string {
  const own = gateway !== null && isGateway(kind) ? kind.replace('gateway', gateway) : kind
  return node === null ? own : `${own}@${node}`
}

function serverKindOf(kind: ContenderKind): ServerKind {
  switch (kind) {
    case 'bare-headers':
    case 'bare-304':
      return 'bare'
    case 'gateway-br':
    case 'gateway-304':
      return 'gateway-warm'
    default:
      return kind
  }
}

/** Requests the response compressed with Brotli. */
export function isCompressed(kind: ContenderKind): boolean {
  return kind.endsWith('-br')
}

export function isGateway(kind: ContenderKind): boolean {
  return kind.startsWith('gateway-')
}

/** Requests with the ETag of the response, so that the response is a 304. */
export function isConditional(kind: ContenderKind): boolean {
  return kind.endsWith('-304')
}
