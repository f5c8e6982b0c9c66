import { withoutTrailing } from '../../../core/without-trailing.js'
import type { TokenContract } from '../../../domains/instruments/model.js'
import type { SupplyRow } from '../../../domains/market/model.js'
import { named, type Read, readOn } from '../../bodies/read.js'
import type { Parsed } from '../../feed.js'
import type { ChainHead } from './chain-head.js'

/** The database's column has 30 decimals and 35 digits before the decimal point. */
const MAX_DECIMALS = 30
const MAX_INTEGER_DIGITS = 35

/** A token whose supply is read. */
export interface CountedToken {
  readonly assetId: number
  readonly slug: string
  readonly contract: TokenContract
}

/** The result of a contract call, or its error in words that follow the name of the function. */
export type Counted = Read<bigint>

/** The supply of a token, or a rejection, from the contract's answers at that block. */
export function toTokenSupply(
  token: CountedToken,
  { total, decimals }: { readonly total: Counted; readonly decimals: Counted },
  head: ChainHead,
): Parsed<SupplyRow> {
  const read = readSupply(total, decimals)
  if ('value' in read) return { kind: 'row', row: rowOf(token, head, read.value) }
  const position = `${token.slug}, contract ${token.contract.address} on chain ${token.contract.chainId}`
  return { kind: 'rejected', position, reason: read.wrong }
}

function rowOf({ assetId, contract }: CountedToken, { block, time }: ChainHead, supply: string): SupplyRow {
  const methodology =
    `totalSupply() of the contract ${contract.address} on chain ${contract.chainId} at block ${Number(block)}. ` +
    'Units that are locked or not yet released count as existing.'
  return { assetId, supply, observedAt: time, methodology }
}

function readSupply(units: Counted, places: Counted): Read<string> {
  // One call after another: if the first fails because the address has no contract, the second would fail too.
  return readOn(named('totalSupply()', units), (total) =>
    readOn(named('decimals()', places), (decimals) => {
      if (decimals > BigInt(MAX_DECIMALS))
        return { wrong: `decimals() is ${decimals}, above ${MAX_DECIMALS}` }
      if (total === 0n) return { wrong: 'totalSupply() is zero' }
      const value = shifted(total, Number(decimals))
      const [whole = ''] = value.split('.')
      return whole.length > MAX_INTEGER_DIGITS
        ? { wrong: 'totalSupply() is beyond the supported range' }
        : { value }
    }),
  )
}

function shifted(units: bigint, places: number): string {
  const digits = String(units).padStart(places + 1, '0')
  const whole = digits.slice(0, digits.length - places)
  const fraction = withoutTrailing(digits.slice(digits.length - places), '0')
  return fraction === '' ? whole : `${whole}.${fraction}`
}
