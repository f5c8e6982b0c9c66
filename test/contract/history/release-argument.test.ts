import { mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type GraphQLField, isObjectType } from 'graphql'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createDirectoryReleases } from '../../../src/domains/releases/storage/directory-releases.js'
import { RELEASE_TABLES } from '../../../src/domains/releases/tables/release-tables.js'
import { graphSchema, restSchema } from '../../../src/schema.js'
import { exampleRelease, publishExample } from '../../domains/releases/example-release.js'
import { startTestApp, type TestApp } from '../../support/app/app.js'
import {
  callGraphql,
  callRest,
  edges,
  exampleArguments,
  rootFields,
} from '../../support/app/endpoint-calls.js'
import { fullSelection } from '../../support/app/selections.js'
import { readParquet } from '../../support/columnar-files.js'
import { quickestDatabase, SEEDED_AT } from '../../support/database/database.js'

const KNOWN_AT = SEEDED_AT.toISOString()

/** A dataset whose releases cannot be read. */
const UNREADABLE = 'legal_entities'

type Field = GraphQLField<unknown, unknown>

const hasArgument = ({ args }: Pick<Field, 'args'>, wanted: string) =>
  args.some(({ name }) => name === wanted)

const ROOTS = rootFields().filter(({ field }) => hasArgument(field, 'release'))

/** The argument that the release replaces. */
const instantOf = (field: Field) => (hasArgument(field, 'known_at') ? 'known_at' : 'as_of')

const EDGES = edges().flatMap((edge) => {
  const [typeName = '', name = ''] = edge.name.split('.')
  const type = graphSchema.getType(typeName)
  const field = isObjectType(type) ? type.getFields()[name] : undefined
  return field !== undefined && hasArgument(field, 'release') ? [{ ...edge, field }] : []
})

/** The same without the name of the release. */
function withoutRelease(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (key, member) => (key === 'release' ? undefined : member)))
}

async function metadataOf(response: Response): Promise<Readonly<Record<string, string>>> {
  return (await readParquet(new Uint8Array(await response.arrayBuffer()))).metadata
}

