import type { Provider } from '../../feed.js'

/** The operator of this gateway, who supplies data in files. */
export const operator: Provider = {
  id: 'operator',
  name: 'Operator of this gateway',
  url: 'about:blank',
  licence: 'As the operator of this gateway decides',
  attribution: 'Given by the operator of this gateway',
  disclaimer: 'Given by the operator of this gateway; not from a public source.',
  licensedForCommercialUse: true,
}
