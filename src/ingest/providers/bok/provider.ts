import type { Provider } from '../../feed.js'

/** The Bank of Korea. Terms: https://ecos.bok.or.kr/api/ */
export const bok: Provider = {
  id: 'bok',
  name: 'Bank of Korea',
  url: 'https://ecos.bok.or.kr',
  licence: 'Bank of Korea terms: free use with the source named',
  attribution: 'Source: Bank of Korea, ECOS',
  disclaimer: 'The Bank of Korea does not endorse this service. Figures may be revised.',
  licensedForCommercialUse: true,
}