describe('the argument release', () => {
  let directory: string
  let app: TestApp
  let key: string
  /** By the dataset of the gateway. */
  const releases = new Map<string, string>()
  const releaseOf = (reads: readonly string[] | null) =>
    releases.get(reads?.find((name) => releases.has(name)) ?? '') ?? ''

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'release-argument-'))
    const store = createDirectoryReleases(directory)
    await symlink(UNREADABLE, join(directory, UNREADABLE)) // leads to itself
    for (const { dataset, partOf } of RELEASE_TABLES) {
      if (dataset === UNREADABLE) continue
      const releaseId = await publishExample(store, { ...exampleRelease(KNOWN_AT), dataset })
      if (!releases.has(partOf)) releases.set(partOf, `${dataset}/${releaseId}`)
    }
    app = await startTestApp(quickestDatabase(), { env: { RELEASES_LOCATION: directory } })
    key = await app.newKey({ tier: 'enterprise' })
  })
  afterAll(async () => {
    await app?.close()
    await rm(directory, { recursive: true, force: true })
  })

  it('is at every field that takes an instant of knowledge, in both interfaces', () => {
    const isInstant = ({ name, type }: Field['args'][number]) =>
      (name === 'as_of' || name === 'known_at') && String(type) === 'DateTime'
    const types = Object.values(graphSchema.getTypeMap()).filter(isObjectType)
    const fields = types.flatMap((type) =>
      Object.values(type.getFields()).map((field) => ({ name: `${type.name}.${field.name}`, field })),
    )
    const withInstant = fields.filter(({ field }) => field.args.some(isInstant)).map(({ name }) => name)
    const withRelease = fields.filter(({ field }) => hasArgument(field, 'release')).map(({ name }) => name)
    expect(withRelease).toEqual(withInstant)
    expect(withRelease.length).toBe(ROOTS.length + EDGES.length)
    const inRest = restSchema.getQueryType()?.getFields() ?? {}
    for (const { name, endpoint } of ROOTS)
      if (endpoint.rest !== null)
        expect([name, hasArgument(inRest[name] as Field, 'release')]).toEqual([name, true])
  })

  it.each(ROOTS)('gives the answer of its instant to $name', async (root) => {
    const { rest, reads } = root.endpoint
    const args = exampleArguments(root, {})
    // A series of one publisher is read from the dataset of this publisher.
    const release = releaseOf(typeof args.provider === 'string' ? [args.provider] : reads)
    const atInstant = { ...args, [instantOf(root.field)]: KNOWN_AT }
    const pinned = { ...args, release }
    const selection = fullSelection(root.field.type)
    const expected = await callGraphql(app, root, atInstant, { key }, selection)
    const found = await callGraphql(app, root, pinned, { key }, selection)
    expect(expected.body.errors).toBeUndefined()
    expect(withoutRelease(found.body.data)).toEqual(withoutRelease(expected.body.data))
    expect(found.body.extensions?.cost?.charged).toBe(expected.body.extensions?.cost?.charged)
    expect(found.body.data?.[root.name]).toMatchObject({ _meta: { release } })
    expect(expected.body.data?.[root.name]).toMatchObject({ _meta: { release: null } })
    if (rest === null) return
    const expectedRest = await callRest(app, root, rest, atInstant, { key })
    const foundRest = await callRest(app, root, rest, pinned, { key })
    expect(foundRest.status).toBe(200)
    expect(withoutRelease(foundRest.body)).toEqual(withoutRelease(expectedRest.body))
    expect(foundRest.body).toMatchObject({ _meta: { release } })
  })

  it.each(EDGES)('gives the answer of its instant to $name', async ({ field, root, wanted }) => {
    const release = releaseOf(field.extensions.edge?.reads ?? null)
    const limit = hasArgument(field, 'limit') ? 'limit: 1, ' : ''
    const selection = fullSelection(field.type)
    const both = `expected: ${field.name}(${limit}as_of: "${KNOWN_AT}") ${selection}
      found: ${field.name}(${limit}release: "${release}") ${selection}`
    const asked = wanted.replace(/\{ \w+(\(limit: 1\))? \{ __typename \} \}/, `{ ${both} }`)
    expect(asked).toContain(release)
    const { body } = await callGraphql(app, root, exampleArguments(root, {}), { key }, asked)
    expect(body.errors).toBeUndefined()
    let compared = 0
    JSON.stringify(body.data, (_key, value) => {
      if (value === null || typeof value !== 'object' || !('found' in value)) return value
      compared += 1
      expect(withoutRelease(value.found)).toEqual(withoutRelease(value.expected))
      if (value.found?._meta) {
        expect(value.found._meta.release).toBe(release)
        expect(value.expected._meta.release).toBeNull()
      }
      return value
    })
    expect(compared).toBeGreaterThan(0)
  })

  const forex = () => releaseOf(['forex'])

  it('names the release in exports: as a header of each and in the metadata of columnar files', async () => {
    const query = `quote=USD&from=2026-11-02&release=${encodeURIComponent(forex())}`
    const csv = await app.rest(`/v1/forex.csv?${query}`, { key })
    expect([csv.status, csv.headers.get('x-release')]).toEqual([200, forex()])
    const parquet = await fetch(`${app.url}/v1/forex.parquet?${query}`, { headers: { 'x-api-key': key } })
    expect(await metadataOf(parquet)).toMatchObject({ release: forex() })
    const unpinned = await fetch(`${app.url}/v1/forex.parquet?quote=USD`, { headers: { 'x-api-key': key } })
    expect(await metadataOf(unpinned)).not.toHaveProperty('release')
  })

  it('pins no edge that does not have it', async () => {
    const asset = 'asset(id: "bitcoin") { data { ohlcv(limit: 1) { _meta { release } } } }'
    const { body } = await app.graphql<Record<string, never>>(
      `{ forex(quote: "USD", release: "${forex()}") { _meta { release } } ${asset} }`,
      { key },
    )
    expect(body.errors).toBeUndefined()
    expect(body.data).toEqual({
      forex: { _meta: { release: forex() } },
      asset: { data: { ohlcv: { _meta: { release: null } } } },
    })
  })

  it('is cached and revalidated as any answer is', async () => {
    const path = `/v1/forex?quote=CHF&release=${encodeURIComponent(forex())}`
    const first = await app.rest(path, { key })
    const etag = first.headers.get('etag')
    expect(etag).not.toBeNull()
    const second = await app.rest(path, { key, headers: { 'if-none-match': String(etag) } })
    expect(second.status).toBe(304)
  })

  it.each([
    ['malformed', 'yesterday', 422, 'must be a dataset and the id of its release'],
    ['a path', 'forex/../../etc', 422, 'must be a dataset and the id of its release'],
    ['unknown', 'forex/20261120T120000.000Z-0123456789ab', 404, 'No release forex/20261120T120000.000Z'],
    ['of no dataset', 'nothing/20261120T120000.000Z-0123456789ab', 404, 'No release nothing/'],
  ])('is refused where it is %s', async (_why, release, status, message) => {
    const rest = await app.rest(`/v1/forex?quote=USD&release=${encodeURIComponent(release)}`, { key })
    expect([rest.status, rest.text]).toEqual([status, expect.stringContaining(message)])
    const query = `query ($release: String) { forex(quote: "USD", release: $release) { rows } }`
    const { body } = await app.graphql(query, { key, variables: { release } })
    expect(body.errors?.[0]).toMatchObject({
      message: expect.stringContaining(message),
      extensions: { http: { status } },
    })
    expect(body.extensions?.cost?.charged).toBe(0)
  })

  it('is refused for an edge once, free of charge, however many parents it has', async () => {
    const query = `{ assets(limit: 20) { data { slug ohlcv(release: "candles/20261120T120000.000Z-0123456789ab") { total: _meta { release } } } } }`
    const { body } = await app.graphql(query, { key })
    expect(body.errors?.map(({ extensions }) => extensions.http.status)).toEqual([404])
    expect(body.extensions?.cost?.charged).toBe(1)
  })

  it('is refused together with an instant', async () => {
    const release = encodeURIComponent(forex())
    const both = await app.rest(`/v1/forex?quote=USD&as_of=${KNOWN_AT}&release=${release}`, { key })
    expect([both.status, both.text]).toEqual([422, expect.stringContaining('must not be given with as_of')])
    const etf = encodeURIComponent(releaseOf(['etf']))
    const known = await app.rest(`/v1/etf?known_at=${KNOWN_AT}&release=${etf}`, { key })
    expect([known.status, known.text]).toEqual([
      422,
      expect.stringContaining('must not be given with known_at'),
    ])
    // The date of a report is not an instant of knowledge.
    const report = await app.rest(`/v1/etf?as_of=2026-11-01&release=${etf}`, { key })
    expect(report.status).toBe(200)
  })

  it('is refused where its dataset is none of the answer', async () => {
    const candles = encodeURIComponent(releaseOf(['candles']))
    const { status, text } = await app.rest(`/v1/forex?quote=USD&release=${candles}`, { key })
    expect([status, text]).toEqual([
      422,
      expect.stringContaining('must be a release of forex, which this answer is read from; got candles/'),
    ])
  })

  it('is refused where another publisher has the series that the arguments name', async () => {
    const ecb = encodeURIComponent(releaseOf(['ecb']))
    const { status, text } = await app.rest(`/v1/macro/series/ust/PAR.10Y?release=${ecb}`, { key })
    expect([status, text]).toEqual([
      422,
      expect.stringContaining('must be a release of ust, which this answer is read from; got ecb/'),
    ])
  })

  it('is refused beyond ten releases in an operation', async () => {
    const fields = Array.from({ length: 11 }, (_, at) => {
      const release = `forex/20261120T1200${String(at).padStart(2, '0')}.000Z-0123456789ab`
      return `f${at}: forex(quote: "USD", release: "${release}") { rows }`
    })
    const { body } = await app.graphql(`{ ${fields.join(' ')} }`, { key })
    expect(body.errors?.map(({ extensions }) => extensions.http.status).toSorted()).toEqual([
      ...Array(10).fill(404),
      422,
    ])
  })

  it('is a 503 while the store cannot be read', async () => {
    const release = encodeURIComponent(`${UNREADABLE}/20261120T120000.000Z-0123456789ab`)
    const path = `/v1/forex?quote=USD&release=${release}`
    const { status, body } = await app.rest<{ message: string }>(path, { key })
    expect([status, body.message]).toEqual([503, 'The store of releases cannot be reached. Try again later.'])
  })
})
