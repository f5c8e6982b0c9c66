import type { Provider } from '../../feed.js'

/** The Bank of Japan. Terms: https://www.stat-search.boj.or.jp/info/api_notice_en.pdf */
export const boj: Provider = {
  id: 'boj',
  name: 'Bank of Japan',
  url: 'https://www.stat-search.boj.or.jp',
  licence: 'Bank of Japan terms: free use with the source named',
  attribution: 'Source: Bank of Japan, Time-Series Data Search',
  disclaimer: 'This service uses the API of the Bank of Japan. The Bank does not guarantee its content.',
  licensedForCommercialUse: true,
}
