import type { Provider } from '../../feed.js'

/** The day of the last check of the facts in this folder; every change of them raises it. */
export const REFERENCE_VERSION = '2026-11-25'

/** The master data that ships with the gateway. */
export const referenceProvider: Provider = {
  id: 'reference',
  name: 'Reference data of the gateway',
  url: 'about:blank',
  licence: 'Apache-2.0, as the source code; identifiers are facts',
  attribution: `Reference data of the market data gateway, version ${REFERENCE_VERSION}`,
  disclaimer:
    'Compiled with care and without warranty; check identifiers with their issuers before you rely on them.',
  licensedForCommercialUse: true,
}
