/** The exchanges of consensus prices, with their names. */
export const EXCHANGES = [
  ['binance', 'Binance'],
  ['bitstamp', 'Bitstamp'],
  ['coinbase', 'Coinbase'],
  ['kraken', 'Kraken'],
  ['okx', 'OKX'],
] as const

/** The name of an exchange as people write it. */
export function getExchangeName(exchange: string): string {
  return EXCHANGES.find(([id]) => id === exchange)?.[1] ?? exchange
}
