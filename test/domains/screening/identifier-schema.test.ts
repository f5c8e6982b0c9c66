import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { MAX_IDENTIFIERS } from '../../../src/domains/screening/identifier-service.js'
import { SEED_ENTITIES } from '../../../src/ingest/datasets/screening/screening-entities.js'
import { startTestApp, type TestApp } from '../../support/app/app.js'
import { openTestDatabase, quickestDatabase, SEEDED_AT } from '../../support/database/database.js'
import { interposed } from '../../support/database/interposed-database.js'

interface Checked {
  readonly kind: string
  readonly identifier: string
  readonly country: string | null
  readonly status: string
  readonly problem: string | null
  readonly lists: readonly string[]
  readonly since: string | null
  readonly until: string | null
  readonly designations: readonly Readonly<Record<string, unknown>>[]
}

interface Answer {
  readonly data: readonly Checked[]
  readonly meta: Readonly<Record<string, unknown>>
  readonly lists: readonly { readonly list: string }[]
  readonly _meta: Readonly<Record<string, unknown>>
}

interface Refusal {
  readonly error: string
  readonly details: readonly { readonly field: string; readonly message: string }[]
}

const leiOf = (number: number) =>
  SEED_ENTITIES[number - 1]?.lei ?? expect.fail(`the world has no entity ${number}`)
/** On three lists; on one, until 2025; known and never listed. */
const [LISTED, DELISTED, KNOWN] = [leiOf(36), leiOf(95), leiOf(150)]
const UNKNOWN = '5493001KJTIIGC8Y1R12'
const WALLET = '0x000000000000000000000000000000000000de01'
const SEED_DAY = SEEDED_AT.toISOString().slice(0, 10)

describe('a check of identifiers against sanctions lists', () => {
  let app: TestApp
  let key: string
  const statements: string[] = []
  beforeAll(async () => {
    const database = await openTestDatabase(quickestDatabase(), 'seeded')
    app = await startTestApp(quickestDatabase(), {
      database: interposed(database, (sql) => void statements.push(sql)),
    })
    key = await app.newKey({ tier: 'growth' })
  })
  afterAll(async () => {
    await app?.close()
    await app?.database.close()
  })

  const post = <Body = Answer>(body: unknown) =>
    app.rest<Body>('/v1/sanctions/check', { key, method: 'POST', body })
  const refused = async (body: unknown) => {
    const answer = await post<Refusal>(body)
    expect(answer.status).toBe(422)
    return answer.body.details.map(({ field, message }) => `${field} ${message}`)
  }
  const shortOf = ({ kind, identifier, status, lists }: Checked) =>
    [kind, identifier, status, ...lists].join(' ')

  it('answers per identifier in the order of the kinds, with duplicates and invalid ones', async () => {
    const { body } = await post({
      leis: [LISTED.toLowerCase(), DELISTED, KNOWN, UNKNOWN, 'nonsense'],
      imos: ['IMO 0000012', '9187629', '9187628'],
      wallets: [WALLET.toUpperCase().replace('X', 'x'), WALLET],
      registrations: [
        { country: 'de', number: 'dev 2' },
        { country: 'FR', number: 'DEV-2' },
      ],
    })
    expect(body.data.map(shortOf)).toEqual([
      `lei ${LISTED} listed eu_fsf eu_journal_sanctions us_ofac_sdn`,
      `lei ${DELISTED} formerly_listed`,
      `lei ${KNOWN} mentioned`,
      `lei ${UNKNOWN} not_found`,
      'lei nonsense invalid',
      'imo 0000012 listed us_ofac_sdn',
      'imo 9187629 not_found',
      'imo 9187628 invalid',
      `wallet ${WALLET} listed us_ofac_sdn`,
      `wallet ${WALLET} listed us_ofac_sdn`,
      'registration DEV2 listed us_ofac_sdn',
      'registration DEV2 not_found',
    ])
    expect(body.data[1]).toMatchObject({ since: '2023-11-11', until: '2025-06-30', problem: null })
    expect(body.data[4]?.problem).toContain('must be an LEI')
  })

  it('shows what each list calls the identifier, and says that only exact identifiers are compared', async () => {
    const { body } = await post({ wallets: [WALLET] })
    expect(body.data[0]?.designations).toEqual([
      {
        list: 'us_ofac_sdn',
        subject_id: '95001',
        name: 'MADE-UP, Person',
        kind: 'wallet',
        country: null,
        labels: ['ETH', 'USDT'],
        sanction_programs: ['US-CYB'],
        is_listed: true,
        since: null,
        until: null,
        known_from: SEEDED_AT.toISOString(),
      },
    ])
    expect(body.meta).toMatchObject({
      data_methodology: expect.stringContaining('names are never compared'),
      disclaimer: expect.stringContaining('not a substitute for licensed compliance services'),
      is_dev_dataset: true,
    })
    expect(body.lists.map(({ list }) => list)).toContain('us_ofac_sdn')
    expect(body._meta).toMatchObject({ freshness_status: 'fresh' })
  })

  it('reads any number of identifiers with one statement, and costs one unit for each', async () => {
    const leis = SEED_ENTITIES.slice(0, 60).map(({ lei }) => lei)
    const registrations = Array.from({ length: 40 }, (_, at) => ({ country: 'DE', number: `DEV-${at}` }))
    statements.length = 0
    await post({ leis, registrations })
    expect(statements.filter((sql) => sql.includes('sanctions_subject'))).toHaveLength(1)
    const dry = await app.rest<{ cost: { price: number } }>('/v1/sanctions/check', {
      key,
      method: 'POST',
      body: { leis, registrations },
      headers: { 'x-dry-run': 'cost' },
    })
    expect(dry.body.cost.price).toBe(100)
  })

  it('answers for a past day that is covered, and refuses others with the first covered day', async () => {
    app.clock.advance(3 * 86_400_000)
    const covered = await post({ wallets: [WALLET], on: SEED_DAY })
    expect(covered.body.data.map(shortOf)).toEqual([`wallet ${WALLET} listed us_ofac_sdn`])
    expect(await refused({ wallets: [WALLET], on: '2020-01-01' })).toEqual([
      `on days are covered from ${SEED_DAY} on; got 2020-01-01`,
    ])
    expect(await refused({ wallets: [WALLET], on: '2099-01-01' })).toEqual([
      expect.stringContaining('on must not be in the future'),
    ])
  })

  it('names every wrong argument, and an empty or too long request', async () => {
    expect(await refused({})).toEqual([
      'leis must have 1 to 100 identifiers, with those of the other lists; got 0',
    ])
    const wallets = Array.from({ length: MAX_IDENTIFIERS }, () => WALLET)
    expect(await refused({ wallets, leis: [LISTED], registrations: [] })).toEqual([
      'leis must have 1 to 100 identifiers, with those of the other lists; got 101',
    ])
    expect(await refused({ registrations: [{ country: 'R1', number: '1' }] })).toEqual([
      'registrations[0].country must be a country code of two letters, such as RU',
    ])
    expect(await refused({ registrations: [{ country: 'RU' }] })).toEqual([
      'registrations[0].number is required',
    ])
  })

  it('needs the scope of screening', async () => {
    const free = await app.newKey({ tier: 'free' })
    const { status } = await app.rest('/v1/sanctions/check', {
      key: free,
      method: 'POST',
      body: { leis: [LISTED] },
    })
    expect(status).toBe(403)
  })
})
