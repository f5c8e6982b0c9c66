import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { fixedClock } from '../../../../src/core/time.js'
import { LABELLED_ADDRESSES } from '../../../../src/domains/onchain/labels-model.js'
import { addressSnapshotsGroup } from '../../../../src/ingest/datasets/onchain/address-snapshots-group.js'
import { seedWorld } from '../../../../src/ingest/seed/seed-world.js'
import type { Database } from '../../../../src/platform/database/database.js'
import { createHttpClient } from '../../../../src/platform/http-client/http-client.js'
import { withProviderUrls } from '../../../../src/platform/http-client/provider-addresses.js'
import { createLogger } from '../../../../src/platform/logger.js'
import { availableDatabases, openTestDatabase } from '../../../support/database/database.js'
import { jobOf, runGroup } from '../../../support/ingest/run-group.js'
import { openNode, type PlayedNode } from '../../chains/chain-world.js'
import { openNameServices, type PlayedNameServices } from '../../chains/name-services.js'

const NOW = new Date('2026-11-22T00:25:00Z')
const USDC = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'
const log = createLogger('silent')
const countOn = (...chains: readonly number[]) =>
  LABELLED_ADDRESSES.filter(({ chainId }) => chains.includes(chainId)).length

describe.each(availableDatabases())('the job of labelled addresses on %s', (kind) => {
  let database: Database
  let ethereum: PlayedNode
  let base: PlayedNode
  let names: PlayedNameServices
  beforeAll(async () => {
    database = await openTestDatabase(kind)
    names = await openNameServices()
  })
  afterAll(async () => {
    await names?.close()
    await database?.close()
  })
  beforeEach(async () => {
    await database.script(
      `delete from address_snapshot; delete from ingest_run; delete from dataset_state where dataset = 'onchain'`,
    )
    ethereum = await openNode(1, NOW)
    base = await openNode(8_453, NOW)
    ethereum.accounts.set(USDC, { balance: 3n, nonce: 1, code: '0x60' })
    names.sourcify.set(USDC, 'FiatTokenProxy')
  })
  afterEach(() => Promise.all([ethereum.close(), base.close()]))

  const run = (urls: ReadonlyMap<number, readonly string[]>) =>
    jobOf('address-snapshots', { rpcUrls: urls }).run({
      ...{ database, clock: fixedClock(NOW), log, signer: null, coversTo: NOW },
      http: withProviderUrls(createHttpClient({ log, userAgent: 'test' }), names.urls),
      signal: new AbortController().signal,
    })
  const both = () =>
    new Map([
      [1, [ethereum.url]],
      [8_453, [base.url]],
    ])
  const state = async () =>
    (
      await database.rows(
        `select source, is_dev_dataset as dev, version from dataset_state where dataset = 'onchain'`,
      )
    )[0]

  it('takes a snapshot of each, which replaces synthetic ones', async () => {
    await seedWorld(database, NOW, ['onchain'])
    expect(await state()).toMatchObject({ source: 'seed', dev: true })
    const outcome = await run(both())
    expect(outcome).toEqual({
      counts: { added: countOn(1, 8_453), revised: 0, unchanged: 0, rejected: 0, absent: 0 },
      note: null,
      unfinished: null,
    })
    expect(await state()).toMatchObject({ source: 'evm', dev: false })
    expect(
      await database.rows('select source, count(*)::int as rows from address_snapshot group by source'),
    ).toEqual([{ source: 'evm', rows: countOn(1, 8_453) }])
    expect(
      await database.rows(
        `select balance_wei as wei, contract_name as name from address_snapshot where address = $1`,
        [USDC],
      ),
    ).toEqual([{ wei: '3', name: 'FiatTokenProxy' }])
    expect(
      await database.rows('select feed, status, added from ingest_run where feed = $1', [
        'address-snapshots',
      ]),
    ).toEqual([{ feed: 'address-snapshots', status: 'succeeded', added: countOn(1, 8_453) }])
  })

  it('changes nothing at the same block', async () => {
    await run(both())
    const before = await state()
    expect((await run(both())).counts).toMatchObject({ added: 0, revised: 0, unchanged: countOn(1, 8_453) })
    expect(await state()).toEqual(before)
  })

  it('takes those of the other chains if one is down, and fails if all are', async () => {
    ethereum.instead = { status: 200, body: '<html></html>' }
    expect(await run(both())).toMatchObject({
      counts: { added: countOn(8_453), rejected: 1, absent: countOn(1) },
      note: 'chain 1 did not answer',
    })
    base.instead = ethereum.instead
    await expect(run(both())).rejects.toThrow(/^no chain answered: ChainDown: chain 1, address 1 of 1/)
    await expect(runGroup(addressSnapshotsGroup, { database, clock: fixedClock(NOW) })).rejects.toThrow(
      'address-snapshots is not configured',
    )
  })
})
