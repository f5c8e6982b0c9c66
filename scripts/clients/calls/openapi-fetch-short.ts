import createClient from 'openapi-fetch'
import type { paths } from '../generated/openapi.js'
import { type Calls, check, LEI } from './client.js'

/** openapi-fetch over the types that openapi-typescript generates from the short document. */
export const calls: Calls = ({ url, key }) => {
  const client = createClient<paths>({ baseUrl: url, headers: { 'X-API-Key': key } })
  return {
    list: async () => {
      const { data } = await client.GET('/v1/assets', { params: { query: { limit: 2 } } })
      check(data?.data.length === 2 && data.meta.is_dev_dataset === true, 'two assets of the seed')
    },
    series: async () => {
      const params = { path: { id: 'bitcoin' }, query: { timeframe: '1d', limit: 2 } } as const
      const { data } = await client.GET('/v1/assets/{id}/ohlcv', { params })
      check(data?.data.candles.length === 2, 'two candles')
    },
    post: async () => {
      const { data } = await client.POST('/v1/sanctions/screen', { body: { leis: [LEI] } })
      check(data?.data[0]?.lei === LEI, 'a result for the LEI')
    },
    file: async () => {
      const params = { query: { limit: 2, format: 'csv' } } as const
      const { data, response } = await client.GET('/v1/assets', { params, parseAs: 'text' })
      check(response.headers.get('content-type')?.startsWith('text/csv') === true, 'the answer is CSV')
      check(String(data).trim().split('\r\n').length === 3, `the file is ${data}`)
    },
  }
}
