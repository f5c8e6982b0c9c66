import type { Provider } from '../../feed.js'

/** OpenFIGI, by Bloomberg. Terms: https://www.openfigi.com/docs/terms-of-service */
export const openFigi: Provider = {
  id: 'openfigi',
  name: 'OpenFIGI',
  url: 'https://www.openfigi.com/api',
  licence: 'Free reuse (OpenFIGI terms of service; FIGI is a standard of the Object Management Group)',
  attribution: 'Identifiers: OpenFIGI',
  disclaimer: 'Identifiers are given as they are, without warranty.',
  licensedForCommercialUse: true,
}
