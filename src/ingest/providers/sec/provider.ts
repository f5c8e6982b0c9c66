import type { Provider } from '../../feed.js'

/** SEC EDGAR. Terms: https://www.sec.gov/os/accessing-edgar-data */
export const sec: Provider = {
  id: 'sec',
  name: 'U.S. Securities and Exchange Commission, EDGAR',
  url: 'https://www.sec.gov/edgar',
  licence: 'Work of the US Government, public domain',
  attribution: 'Source: SEC EDGAR',
  disclaimer: 'SEC does not endorse this service. Figures are as filers state them, and may be restated.',
  licensedForCommercialUse: true,
}
