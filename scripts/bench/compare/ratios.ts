import { type Contender, type ContenderKind, contenderName } from '../shared/contenders.js'
import { OWN_LABEL } from '../shared/gateways.js'

/** Comparison of one contender with another: above 1 it is better. */
export interface Ratio {
  /** CPU time per request of the other divided by its own; null if unknown. */
  readonly cpu: number | null
  /** Its requests per second divided by those of the other. */
  readonly requestsPerSecond: number
}

export interface Figures {
  readonly name: string
  readonly requestsPerSecond: number
  readonly cpuMicrosecondsPerRequest: number | null
}

export type Pair = readonly [of: string, to: string]

/** Pairs whose ratio is shown if both were measured under the same Node.js. */
const PAIRS: readonly (readonly [ContenderKind, ContenderKind])[] = [
  ['gateway-warm', 'bare'],
  ['gateway-warm', 'bare-headers'],
  ['gateway-304', 'bare-304'],
  ['gateway-br', 'gateway-warm'],
  ['gateway-warm', 'fastify'],
  ['gateway-cold', 'fastify'],
  ['gateway-cold', 'yoga'],
  ['gateway-cold', 'prisma-include'],
  ['gateway-cold', 'mercurius'],
  ['gateway-cold', 'apollo'],
  ['gateway-cold', 'postgraphile'],
]

/** The pairs of every build and Node.js, and each gateway against those of the other builds under the same Node.js. */
export function pairsOf(contenders: readonly Contender[]): readonly Pair[] {
  return contenders.flatMap(({ kind, name, server: { gateway, node } }) => {
    if (gateway === null) return []
    const others = PAIRS.filter(([of]) => of === kind).map(
      ([, to]) => [name, contenderName(to, gateway.label, node.label)] as const,
    )
    const builds = contenders
      .filter((other) => other.kind === kind && other.server.node === node && gateway.label === OWN_LABEL)
      .filter((other) => other.name !== name)
      .map((other) => [name, other.name] as const)
    return [...others, ...builds]
  })
}

/** The ratios of the pairs that were measured, by `of / to`. */
export function ratiosOf(
  pairs: readonly Pair[],
  measured: readonly Figures[],
): Readonly<Record<string, Ratio>> {
  const byName = new Map(measured.map((figures) => [figures.name, figures]))
  const ratios = pairs.flatMap(([of, to]) => {
    const [own, other] = [byName.get(of), byName.get(to)]
    return own === undefined || other === undefined ? [] : [[`${of} / ${to}`, ratioOf(own, other)] as const]
  })
  return Object.fromEntries(ratios)
}

function ratioOf(own: Figures, other: Figures): Ratio {
  const [ownCpu, otherCpu] = [own.cpuMicrosecondsPerRequest, other.cpuMicrosecondsPerRequest]
  return {
    cpu: ownCpu === null || otherCpu === null ? null : otherCpu / ownCpu,
    requestsPerSecond: own.requestsPerSecond / other.requestsPerSecond,
  }
}
