import type { Provider } from '../../feed.js'

/** Holdings of Xtrackers funds as DWS publishes them. Terms: https://etf.dws.com */
export const xtrackers: Provider = {
  id: 'xtrackers',
  name: 'Xtrackers by DWS',
  url: 'https://etf.dws.com',
  licence: 'Own use of the operator; no redistribution without a licence of DWS',
  attribution: 'Source: Xtrackers by DWS',
  disclaimer: 'Holdings are subject to change. DWS does not endorse this service.',
  licensedForCommercialUse: false,
}
