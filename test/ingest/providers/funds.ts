import { fundProfileOf } from '../../../src/domains/etf/funds-model.js'
import type { Fund } from '../../../src/domains/etf/model.js'

const fund = (
  assetId: number,
  slug: string,
  ticker: string,
  isin: string,
  cik: string | null = null,
): Fund => ({
  assetId,
  slug,
  ticker,
  isin,
  cik,
  ...fundProfileOf(slug),
})

export const IVV = fund(2002, 'ishares-core-sp-500', 'IVV', 'US4642872000')
export const SPSK = fund(2006, 'sp-funds-global-sukuk', 'SPSK', 'US8863647025')
export const SPY = fund(2001, 'spdr-sp-500', 'SPY', 'US78462F1030', '0000884394')
export const XDWD = fund(9001, 'xtrackers-msci-world', 'XDWD', 'IE00BJ0KDQ92')

/** A run at an instant after all bodies. */
export const AT = { now: new Date('2026-11-20T12:00:00Z'), onRead: () => {}, onAbsent: () => {} }

export async function* chunksOf(...bodies: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* bodies
}

export const bytes = (text: string) => new TextEncoder().encode(text)
