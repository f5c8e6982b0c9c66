import type { Provider } from '../../feed.js'

/** The day on which the facts of this folder were last checked; raised with every change of them. */
export const REFERENCE_VERSION = '2026-11-25'

/** The master facts that ship with the gateway. */
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
