import type { Provider } from '../../feed.js'

/** Who runs this gateway, and gives it facts of their own in files. */
export const operator: Provider = {
  id: 'operator',
  name: 'Operator of this gateway',
  url: 'about:blank',
  licence: 'As the operator of this gateway decides',
  attribution: 'Given by the operator of this gateway',
  disclaimer: 'Given by the operator of this gateway; not from a public source.',
  licensedForCommercialUse: true,
}
