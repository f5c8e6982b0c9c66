import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openNode, type PlayedNode } from '../../ingest/chains/chain-world.js'
import { openNameServices, type PlayedNameServices } from '../../ingest/chains/name-services.js'
import { type CallOptions, startTestApp, type TestApp } from '../../support/app/app.js'
import { openTestDatabase, quickestDatabase, SEEDED_AT } from '../../support/database/database.js'
import { interposed } from '../../support/database/interposed-database.js'

const USDC = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'
const DAY_MS = 86_400_000

interface Body {
  readonly data: Readonly<Record<string, unknown>>
  readonly meta: Readonly<Record<string, unknown>>
  readonly _meta: Readonly<Record<string, unknown>>
}

interface Refusal {
  readonly error: string
  readonly message: string
  readonly retry_after?: number
  readonly details?: readonly { readonly field: string; readonly message: string }[]
}

interface Entry {
  readonly address: string
  readonly snapshot: Body | null
  readonly missing: { readonly error: string; readonly message: string } | null
}

interface Snapshots {
  readonly address_snapshots: { readonly data: readonly Entry[]; readonly missing: number }
}

const REST_FIELDS = `data { chain_id chain_name address snapshot_date contract_name is_contract is_dev_dataset label
  native_balance tx_count sanctions_status } meta { version fetched_at source license disclaimer disclaimer_fr data_quality fallback_used }
  _meta { data_freshness_seconds last_updated_at next_refresh_at sources freshness_status release undated_rows }`

let made = 0
/** Another address each time. */
const newAddress = () => `0xfe${(++made).toString(16).padStart(38, '0')}`

