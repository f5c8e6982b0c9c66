import type { Provider } from '../../feed.js'

/** Restrictive measures of the EU, transcribed from the Official Journal. */
export const euSanctions: Provider = {
  id: 'eu-sanctions',
  name: 'Official Journal of the European Union',
  url: 'https://eur-lex.europa.eu',
  licence: 'Reuse is free with credit (Commission Decision 2011/833/EU)',
  attribution: 'Source: Official Journal of the European Union, EUR-Lex',
  disclaimer: 'Only the Official Journal binds.',
  licensedForCommercialUse: true,
}
