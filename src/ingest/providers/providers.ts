import type { Provider } from '../feed.js'
import table from './providers.json' with { type: 'json' }

/** Every provider, with the terms that its data come under. `note` in the table says where they stand. */
export const {
  binanceProvider,
  bis,
  bitstampProvider,
  boj,
  bok,
  coinMetrics,
  coinbaseProvider,
  defiLlama,
  ecb,
  etherscan,
  euSanctions,
  evm,
  gleif,
  imf,
  ishares,
  krakenProvider,
  newsPublishers,
  ofac,
  okxProvider,
  openFigi,
  openSanctions,
  operator,
  sec,
  sourcify,
  tiingo,
  worldBank,
  xtrackers,
}: Readonly<Record<keyof typeof table, Provider>> = table

/** The day of the last check of the facts in the folder `reference`; every change of them raises it. */
export const REFERENCE_VERSION = '2026-11-25'

export const referenceProvider: Provider = {
  ...table.reference,
  attribution: `${table.reference.attribution}, version ${REFERENCE_VERSION}`,
}