describe('snapshots of addresses', () => {
  const statements: string[] = []
  let node: PlayedNode
  let spare: PlayedNode
  let names: PlayedNameServices
  let app: TestApp
  let key: string
  beforeAll(async () => {
    node = await openNode(1, SEEDED_AT)
    spare = await openNode(1, SEEDED_AT)
    names = await openNameServices()
    const database = await openTestDatabase(quickestDatabase(), 'seeded')
    app = await startTestApp(quickestDatabase(), {
      database: interposed(database, (sql) => void statements.push(sql)),
      env: {
        RPC_URLS_1: `${node.url},${spare.url}`,
        PROVIDER_URL_SOURCIFY: names.urls.sourcify,
      },
    })
  })
  afterAll(async () => {
    await app?.close()
    await app?.database.close()
    await Promise.all([node?.close(), spare?.close(), names?.close()])
  })
  beforeEach(async () => {
    node.instead = null
    spare.instead = null
    names.instead = null
    node.time = app.clock.now()
    spare.time = app.clock.now()
    key = await app.newKey({ tier: 'growth' })
  })

  const rest = <Answer = Body>(path: string, options: CallOptions = { key }) =>
    app.rest<Answer>(`/v1/onchain/${path}`, options)
  const many = async (addresses: readonly string[], more = '') => {
    const query = `{ address_snapshots(chain_id: 1, addresses: ${JSON.stringify(addresses)}${more}) {
      data { address snapshot { ${REST_FIELDS} } missing { error message } } missing } }`
    return app.graphql<Snapshots>(query, { key })
  }
  const isDown = () => {
    for (const one of [node, spare]) one.instead = { status: 200, body: '<html></html>' }
  }
  const batches = () => node.batches.length + spare.batches.length

  it('show whether the address is on a sanctions list, to keys with that scope, in one statement', async () => {
    const listed = '0x000000000000000000000000000000000000de01'
    for (const address of [listed, newAddress()]) node.accounts.set(address, { balance: 1n, nonce: 1 })
    expect((await rest(`1/${listed}`)).body.data.sanctions_status).toBe('listed')
    const narrow = await app.newKey({ tier: 'growth', scopes: ['onchain:read'] })
    expect((await rest(`1/${listed}`, { key: narrow })).body.data.sanctions_status).toBeNull()
    statements.length = 0
    const { body } = await many([listed, newAddress(), newAddress()])
    const statuses = body.data?.address_snapshots.data.map(({ snapshot }) => snapshot?.data.sanctions_status)
    expect(statuses).toEqual(['listed', 'not_found', 'not_found'])
    expect(statements.filter((sql) => sql.includes('sanctions_subject'))).toHaveLength(1)
  })

  it('are read at one block, with the same members in both styles', async () => {
    const address = newAddress()
    node.accounts.set(address, { balance: 1_234_567_890_123_456_789n, nonce: 42 })
    const { status, body, headers } = await rest(`1/${address}`)
    expect([status, headers.get('etag')]).toEqual([200, null])
    expect(body).toEqual({
      data: {
        chain_id: 1,
        chain_name: 'Ethereum',
        address,
        snapshot_date: '2026-11-20',
        contract_name: null,
        is_contract: false,
        is_dev_dataset: false,
        label: null,
        native_balance: 1.2345678901234567,
        tx_count: 42,
        sanctions_status: 'not_found',
      },
      meta: {
        version: expect.stringMatching(/^\d/),
        fetched_at: SEEDED_AT.toISOString(),
        source: 'evm',
        license: expect.stringContaining('public state of the chains'),
        disclaimer: expect.stringContaining('not financial advice'),
        disclaimer_fr: expect.stringContaining('Traduction non officielle'),
        data_quality: 'full',
        fallback_used: false,
      },
      _meta: {
        data_freshness_seconds: 0,
        last_updated_at: SEEDED_AT.toISOString(),
        next_refresh_at: new Date(SEEDED_AT.getTime() + DAY_MS).toISOString(),
        sources: ['evm'],
        freshness_status: 'fresh',
        release: null,
        undated_rows: null,
      },
    })
    const graphql = await app.graphql<{ address_snapshot: Body }>(
      `{ address_snapshot(chain_id: 1, address: "${address}") { ${REST_FIELDS} } }`,
      { key },
    )
    expect(graphql.body.data?.address_snapshot).toEqual(body)
    expect((await many([address])).body.data?.address_snapshots.data).toEqual([
      { address, snapshot: body, missing: null },
    ])
  })

  it('have the exact balance, the missing count and the delegate in GraphQL', async () => {
    const address = newAddress()
    const delegate = 'ab'.repeat(20)
    node.accounts.set(address, { balance: 2n ** 200n + 1n, nonce: 10_001, code: `0xef0100${delegate}` })
    const { body } = await app.graphql(
      `{ address_snapshot(chain_id: 1, address: "${address}") { data { native_balance native_balance_wei native_currency
         tx_count tx_count_capped is_contract delegated_to block_number } } }`,
      { key },
    )
    expect(body.data).toEqual({
      address_snapshot: {
        data: {
          native_balance: Number(2n ** 200n + 1n) / 1e18,
          native_balance_wei: String(2n ** 200n + 1n),
          native_currency: 'ETH',
          tx_count: null,
          tx_count_capped: true,
          is_contract: false,
          delegated_to: `0x${delegate}`,
          block_number: 21_000_000,
        },
      },
    })
  })

  it('show up to 10,000 transactions, and null for more', async () => {
    const [ten, more] = [newAddress(), newAddress()]
    node.accounts.set(ten, { balance: 0n, nonce: 10_000 })
    node.accounts.set(more, { balance: 0n, nonce: 10_001 })
    expect((await rest(`1/${ten}`)).body.data).toMatchObject({ tx_count: 10_000 })
    expect((await rest(`1/${more}`)).body).toMatchObject({
      data: { tx_count: null },
      meta: { data_quality: 'full' },
    })
  })

  it('are stored for the day: a repeated request needs no node', async () => {
    const address = newAddress()
    node.accounts.set(address, { balance: 5n, nonce: 0 })
    const first = await rest(`1/${address}`)
    const before = batches()
    node.accounts.set(address, { balance: 6n, nonce: 1 })
    expect((await rest(`1/${address}`)).body).toEqual(first.body)
    expect((await rest(`1/${address}?snapshot_date=2026-11-20`)).body).toEqual(first.body)
    expect(batches()).toBe(before)
  })

  it('are read once for simultaneous requests', async () => {
    const address = newAddress()
    const before = node.batches.length
    const answers = await Promise.all(Array.from({ length: 8 }, () => rest(`1/${address}`)))
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200))
    expect(node.batches.length - before).toBe(2)
  })

  it('have the name and the label of a known contract, and replace synthetic ones', async () => {
    node.accounts.set(USDC, { balance: 1n, nonce: 1, code: '0x60016001' })
    names.sourcify.set(USDC, 'FiatTokenProxy')
    expect(
      await app.database.rows(
        `select distinct source from address_snapshot where address = $1 and chain_id = 1`,
        [USDC],
      ),
    ).toEqual([{ source: 'seed' }])
    const { body } = await rest('1/0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48')
    expect(body).toMatchObject({
      data: {
        address: USDC,
        contract_name: 'FiatTokenProxy',
        is_contract: true,
        is_dev_dataset: false,
        label: 'USDC token',
      },
      meta: { license: expect.stringMatching(/public state.*; Contract names/) },
      _meta: { sources: ['evm', 'sourcify'] },
    })
    expect(
      await app.database.rows(
        'select source, contract_name as name from address_snapshot where address = $1 and chain_id = 1',
        [USDC],
      ),
    ).toEqual([{ source: 'evm', name: 'FiatTokenProxy' }])
  })

  it('are partial while the name is unknown, and retry after ten minutes', async () => {
    const address = newAddress()
    node.accounts.set(address, { balance: 1n, nonce: 1, code: '0x60016001' })
    names.sourcify.set(address, 'Vault')
    names.instead = { status: 500, body: '' }
    const partial = { data: { contract_name: null }, meta: { data_quality: 'partial', fallback_used: false } }
    expect((await rest(`1/${address}`)).body).toMatchObject(partial)
    names.instead = null
    expect((await rest(`1/${address}`)).body).toMatchObject(partial)
    app.clock.advance(600_000)
    expect((await rest(`1/${address}`)).body).toMatchObject({
      data: { contract_name: 'Vault' },
      meta: { data_quality: 'full' },
    })
  })

  it('come from the second node if the first gives no usable answer', async () => {
    const address = newAddress()
    node.instead = { status: 200, body: '' }
    spare.accounts.set(address, { balance: 7n * 10n ** 18n, nonce: 3 })
    expect((await rest(`1/${address}`)).body).toMatchObject({ data: { native_balance: 7, tx_count: 3 } })
  })

  it('are the newest stored ones while the chain is down: partial, and marked as a fallback', async () => {
    const address = newAddress()
    node.accounts.set(address, { balance: 3n * 10n ** 18n, nonce: 1 })
    await rest(`1/${address}`)
    app.clock.advance(DAY_MS)
    isDown()
    expect((await rest(`1/${address}`)).body).toMatchObject({
      data: { snapshot_date: '2026-11-20', native_balance: 3 },
      meta: { data_quality: 'partial', fallback_used: true },
    })
    node.instead = null
    node.time = app.clock.now()
    expect((await rest(`1/${address}`)).body).toMatchObject({
      data: { snapshot_date: '2026-11-21' },
      meta: { data_quality: 'full', fallback_used: false },
    })
    expect((await rest(`1/${address}?snapshot_date=2026-11-20`)).body).toMatchObject({
      data: { snapshot_date: '2026-11-20', native_balance: 3 },
      meta: { fallback_used: false },
      _meta: { freshness_status: expect.stringMatching(/fresh|stale/) },
    })
  })

  it('give 503 with the time of the next try if the chain is down and none is stored, free although nodes got requests', async () => {
    isDown()
    const { status, body, headers } = await rest<Refusal>(`1/${newAddress()}`)
    expect([status, body.error, body.message]).toEqual([
      503,
      'service_unavailable',
      'No node of the chain is answering. Try again later.',
    ])
    expect(body.retry_after).toBe(app.clock.now().getTime() / 1000 + 30)
    expect(headers.get('retry-after')).toBe('30')
    expect(headers.get('x-ratelimit-remaining')).toBe('1389')
    expect(app.logLines.join('')).not.toContain('0123456789abcdef')
  })

  it('give 503 for a chain without a node, except stored ones', async () => {
    const refused = await rest<Refusal>(`56/${newAddress()}`)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '3600'])
    expect(refused.body.message).toBe(
      'No snapshot of the address is stored, and no node of BSC is configured. The operator has to set RPC_URLS_56.',
    )
    const [kept] = await app.database.rows<{ address: string }>(
      `select address from address_snapshot where chain_id = 56 order by address limit 1`,
    )
    expect((await rest(`56/${kept?.address}?snapshot_date=2026-11-20`)).body).toMatchObject({
      data: { chain_name: 'BSC', is_dev_dataset: true, snapshot_date: '2026-11-20' },
      meta: { source: 'seed', fallback_used: false, license: expect.stringContaining('made up') },
      _meta: { sources: ['seed'] },
    })
  })

  it('of a past day are the stored ones, else a 404 that names the available days', async () => {
    const [kept] = await app.database.rows<{ address: string }>(
      `select address from address_snapshot where chain_id = 10 order by address limit 1`,
    )
    const none = await rest<Refusal>(`10/${kept?.address}?snapshot_date=2026-11-01`)
    expect([none.status, none.body.message]).toEqual([
      404,
      `No snapshot of ${kept?.address} on Optimism is stored for 2026-11-01. The newest days with one are 2026-11-20, 2026-11-19, 2026-11-18, 2026-11-17, 2026-11-16.`,
    ])
    const never = await rest<Refusal>(`10/${newAddress()}?snapshot_date=2026-11-01`)
    expect(never.body.message).toMatch(/for 2026-11-01\. No other day has one either\.$/)
  })

  it.each([
    ['1/0x12', 422, 'address', 'must be an address: 0x and 40 hexadecimal digits; got "0x12"'],
    [
      '1/0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB4g',
      422,
      'address',
      /^must be an address: 0x and 40 hexadecimal digits/,
    ],
    [
      '1/0xa0B86991c6218b36c1d19D4a2e9Eb0cE3606eB48',
      422,
      'address',
      /^is not an address: the capital letters do not match \(EIP-55\)/,
    ],
    [
      `1/${USDC}?snapshot_date=2027-01-01`,
      422,
      'snapshot_date',
      /^must not be in the future: today \(UTC\) is/,
    ],
    [`1/${USDC}?snapshot_date=2026-02-30`, 422, 'snapshot_date', /YYYY-MM-DD/],
    [`1/${USDC}?rpc=http://127.0.0.1`, 422, 'rpc', /is not a known/],
    [`one/${USDC}`, 422, 'chain_id', /whole number/],
  ])('are refused as bad input: %s', async (path, status, field, message) => {
    const answer = await rest<Refusal>(path)
    expect([answer.status, answer.body.details?.map((detail) => detail.field)]).toEqual([status, [field]])
    expect(answer.body.details?.[0]?.message).toMatch(message)
    expect(answer.headers.get('x-ratelimit-remaining')).toBe('1389')
  })

  it('give 404 for a chain that is not served, with the served ones', async () => {
    const { status, body } = await rest<Refusal>(`100/${USDC}`)
    expect([status, body.message]).toEqual([
      404,
      'The chain 100 is not served. Use one of 1 (Ethereum), 56 (BSC), 137 (Polygon), 42161 (Arbitrum), 10 (Optimism), 8453 (Base).',
    ])
  })

  it('accept upper-case addresses, and need the scope of tier growth', async () => {
    expect((await rest(`1/0x${USDC.slice(2).toUpperCase()}`)).body.data.address).toBe(USDC)
    const starter = await app.newKey({ tier: 'starter' })
    const { status, body } = await rest<Refusal & { required_scope: string }>(`1/${USDC}`, { key: starter })
    expect([status, body.required_scope]).toEqual([403, 'onchain:read'])
  })

  it('of a list are read together, in the requested order with duplicates, for one unit', async () => {
    const list = Array.from({ length: 20 }, newAddress)
    const before = node.batches.length
    const { body } = await many([...list.slice(0, 19), list[0] ?? ''])
    expect(body.extensions?.cost?.charged).toBe(1)
    expect(body.data?.address_snapshots.data.map(({ address }) => address)).toEqual([
      ...list.slice(0, 19),
      list[0],
    ])
    expect(body.data?.address_snapshots.missing).toBe(0)
    expect(node.batches.slice(before).map((batch) => batch.length)).toEqual([2, 18, 18, 18, 3])
    expect(
      new Set(node.batches.slice(before + 1).flatMap((batch) => batch.map((call) => call.params[1]))).size,
    ).toBe(1)
  })

  it('under many names in one operation are read together too', async () => {
    const before = node.batches.length
    const fields = [1, 2, 3].map(
      (at) => `a${at}: address_snapshot(chain_id: 1, address: "${newAddress()}") { data { address } }`,
    )
    expect((await app.graphql(`{ ${fields.join(' ')} }`, { key })).body.errors).toBeUndefined()
    expect(node.batches.slice(before).map((batch) => batch.length)).toEqual([2, 9])
  })

  it('of a list have an entry with the reason for each missing one; if all are missing, that is the error', async () => {
    const [kept, other] = [newAddress(), newAddress()]
    await rest(`1/${kept}`)
    isDown()
    const { body } = await many([kept, other])
    expect(body.data?.address_snapshots).toMatchObject({
      missing: 1,
      data: [
        { snapshot: { data: { address: kept } }, missing: null },
        {
          snapshot: null,
          missing: { error: 'service_unavailable', message: expect.stringContaining('No node') },
        },
      ],
    })
    const none = await many([other, newAddress()])
    expect([none.status, none.body.errors?.[0]?.extensions.code]).toEqual([503, 'SERVICE_UNAVAILABLE'])
  })

  it.each([
    [[], 'addresses', 'must have 1 to 20 addresses; got 0'],
    [Array(21).fill(USDC), 'addresses', 'must have 1 to 20 addresses; got 21'],
    [[USDC, 'nonsense'], 'addresses[1]', 'must be an address'],
  ])('of a wrong list are refused: %#', async (addresses, field, message) => {
    const { status, body } = await many(addresses)
    const details = body.errors?.[0]?.extensions.details
    expect([status, details?.[0]?.field]).toEqual([422, field])
    expect(details?.[0]?.message).toContain(message)
  })

  it('take as many statements for 20 addresses as for 1, stored or new', async () => {
    const count = async (addresses: readonly string[]) => {
      statements.length = 0
      await many(addresses)
      return statements.filter((sql) => sql.includes('address_snapshot')).length
    }
    const list = Array.from({ length: 20 }, newAddress)
    const [one = ''] = list
    expect([await count([one]), await count([one])]).toEqual([2, 1])
    expect([await count([...list.slice(1), newAddress()]), await count(list)]).toEqual([2, 1])
  })

  it('of new addresses are limited per account and hour; stored ones and other accounts are not affected', async () => {
    const first = newAddress()
    await rest(`1/${first}`)
    for (let asked = 1; asked < 600; asked += 20) {
      const batch = Math.min(20, 600 - asked)
      const { body } = await many(Array.from({ length: batch }, newAddress))
      expect(body.data?.address_snapshots.missing).toBe(0)
    }
    const refused = await rest<Refusal>(`1/${newAddress()}`)
    expect([refused.status, refused.body.error]).toEqual([429, 'rate_limit_exceeded'])
    expect(refused.body.message).toContain('600 new addresses per clock hour')
    expect((await rest(`1/${first}`)).status).toBe(200)
    const other = await app.newKey({ tier: 'growth' })
    expect((await rest(`1/${newAddress()}`, { key: other })).status).toBe(200)
    app.clock.advance(3_600_000)
    node.time = app.clock.now()
    expect((await rest(`1/${newAddress()}`)).status).toBe(200)
  })
})
