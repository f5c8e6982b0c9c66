import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SEED_ENTITIES } from '../../../src/ingest/datasets/screening/screening-entities.js'
import { startTestApp, type TestApp } from '../../support/app/app.js'
import { openTestDatabase, quickestDatabase, SEEDED_AT } from '../../support/database/database.js'
import { interposed } from '../../support/database/interposed-database.js'

interface Result {
  readonly lei: string
  readonly status: string
  readonly is_sanctioned: boolean | null
  readonly [member: string]: unknown
}

interface Screening {
  readonly data: readonly Result[]
  readonly meta: Readonly<Record<string, unknown>>
  readonly lists: readonly Readonly<Record<string, unknown>>[]
  readonly _meta: Readonly<Record<string, unknown>>
}

interface Refusal {
  readonly error: string
  readonly details: readonly { readonly field: string; readonly message: string }[]
}

const leiOf = (number: number) => SEED_ENTITIES[number - 1]?.lei ?? expect.fail(`no entity ${number}`)
/** On three lists; on one, once; known and never listed; with a name alone. */
const [LISTED, DELISTED, KNOWN, NAMED] = [leiOf(36), leiOf(95), leiOf(150), leiOf(299)]
const UNKNOWN = '5493001KJTIIGC8Y1R12'

describe('screening', () => {
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

  const post = <Body>(body: unknown) => app.rest<Body>('/v1/sanctions/screen', { key, method: 'POST', body })
  const screen = async (...leis: string[]) => (await post<Screening>({ leis })).body
  const graphql = async <Data>(query: string) => {
    const { body } = await app.graphql<{ screen_leis: Data }>(query, { key })
    expect(body.errors).toBeUndefined()
    return body.data?.screen_leis ?? expect.fail('no data')
  }

  it('returns a result for each LEI in the given order, in any case, with duplicates', async () => {
    const asked = [KNOWN, LISTED.toLowerCase(), UNKNOWN, 'nonsense', LISTED, `${LISTED.slice(0, 19)}x`]
    const { data, meta } = await screen(...asked)
    expect(data.map(({ lei, status, is_sanctioned }) => [lei, status, is_sanctioned])).toEqual([
      [KNOWN, 'screened', false],
      [LISTED, 'screened', true],
      [UNKNOWN, 'not_screened', null],
      ['nonsense', 'invalid_lei', null],
      [LISTED, 'screened', true],
      [`${LISTED.slice(0, 19)}x`, 'invalid_lei', null],
    ])
    expect(meta).toMatchObject({
      total_requested: 6,
      screened_count: 3,
      not_screened_count: 1,
      invalid_lei_count: 2,
    })
  })

  it('has exactly the members of the contract', async () => {
    const { data, meta, lists, _meta, ...rest } = await screen(LISTED)
    expect(rest).toEqual({})
    expect(data).toEqual([
      {
        lei: LISTED,
        status: 'screened',
        is_sanctioned: true,
        checked_at: SEEDED_AT.toISOString(),
        last_listed_date: '2023-12-08',
        legal_name: 'Made-up Entity 036 Ltd',
        opensanctions_id: 'NK-dev-36',
        risk_score: null,
        sanction_programs: ['EU-UKR', 'US-GLOMAG', 'US-TERR'],
        sanctions_lists: ['eu_fsf', 'eu_journal_sanctions', 'us_ofac_sdn'],
      },
    ])
    expect(meta).toEqual({
      fetched_at: SEEDED_AT.toISOString(),
      total_requested: 1,
      screened_count: 1,
      not_screened_count: 0,
      invalid_lei_count: 0,
      attribution: 'Synthetic data, not from any market',
      disclaimer: expect.stringContaining('not a substitute for licensed compliance services'),
      disclaimer_fr: expect.stringContaining('Traduction non officielle'),
      license: expect.stringContaining('made up'),
      lists_covered: [
        'eu_fsf',
        'eu_journal_sanctions',
        'opensanctions',
        'opensanctions_securities',
        'us_ofac_sdn',
      ],
      source: 'seed',
    })
    expect(lists).toHaveLength(4)
    expect(lists[3]).toEqual({
      list: 'us_ofac_sdn',
      title: 'OFAC Specially Designated Nationals',
      version: 1,
      source: 'seed',
      license: expect.stringContaining('made up'),
      attribution: expect.any(String),
      is_dev_dataset: true,
      _meta: expect.objectContaining({ freshness_status: 'fresh', sources: ['seed'] }),
    })
    expect(_meta).toMatchObject({ freshness_status: 'fresh', sources: ['seed'] })
  })

  it('keeps an entity that has left its list, with the day of its listing', async () => {
    const { data } = await screen(DELISTED)
    expect(data).toMatchObject([
      {
        status: 'screened',
        is_sanctioned: false,
        last_listed_date: '2023-11-11',
        sanction_programs: [],
        sanctions_lists: [],
        opensanctions_id: 'NK-dev-95',
      },
    ])
  })

  it('never shows as clear an LEI that no list knows, even if its name is known', async () => {
    const { data, meta } = await screen(NAMED, UNKNOWN)
    const nothing = { checked_at: null, last_listed_date: null, opensanctions_id: null, risk_score: null }
    const empty = { is_sanctioned: null, sanction_programs: [], sanctions_lists: [] }
    expect(data).toEqual([
      { lei: NAMED, status: 'not_screened', legal_name: 'Made-up Entity 299 Ltd', ...nothing, ...empty },
      { lei: UNKNOWN, status: 'not_screened', legal_name: null, ...nothing, ...empty },
    ])
    expect(meta).toMatchObject({ screened_count: 0, not_screened_count: 2 })
  })

  it('states in a header that the data are synthetic', async () => {
    const { headers } = await post({ leis: [UNKNOWN] })
    expect(headers.get('x-is-dev-dataset')).toBe('true')
  })

  it('accepts 1 to 50 LEIs, and refuses another body by its schema', async () => {
    const refused = async (body: unknown) => {
      const { status, body: refusal } = await post<Refusal>(body)
      return [status, refusal.details?.map(({ field, message }) => `${field}: ${message}`)]
    }
    const many = Array.from({ length: 51 }, () => UNKNOWN)
    expect(await refused({ leis: [] })).toEqual([422, ['leis: must have 1 to 50 LEIs; got 0']])
    expect(await refused({ leis: many })).toEqual([422, ['leis: must have 1 to 50 LEIs; got 51']])
    expect(await refused({})).toEqual([422, ['leis: is required']])
    expect(await refused({ leis: UNKNOWN })).toEqual([422, [expect.stringContaining('leis: must be a list')]])
    expect(await refused({ leis: [7, null] })).toEqual([
      422,
      [expect.stringContaining('leis[0]'), expect.stringContaining('leis[1]')],
    ])
    expect(await refused({ leis: [UNKNOWN], on: '2026-01-01' })).toEqual([
      422,
      [expect.stringContaining('on: is not a known field')],
    ])
    expect(await refused({ leis: [UNKNOWN], as_of: '2100-01-01T00:00:00Z' })).toEqual([
      422,
      [expect.stringContaining('as_of: must not be in the future')],
    ])
    expect((await post<Screening>({ leis: many.slice(1) })).status).toBe(200)
  })

  it('repeats at most 64 characters of an invalid LEI', async () => {
    const { data } = await screen('x'.repeat(10_000), ' ', '')
    expect(data.map(({ lei, status }) => [lei, status])).toEqual([
      ['x'.repeat(64), 'invalid_lei'],
      [' ', 'invalid_lei'],
      ['', 'invalid_lei'],
    ])
  })

  it('costs one unit and the same statements for 50 LEIs as for one', async () => {
    const cost = async (count: number) => {
      const leis = SEED_ENTITIES.slice(0, count).map(({ lei }) => lei)
      const before = Number((await post({ leis: [UNKNOWN] })).headers.get('x-ratelimit-remaining'))
      statements.length = 0
      const { headers } = await post({ leis })
      const read = statements.filter((sql) => /sanctions_|legal_entity/.test(sql)).length
      return [before - Number(headers.get('x-ratelimit-remaining')), read]
    }
    expect(await cost(1)).toEqual([1, 2])
    expect(await cost(50)).toEqual([1, 2])
  })

  it('needs the scope, which growth has', async () => {
    const starter = await app.newKey({ tier: 'starter' })
    const { status, body } = await app.rest<{ required_scope: string }>('/v1/sanctions/screen', {
      key: starter,
      method: 'POST',
      body: { leis: [UNKNOWN] },
    })
    expect([status, body.required_scope]).toEqual([403, 'screening:read'])
  })

  it('leads to the programmes and to each list’s entries', async () => {
    const { data } = await graphql<{ data: readonly { entries: readonly object[] }[] }>(
      `{ screen_leis(leis: ["${leiOf(32)}"]) { data {
          programs { key title issuer measures }
          entries { list subject_id is_listed listed_on left_at programs { key } } } } }`,
    )
    expect(data).toMatchObject([
      {
        programs: [
          {
            key: 'EU-UKR',
            title: 'Territorial integrity of Ukraine',
            issuer: 'Council of the European Union',
            measures: ['Asset freeze', 'Travel ban'],
          },
          { key: 'US-GLOMAG', issuer: 'Office of Foreign Assets Control (US)' },
          { key: 'US-TERR' },
        ],
      },
    ])
    expect(data[0]?.entries).toEqual([
      {
        list: 'eu_journal_sanctions',
        subject_id: 'EU-UKR / I / Asset freeze / Company / 31',
        is_listed: true,
        listed_on: '2023-08-04',
        left_at: null,
        programs: [{ key: 'EU-UKR' }],
      },
      expect.objectContaining({ list: 'opensanctions', subject_id: 'NK-dev-32', listed_on: '2023-08-04' }),
      expect.objectContaining({ list: 'us_ofac_sdn', subject_id: '90031', listed_on: '2023-08-04' }),
    ])
  })

  it('returns what was known on a day, and refuses a future day', async () => {
    const before = new Date(SEEDED_AT.getTime() - 1).toISOString()
    const asked = `leis: ["${LISTED}"], as_of:`
    expect(await graphql(`{ screen_leis(${asked} "${before}") { data { status is_sanctioned } } }`)).toEqual({
      data: [{ status: 'not_screened', is_sanctioned: null }],
    })
    const inRest = await post<Screening>({ leis: [LISTED], as_of: before })
    expect(inRest.body.data).toMatchObject([{ lei: LISTED, status: 'not_screened', is_sanctioned: null }])
    const { body } = await app.graphql(`{ screen_leis(${asked} "2100-01-01T00:00:00Z") { data { lei } } }`, {
      key,
    })
    expect(body.errors?.[0]?.extensions.details).toEqual([
      { field: 'as_of', message: expect.stringContaining('must not be in the future') },
    ])
  })
})
