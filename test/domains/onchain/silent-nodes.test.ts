import { afterAll, beforeAll, expect, it } from 'vitest'
import { MAX_WAITING_PER_ACCOUNT } from '../../../src/domains/onchain/model.js'
import { openNode, type PlayedNode } from '../../ingest/chains/chain-world.js'
import { startTestApp, type TestApp } from '../../support/app/app.js'
import { quickestDatabase, SEEDED_AT } from '../../support/database/database.js'

const ASKED = 20

let nodes: readonly PlayedNode[]
let app: TestApp
beforeAll(async () => {
  nodes = await Promise.all([openNode(1, SEEDED_AT), openNode(1, SEEDED_AT)])
  for (const node of nodes) node.instead = () => {}
  app = await startTestApp(quickestDatabase(), {
    env: { RPC_URLS_1: nodes.map(({ url }) => url).join() },
  })
})
afterAll(async () => {
  await app?.close()
  await Promise.all((nodes ?? []).map((node) => node.close()))
})

let made = 0
const askNew = async (key: string) => {
  const address = `0xfe${(++made).toString(16).padStart(38, '0')}`
  const { body } = await app.rest<{ message: string }>(`/v1/onchain/1/${address}`, { key })
  return body.message
}

it('silent nodes delay one account’s share of requests only', async () => {
  const greedy = await app.newKey({ tier: 'enterprise' })
  const modest = await app.newKey({ tier: 'growth' })
  const asks = Array.from({ length: ASKED }, () => askNew(greedy))
  const other = askNew(modest)
  expect((await app.rest('/v1/assets/bitcoin', { key: greedy })).status).toBe(200)
  const count = (messages: readonly string[], start: string) =>
    messages.filter((message) => message.startsWith(start)).length
  const messages = await Promise.all(asks)
  expect([
    count(messages, 'No node of the chain'),
    count(messages, 'Too many addresses are being read'),
  ]).toEqual([MAX_WAITING_PER_ACCOUNT, ASKED - MAX_WAITING_PER_ACCOUNT])
  expect(await other).toMatch(/^No node of the chain/)
  expect(await app.database.rows(`select from address_snapshot where source <> 'seed'`)).toEqual([])
})
