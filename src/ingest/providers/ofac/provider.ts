import type { Provider } from '../../feed.js'

/** The Office of Foreign Assets Control of the US Treasury. Works of the US government are in the public domain. */
export const ofac: Provider = {
  id: 'ofac',
  name: 'Office of Foreign Assets Control',
  url: 'https://ofac.treasury.gov',
  licence: 'Public domain (work of the US government)',
  attribution: 'Source: US Department of the Treasury, OFAC',
  disclaimer: 'OFAC does not endorse this service; its own list binds.',
  licensedForCommercialUse: true,
}
