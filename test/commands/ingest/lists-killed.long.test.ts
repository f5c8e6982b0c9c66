import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SEED_ENTITIES } from '../../../src/ingest/datasets/screening/screening-entities.js'
import { availableDatabases } from '../../support/database/database.js'
import { killedMidFile } from '../../support/processes/killed-mid-file.js'
import { type Printed, runScript } from '../../support/processes/run-script.js'
import { type Installation, inDatabase, newInstallation } from '../admin-world.js'

interface Subject {
  readonly programs: readonly string[]
  readonly known_to: Date | null
  readonly is_withdrawn: boolean
}

/** More than a run writes at once, and than a pipe holds. */
const DESIGNATIONS = 12_000

/** A body of OpenSanctions: entities 1 to `count` under a programme, and designations of the first. */
function bodyOf(count: number, program: string, designations: number): string {
  const entities = SEED_ENTITIES.slice(0, count).map(({ lei, name }, at) => ({
    id: `NK-${at}`,
    caption: name,
    schema: 'Company',
    properties: { leiCode: [lei], topics: ['sanction'], programId: [program] },
    referents: [],
    datasets: ['us_ofac_sdn'],
  }))
  const sanctions = Array.from({ length: designations }, (_, at) => ({
    id: `s-${at}`,
    caption: 'x',
    schema: 'Sanction',
    properties: { entity: [`NK-${at % count}`], programId: [program], listingDate: ['2022-02-24'] },
    referents: [],
    datasets: ['us_ofac_sdn'],
  }))
  return [...entities, ...sanctions].map((entity) => `${JSON.stringify(entity)}\n`).join('')
}

describe.each(availableDatabases())('a list whose run is killed, on %s', { timeout: 180_000 }, (kind) => {
  let installation: Installation
  let folder: string
  const fileOf = (name: string) => join(folder, name)
  // Nothing in a file proves that it is whole: an entity that is missing leaves by the word of the operator.
  const argsOf = (name: string) => ['opensanctions', '--file', fileOf(name), '--whole', '--json']
  const ingest = (name: string): Promise<Printed> =>
    runScript('src/commands/ingest.ts', argsOf(name), installation.env)
  const stored = () =>
    inDatabase(installation, async (database) => ({
      subjects: await database.rows<Subject>(
        `select subject_id, programs, known_from, known_to, is_withdrawn from sanctions_subject order by 1, 3`,
      ),
      listings: await database.rows(
        'select count(*)::int as all, count(*) filter (where known_to is null)::int as current from sanctions_listing',
      ),
      version: await database.rows(`select * from dataset_state where dataset = 'screening'`),
    }))
  beforeAll(async () => {
    installation = await newInstallation(kind, 'empty')
    folder = await mkdtemp(join(tmpdir(), 'mdg-lists-'))
    await writeFile(fileOf('first.json'), bodyOf(20, 'US-A', 100))
    await writeFile(fileOf('second.json'), bodyOf(19, 'US-B', DESIGNATIONS))
  })
  afterAll(async () => {
    await installation?.remove()
    await rm(folder, { recursive: true, force: true })
  })

  it('does not change, and is complete after the next run', async () => {
    expect((await ingest('first.json')).code).toBe(0)
    const before = await stored()
    expect(before.subjects).toHaveLength(20)

    const pipe = { path: fileOf('pipe.json'), body: bodyOf(19, 'US-B', DESIGNATIONS) }
    const signal = await killedMidFile('src/commands/ingest.ts', argsOf('pipe.json'), installation.env, pipe)
    expect(signal).toBe('SIGKILL')
    expect(await stored()).toEqual(before)

    const { code, out } = await ingest('second.json')
    expect(code).toBe(0)
    expect(JSON.parse(out)).toMatchObject({ rejected: 0, rows: 19 + DESIGNATIONS })
    const after = await stored()
    const current = after.subjects.filter(({ known_to: to, is_withdrawn: gone }) => to === null && !gone)
    expect(current.map(({ programs }) => programs)).toEqual(Array.from({ length: 19 }, () => ['US-B']))
    expect(after.listings).toMatchObject([{ current: DESIGNATIONS }])
    const runs = await inDatabase(installation, (database) =>
      database.rows<{ status: string }>(
        `select status from ingest_run where feed = 'opensanctions' order by started_at`,
      ),
    )
    expect(runs.map(({ status }) => status)).toEqual(['succeeded', 'failed', 'succeeded'])
  })
})
