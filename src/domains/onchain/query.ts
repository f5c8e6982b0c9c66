import { type Given, parsePastDay, shownText } from '../../core/argument-parsers.js'
import { notFound } from '../../core/errors.js'
import { type EvmAddress, explainEvmAddress, parseEvmAddress } from '../../core/identifiers.js'
import { Problems } from '../../core/problems.js'
import { type IsoDate, toIsoDate } from '../../core/time.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import { CHAINS, type Chain, MAX_ADDRESSES } from './model.js'

/** The requested snapshots. */
export interface SnapshotsQuery {
  readonly chain: Chain
  /** In the order of the request, including duplicates. */
  readonly addresses: readonly EvmAddress[]
  /** A past day. Null means today. */
  readonly pastDay: IsoDate | null
}

interface GivenSnapshots {
  readonly chainId: number
  /** Each with the name of the argument. */
  readonly addresses: readonly { readonly field: string; readonly text: string }[]
  readonly snapshotDate: Given<string>
}

/** Parses the query. The 422 names every malformed argument. A chain that is not served is a 404. */
export function parseSnapshotsQuery(
  { chainId, addresses: given, snapshotDate }: GivenSnapshots,
  { now }: RequestContext,
): SnapshotsQuery {
  const problems = new Problems()
  const addresses = given.flatMap(({ field, text }) => {
    const address = parseEvmAddress(text)
    if (address === null)
      problems.add(field, `${explainEvmAddress(text) ?? 'is not an address'}; got ${shownText(text)}`)
    return address ?? []
  })
  const today = toIsoDate(now)
  const day = parsePastDay(problems, 'snapshot_date', snapshotDate, now)
  problems.refuse()
  return { chain: findChain(chainId), addresses, pastDay: day === today ? null : day }
}

/** The addresses with the names of their arguments. An empty or too long list is a 422. */
export function parseAddressList(texts: readonly string[]): GivenSnapshots['addresses'] {
  const problems = new Problems()
  if (texts.length < 1 || texts.length > MAX_ADDRESSES)
    problems.add('addresses', `must have 1 to ${MAX_ADDRESSES} addresses; got ${texts.length}`)
  problems.refuse()
  return texts.map((text, at) => ({ field: `addresses[${at}]`, text }))
}

function findChain(chainId: number): Chain {
  const chain = CHAINS.find((one) => one.chainId === chainId)
  if (chain !== undefined) return chain
  const known = CHAINS.map((one) => `${one.chainId} (${one.name})`).join(', ')
  throw notFound(`The chain ${chainId} is not served. Use one of ${known}.`)
}
