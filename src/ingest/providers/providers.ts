import { PROVIDERS, type Provider } from '../../core/providers.js'

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
}: Readonly<Record<keyof typeof PROVIDERS, Provider>> = PROVIDERS

/** The day of the last check of the facts in the folder `reference`; every change of them raises it. */
export const REFERENCE_VERSION = '2026-11-25'

export const referenceProvider: Provider = {
  ...PROVIDERS.reference,
  attribution: `${PROVIDERS.reference.attribution}, version ${REFERENCE_VERSION}`,
}
