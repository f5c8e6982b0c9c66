import { createClient } from '../generated/hey-api/client/index.js'
import { asset, assets, screenLeis } from '../generated/hey-api/index.js'
import { type Calls, check, LEI, nextOffset, TOO_MANY } from './client.js'

/** The functions of @hey-api/openapi-ts with its own fetch client. */
export const calls: Calls = ({ url, key }) => {
  // A text would go into every header that the document names; two credentials are a 400.
  const auth = ({ type }: { type: string }) => (type === 'apiKey' ? key : undefined)
  const client = createClient({ baseUrl: url, auth })
  const page = async (offset: number) => {
    const { data, response } = await assets({ client, query: { asset_class: 'crypto', limit: 2, offset } })
    check(data !== undefined, `the answer is ${response?.status}`)
    return { data, headers: response.headers }
  }
  return {
    list: async () => {
      const { data } = await page(0)
      check(data.data.length === 2 && data.meta.is_dev_dataset === true, 'two assets of the seed')
    },
    one: async () => {
      const { data } = await asset({ client, path: { id: 'bitcoin' } })
      check(data?.data.ticker === 'BTC', 'the ticker is not BTC')
    },
    error: async () => {
      const { error, response } = await assets({ client, query: { limit: TOO_MANY } })
      check(response?.status === 422 && error?.error === 'validation_error', `${response?.status}`)
      check(error.details?.[0]?.field === 'limit', 'the error names the field')
    },
    pages: async () => {
      const first = await page(0)
      const second = await page(nextOffset(first.headers))
      check(first.data.data[0]?.asset_id !== second.data.data[0]?.asset_id, 'another page')
    },
    post: async () => {
      const { data } = await screenLeis({ client, body: { leis: [LEI] } })
      check(data?.data[0]?.lei === LEI, 'a result for the LEI')
    },
  }
}
