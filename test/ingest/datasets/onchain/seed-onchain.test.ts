import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CHAINS } from '../../../../src/domains/onchain/model.js'
import { seedWorld } from '../../../../src/ingest/seed/seed-world.js'
import type { Database } from '../../../../src/platform/database/database.js'
import { openTestDatabase, quickestDatabase } from '../../../support/database/database.js'

const NOW = new Date('2026-11-20T12:00:00Z')
const NEXT_DAY = new Date('2026-11-21T00:00:00Z')

describe('the seed of addresses', () => {
  let database: Database
  beforeAll(async () => {
    database = await openTestDatabase(quickestDatabase(), 'empty')
  })
  afterAll(() => database?.close())

  it('is 30 addresses of each chain on five days, and a day later adds one', async () => {
    const { onchain } = await seedWorld(database, NOW, ['onchain'])
    expect(onchain).toMatchObject({ added: 6 * 30 * 5, rejected: 0 })
    const counts = await database.rows(
      `select chain_id as "chainId", count(distinct address)::int as addresses, count(*)::int as rows,
         min(snapshot_date) as first, max(snapshot_date) as last
       from address_snapshot where source = 'seed' group by chain_id order by chain_id`,
    )
    const of = { addresses: 30, rows: 150, first: '2026-11-16', last: '2026-11-20' }
    const ids = CHAINS.map(({ chainId }) => chainId).sort((a, b) => a - b)
    expect(counts).toEqual(ids.map((chainId) => ({ chainId, ...of })))
    expect((await seedWorld(database, NOW, ['onchain'])).onchain).toBeNull()
    const later = await seedWorld(database, NEXT_DAY, ['onchain'])
    expect(later.onchain).toMatchObject({ added: 180, revised: 0, unchanged: 720 })
  })

  it('has the kinds at addresses that are easy to type: 2 is a named contract, 3 has sent above 10,000', async () => {
    const rows = await database.rows(
      `select address, contract_name as name, transaction_count > 10000 as busy from address_snapshot
       where chain_id = 1 and snapshot_date = '2026-11-20' and address like '0x5eed00000000%' order by address`,
    )
    const plain = (number: number) => `0x5eed${'0'.repeat(35)}${number}`
    expect(rows).toEqual([
      { address: plain(1), name: null, busy: false },
      { address: plain(2), name: 'SyntheticContract1', busy: false },
      { address: plain(3), name: null, busy: true },
      { address: plain(4), name: null, busy: false },
      { address: plain(5), name: null, busy: false },
    ])
  })

  it('has accounts, contracts, delegated and busy ones, and an empty one on every chain', async () => {
    const kinds = await database.rows<Record<string, number>>(
      `select count(*) filter (where is_contract)::int > 0 as contracts,
         count(*) filter (where not is_contract and delegated_to is null)::int > 0 as accounts,
         count(*) filter (where delegated_to is not null)::int > 0 as delegated,
         count(*) filter (where transaction_count > 10000)::int > 0 as busy,
         count(*) filter (where contract_name is not null)::int > 0 as named,
         count(*) filter (where balance_wei = 0 and transaction_count = 0)::int > 0 as unused
       from address_snapshot where snapshot_date = '2026-11-20' group by chain_id`,
    )
    const all = { contracts: true, accounts: true, delegated: true, busy: true, named: true, unused: true }
    expect(kinds).toEqual(CHAINS.map(() => all))
  })
})
