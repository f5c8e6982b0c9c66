import { asset, assets, screenLeis } from '../generated/orval/index.js'
import { type Calls, check, LEI, nextOffset, TOO_MANY } from './client.js'

/** The functions of orval's `fetch` client. */
export const calls: Calls = ({ key }) => {
  const options = { headers: { 'X-API-Key': key } }
  const page = async (offset: number) => {
    const answer = await assets({ asset_class: 'crypto', limit: 2, offset }, options)
    check(answer.status === 200, `the answer is ${answer.status}`)
    return answer
  }
  return {
    list: async () => {
      const { data } = await page(0)
      check(data.data.length === 2 && data.meta.is_dev_dataset === true, 'two assets of the seed')
    },
    one: async () => {
      const answer = await asset('bitcoin', options)
      check(answer.status === 200, `the answer is ${answer.status}`)
      check(answer.data.data.ticker === 'BTC', `the ticker is ${answer.data.data.ticker}`)
    },
    error: async () => {
      const answer = await assets({ limit: TOO_MANY }, options)
      check(answer.status === 422, `the answer is ${answer.status}`)
      check(answer.data.error === 'validation_error', answer.data.error)
      check(answer.data.details?.[0]?.field === 'limit', 'the error names the field')
    },
    pages: async () => {
      const first = await page(0)
      const second = await page(nextOffset(first.headers))
      check(first.data.data[0]?.asset_id !== second.data.data[0]?.asset_id, 'another page')
    },
    post: async () => {
      const answer = await screenLeis({ leis: [LEI] }, options)
      check(answer.status === 200, `the answer is ${answer.status}`)
      check(answer.data.data[0]?.lei === LEI, 'a result for the LEI')
    },
  }
}
