import type { Provider } from '../../feed.js'

/**
 * The terms of all venues agree in substance: own use is free, redistribution of raw market data is not allowed.
 */
function venueProvider(id: string, name: string, url: string): Provider {
  return {
    id,
    name,
    url,
    licence: `Market data of ${name}; raw data are not redistributed, only figures derived from them`,
    attribution: `Market data: ${name}`,
    disclaimer: 'Prices are given as the venue published them, without warranty, and are no offer to trade.',
    licensedForCommercialUse: false,
  }
}

/** Terms: https://www.binance.com/en/terms */
export const binanceProvider = venueProvider('binance', 'Binance', 'https://www.binance.com')

/** Terms: https://www.coinbase.com/legal/market_data */
export const coinbaseProvider = venueProvider(
  'coinbase',
  'Coinbase Exchange',
  'https://exchange.coinbase.com',
)

/** Terms: https://www.kraken.com/legal */
export const krakenProvider = venueProvider('kraken', 'Kraken', 'https://www.kraken.com')

/** Terms: https://www.bitstamp.net/legal */
export const bitstampProvider = venueProvider('bitstamp', 'Bitstamp', 'https://www.bitstamp.net')

/** Terms: https://www.okx.com/help/terms-of-service */
export const okxProvider = venueProvider('okx', 'OKX', 'https://www.okx.com')

/** Daily files of many venues. Terms: https://www.cryptodatadownload.com/data */
export const cryptoDataDownload: Provider = {
  id: 'cryptodatadownload',
  name: 'CryptoDataDownload',
  url: 'https://www.cryptodatadownload.com',
  licence: 'CC BY-NC-SA 4.0',
  attribution: 'Data: CryptoDataDownload, CC BY-NC-SA 4.0',
  disclaimer: 'Historical figures without warranty, not for commercial use.',
  licensedForCommercialUse: false,
}
