import createClient from 'openapi-fetch'
import type { paths } from '../generated/openapi-full.js'
import { type Calls, check, LEI, nextOffset, TOO_MANY } from './client.js'

/** openapi-fetch over the types that openapi-typescript generates from the document for clients. */
export const calls: Calls = ({ url, key }) => {
  const client = createClient<paths>({ baseUrl: url, headers: { 'X-API-Key': key } })
  const page = (offset: number) =>
    client.GET('/v1/assets', { params: { query: { asset_class: 'crypto', limit: 2, offset } } })
  return {
    list: async () => {
      const { data } = await page(0)
      check(data?.data.length === 2 && data.meta.is_dev_dataset === true, 'two assets of the seed')
    },
    one: async () => {
      const { data } = await client.GET('/v1/assets/{id}', { params: { path: { id: 'bitcoin' } } })
      check(data?.data.ticker === 'BTC', `the ticker is ${data?.data.ticker}`)
    },
    error: async () => {
      const { error, response } = await client.GET('/v1/assets', { params: { query: { limit: TOO_MANY } } })
      check(response.status === 422 && error?.error === 'validation_error', `${response.status}`)
      check(error.details?.[0]?.field === 'limit', 'the error names the field')
    },
    pages: async () => {
      const first = await page(0)
      const second = await page(nextOffset(first.response.headers))
      check(first.data?.data[0]?.asset_id !== second.data?.data[0]?.asset_id, 'another page')
    },
    post: async () => {
      const { data } = await client.POST('/v1/sanctions/screen', { body: { leis: [LEI] } })
      check(data?.data[0]?.lei === LEI, 'a result for the LEI')
    },
  }
}
