import type { TokenContract } from '../../../domains/instruments/model.js'
import type { SupplyRow } from '../../../domains/market/model.js'
import { type Parsed, quoted } from '../../feed.js'
import type { ChainHead } from './chain-head.js'
import type { RpcAnswer, RpcCall } from './json-rpc.js'

/** First four bytes of keccak256 of `totalSupply()` and of `decimals()` (ERC-20). */
const TOTAL_SUPPLY = '0x18160ddd'
const DECIMALS = '0x313ce567'

/** The database's column has 30 decimals and 35 digits before the point. */
const MAX_DECIMALS = 30
const MAX_INTEGER_DIGITS = 35

/** A token whose units are counted. */
export interface CountedToken {
  readonly assetId: number
  readonly slug: string
  readonly contract: TokenContract
}

/** Two calls for each token, at one block. */
export function supplyCalls(tokens: readonly CountedToken[], { block }: ChainHead): readonly RpcCall[] {
  return tokens.flatMap(({ contract }) =>
    [TOTAL_SUPPLY, DECIMALS].map((data) => ({
      method: 'eth_call',
      params: [{ to: contract.address, data }, block],
    })),
  )
}

/** A supply, or why there is none, of each token, from the answers to `supplyCalls`. */
export function* parseSupplies(
  answers: readonly RpcAnswer[],
  tokens: readonly CountedToken[],
  head: ChainHead,
): Generator<Parsed<SupplyRow>> {
  for (const [at, token] of tokens.entries()) {
    const read = readSupply(answers[at * 2], answers[at * 2 + 1])
    if ('wrong' in read) {
      const position = `${token.slug}, contract ${token.contract.address} on chain ${token.contract.chainId}`
      yield { kind: 'rejected', position, reason: read.wrong }
      continue
    }
    yield { kind: 'row', row: rowOf(token, head, read.value) }
  }
}

function rowOf({ assetId, contract }: CountedToken, { block, time }: ChainHead, supply: string): SupplyRow {
  const methodology =
    `totalSupply() of the contract ${contract.address} on chain ${contract.chainId} at block ${Number(block)}. ` +
    'Units that are locked or not yet released count as existing.'
  return { assetId, supply, observedAt: time, methodology }
}

type Read<Value> = { readonly value: Value } | { readonly wrong: string }

function readSupply(total: RpcAnswer | undefined, decimals: RpcAnswer | undefined): Read<string> {
  const units = readWord(total, 'totalSupply()')
  const places = readWord(decimals, 'decimals()')
  if ('wrong' in units) return units
  if ('wrong' in places) return places
  if (places.value > BigInt(MAX_DECIMALS))
    return { wrong: `decimals() is ${places.value}, above ${MAX_DECIMALS}` }
  if (units.value === 0n) return { wrong: 'totalSupply() is zero' }
  const supply = shifted(units.value, Number(places.value))
  const [whole = ''] = supply.split('.')
  return whole.length > MAX_INTEGER_DIGITS
    ? { wrong: 'totalSupply() is beyond any token' }
    : { value: supply }
}

/** One word of the contract interface: 32 bytes. */
function readWord(answer: RpcAnswer | undefined, call: string): Read<bigint> {
  if (answer === undefined) return { wrong: `${call} was not answered` }
  if ('error' in answer) return { wrong: `${call} failed: ${quoted(answer.error)}` }
  if (answer.result === '0x')
    return { wrong: `${call} gave nothing: there is no such contract at the address` }
  const isWord = typeof answer.result === 'string' && /^0x[0-9a-f]{64}$/i.test(answer.result)
  return isWord
    ? { value: BigInt(String(answer.result)) }
    : { wrong: `${call} gave no number of 32 bytes: ${quoted(String(answer.result))}` }
}

function shifted(units: bigint, places: number): string {
  const digits = String(units).padStart(places + 1, '0')
  const whole = digits.slice(0, digits.length - places)
  const fraction = digits.slice(digits.length - places).replace(/0+$/, '')
  return fraction === '' ? whole : `${whole}.${fraction}`
}
