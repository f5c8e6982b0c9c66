import type { Provider } from '../../feed.js'

/** OpenSanctions. Commercial use needs a licence of its own: https://www.opensanctions.org/licensing/ */
export const openSanctions: Provider = {
  id: 'opensanctions',
  name: 'OpenSanctions',
  url: 'https://www.opensanctions.org',
  licence: 'CC BY-NC 4.0; commercial use needs a data licence of OpenSanctions',
  attribution: 'Source: OpenSanctions.org',
  disclaimer: 'OpenSanctions does not endorse this service; the lists themselves bind.',
  licensedForCommercialUse: false,
}
