import createClient from 'openapi-fetch'
import type { paths } from '../generated/openapi.js'
import { type Calls, check } from './client.js'

/** openapi-fetch over the types of the short document, in which lists have several media types: the client names one. */
export const calls: Calls = ({ url, key }) => {
  const options = { baseUrl: url, headers: { 'X-API-Key': key } }
  const json = createClient<paths, 'application/json'>(options)
  const csv = createClient<paths, 'text/csv'>(options)
  return {
    list: async () => {
      const { data } = await json.GET('/v1/assets', { params: { query: { limit: 2 } } })
      check(data?.data.length === 2 && data.meta.is_dev_dataset === true, 'two assets of the seed')
    },
    file: async () => {
      const params = { query: { limit: 2, format: 'csv' } } as const
      const { data, response } = await csv.GET('/v1/assets', { params, parseAs: 'text' })
      check(response.headers.get('content-type')?.startsWith('text/csv') === true, 'the answer is CSV')
      check(data?.trim().split('\r\n').length === 3, `the file is ${data}`)
    },
  }
}
