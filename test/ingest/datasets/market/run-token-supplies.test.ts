import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { fixedClock } from '../../../../src/core/time.js'
import { tokenSuppliesGroup } from '../../../../src/ingest/datasets/market/token-supplies-group.js'
import { contractOf } from '../../../../src/ingest/providers/reference/assets.js'
import { findFeed } from '../../../../src/ingest/registry.js'
import { usualSourceOf } from '../../../../src/ingest/run/feed-body.js'
import { runFeed } from '../../../../src/ingest/run/run-feed.js'
import type { Database } from '../../../../src/platform/database/database.js'
import { createHttpClient } from '../../../../src/platform/http-client/http-client.js'
import { createLogger } from '../../../../src/platform/logger.js'
import { availableDatabases, openTestDatabase } from '../../../support/database/database.js'
import { jobOf, runGroup } from '../../../support/ingest/run-group.js'
import { openNode, type PlayedNode } from '../../chains/chain-world.js'

const NOW = new Date('2026-11-22T10:00:00Z')
const BLOCK_TIME = new Date('2026-11-22T09:59:48Z')
const log = createLogger('silent')
const addressOf = (slug: string) => contractOf(slug)?.address ?? expect.fail(`${slug} has no contract`)

describe.each(availableDatabases())('supply-tokens on %s', (kind) => {
  let database: Database
  let ethereum: PlayedNode
  let arbitrum: PlayedNode
  beforeAll(async () => {
    database = await openTestDatabase(kind)
    const reference = findFeed('reference')
    const deps = { database, clock: fixedClock(NOW), fetchBody: () => expect.fail('nothing is fetched'), log }
    await runFeed(deps, reference, usualSourceOf(reference.feed))
  })
  afterAll(() => database.close())
  beforeEach(async () => {
    await database.script(
      `delete from asset_supply; delete from ingest_run; delete from dataset_state where dataset = 'supply'`,
    )
    ethereum = await openNode(1, BLOCK_TIME)
    arbitrum = await openNode(42_161, BLOCK_TIME)
    ethereum.tokens.set(addressOf('chainlink'), { units: 10n ** 27n, decimals: 18 })
    ethereum.tokens.set(addressOf('storj'), { units: 42_499_999_800_000_000n, decimals: 8 })
    arbitrum.tokens.set(addressOf('arbitrum'), { units: 10n ** 28n, decimals: 18 })
  })
  afterEach(async () => {
    await ethereum.close()
    await arbitrum.close()
  })

  const run = (rpcUrls: ReadonlyMap<number, readonly string[]>, at = NOW) =>
    runGroup(tokenSuppliesGroup, {
      ...{ database, clock: fixedClock(at), settings: { rpcUrls } },
      http: createHttpClient({ log, userAgent: 'test' }),
    })
  const supplies = () =>
    database.rows<Record<string, unknown>>(
      `select slug, trim_scale(supply) as supply, s.source, observed_at from asset_supply as s join asset using (asset_id)
       where known_to is null order by asset_id`,
    )
  const ledger = async () =>
    (
      await database.rows<Record<string, unknown>>(
        'select status, origin, added, rejected, error from ingest_run',
      )
    )[0]
  const both = () =>
    new Map([
      [1, [ethereum.url]],
      [42_161, [arbitrum.url]],
    ])

  it('counts the tokens of each chain at one block, rejects addresses without a contract, and names chains left out', async () => {
    const summary = await run(both())
    expect(summary).toMatchObject({ rows: 3, added: 3, revised: 0, rejected: 11, chainsLeftOut: [10] })
    expect(summary.rejections[0]).toEqual({
      position: `uniswap, contract ${addressOf('uniswap')} on chain 1`,
      reason: 'totalSupply() returned nothing; the address has no such contract',
    })
    const common = { source: 'evm', observed_at: BLOCK_TIME }
    expect(await supplies()).toEqual([
      { slug: 'chainlink', supply: '1000000000', ...common },
      { slug: 'arbitrum', supply: '10000000000', ...common },
      { slug: 'storj', supply: '424999998', ...common },
    ])
    expect(await ledger()).toEqual({
      status: 'succeeded',
      origin: 'chains 1, 42161',
      added: 3,
      rejected: 11,
      error: null,
    })
    expect(
      await database.rows(
        `select source, is_dev_dataset, observed_at from dataset_state where dataset = 'supply'`,
      ),
    ).toEqual([{ source: 'evm', is_dev_dataset: false, observed_at: BLOCK_TIME }])
    // The head, then 13 tokens with two calls each in batches of ten tokens.
    expect(ethereum.batches.map((batch) => batch.length)).toEqual([2, 20, 6])
  })

  it('is a scheduled job, which notes the chains that are left out', async () => {
    const outcome = await jobOf('supply-tokens', { rpcUrls: both() }).run({
      ...{ database, clock: fixedClock(NOW), log, signer: null, coversTo: NOW },
      http: createHttpClient({ log, userAgent: 'test' }),
      signal: new AbortController().signal,
    })
    expect(outcome).toEqual({
      counts: { added: 3, revised: 0, unchanged: 0, rejected: 11, absent: 0 },
      note: 'RPC_URLS_10 is not set',
      unfinished: null,
    })
  })

  it('changes nothing while the block is the same, and revises at the next one', async () => {
    await run(both())
    expect(await run(both())).toMatchObject({ added: 0, revised: 0, unchanged: 3 })
    arbitrum.block += 100
    arbitrum.time = NOW
    arbitrum.tokens.set(addressOf('arbitrum'), { units: 10n ** 28n + 10n ** 18n, decimals: 18 })
    expect(await run(both(), new Date('2026-11-22T10:00:30Z'))).toMatchObject({
      added: 0,
      revised: 1,
      unchanged: 2,
    })
    expect((await supplies())[1]).toMatchObject({ supply: '10000000001', observed_at: NOW })
  })

  it.each([
    ['an HTML page', { status: 200, body: '<html></html>' }, 'BrokenBody: the body is not JSON (status 200)'],
    [
      'a refusal',
      { status: 401, body: '{"error":{"message":"bad key"}}' },
      'BrokenBody: the node refused the batch: "bad key"',
    ],
    ['throttling', { status: 429, body: '' }, 'answered with status 429'],
  ])('uses the next address after %s, without showing the first', async (_what, instead, reason) => {
    ethereum.instead = instead
    const second = await openNode(1, BLOCK_TIME)
    second.tokens.set(addressOf('chainlink'), { units: 10n ** 27n, decimals: 18 })
    const summary = await run(new Map([[1, [ethereum.url, second.url]]])).finally(() => second.close())
    expect(summary).toMatchObject({ rows: 1, added: 1 })
    expect(summary.rejections[0]).toMatchObject({ position: 'chain 1, address 1 of 2' })
    expect(summary.rejections[0]?.reason).toContain(reason)
    expect(JSON.stringify(summary)).not.toContain('0123456789abcdef')
  })

  it('skips nodes of another chain and nodes that are behind', async () => {
    const behind = await openNode(1, new Date('2026-11-22T08:00:00Z'))
    const urls = new Map([[1, [arbitrum.url, behind.url, ethereum.url]]])
    const summary = await run(urls).finally(() => behind.close())
    expect(summary.rows).toBe(2)
    expect(summary.rejections.slice(0, 2).map(({ reason }) => reason)).toEqual([
      'BrokenBody: the node belongs to chain 42161, not 1',
      'BrokenBody: the newest block of the node has the time 2026-11-22T08:00:00.000Z, so the node is not in step with the chain',
    ])
  })

  it('writes the supplies of the other chains if one is down', async () => {
    ethereum.instead = { status: 200, body: 'null' }
    expect(await run(both())).toMatchObject({ rows: 1, added: 1, rejected: 1 })
    expect(await supplies()).toMatchObject([{ slug: 'arbitrum' }])
  })

  it('fails if no chain answers, keeps the stored supplies and says why', async () => {
    await run(both())
    ethereum.instead = { status: 200, body: '[]' }
    await database.script('delete from ingest_run')
    await expect(run(new Map([[1, [ethereum.url]]]))).rejects.toThrow(
      'no chain answered: BrokenBody: the answer to call 1 of 2 is missing',
    )
    expect(await ledger()).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('no chain answered'),
    })
    expect(await supplies()).toHaveLength(3)
  })

  it('reports a missing configuration, and configured chains without tokens', async () => {
    await expect(run(new Map())).rejects.toThrow('supply-tokens is not configured: set RPC_URLS_1')
    await expect(run(new Map([[56, ['http://127.0.0.1:9']]]))).rejects.toThrow(
      'no known token is on a configured chain',
    )
  })
})
