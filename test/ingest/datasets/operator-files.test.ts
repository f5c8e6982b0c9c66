import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { fixedClock } from '../../../src/core/time.js'
import { findFeed } from '../../../src/ingest/registry.js'
import { usualSourceOf } from '../../../src/ingest/run/feed-body.js'
import { runFeed } from '../../../src/ingest/run/run-feed.js'
import { seedWorld } from '../../../src/ingest/seed/seed-world.js'
import type { Database } from '../../../src/platform/database/database.js'
import { createLogger } from '../../../src/platform/logger.js'
import { availableDatabases, openTestDatabase } from '../../support/database/database.js'
import { emptiedOfFew } from '../../support/database/emptied.js'
import { runOperatorFile } from '../../support/ingest/run-group.js'

const NOW = new Date('2026-11-22T10:00:00Z')
const LATER = new Date('2026-11-22T11:00:00Z')
const bytesOf = (text: string) =>
  ({ kind: 'bytes', bytes: new TextEncoder().encode(text), origin: 'own.csv' }) as const
const OWN = 'slug,asset_id,ticker,name,asset_class,currency\npepe,1000001,PEPE,Pepe,crypto,USD\n'

describe.each(availableDatabases())('the operator’s files on %s', (kind) => {
  let database: Database
  beforeAll(async () => {
    database = await openTestDatabase(kind)
  })
  beforeEach(() =>
    emptiedOfFew(database, [
      'instrument',
      'asset',
      'asset_contract',
      'asset_supply',
      'ingest_run',
      'dataset_state',
    ]),
  )
  afterAll(() => database.close())

  const depsAt = (at: Date) => ({
    database,
    clock: fixedClock(at),
    fetchBody: () => expect.fail('nothing is fetched'),
    log: createLogger('silent'),
  })
  const reference = findFeed('reference')
  const runReference = (at: Date) => runFeed(depsAt(at), reference, usualSourceOf(reference.feed))
  const assets = () =>
    database.rows<Record<string, unknown>>(
      `select asset_id, name, source from asset where source <> 'reference' order by asset_id`,
    )
  const state = async () =>
    (
      await database.rows<Record<string, unknown>>(
        'select version, source, is_dev_dataset, parts from dataset_state',
      )
    )[0]

  it('add to the reference, which is ingested first if it is missing', async () => {
    expect(await runOperatorFile('instruments', depsAt(NOW), bytesOf(OWN))).toMatchObject({
      added: 1,
      rejected: 0,
    })
    expect(await assets()).toEqual([{ asset_id: 1_000_001, name: 'Pepe', source: 'operator' }])
    expect(await database.rows('select count(*) as rows from asset')).toEqual([{ rows: 149 }])
    expect(await database.rows('select feed, origin, added from ingest_run order by added')).toEqual([
      { feed: 'instruments', origin: 'own.csv', added: 1 },
      { feed: 'reference', origin: 'bundled', added: 148 },
    ])
    const { parts, ...rest } = (await state()) ?? {}
    expect(rest).toEqual({ version: 2, source: 'operator', is_dev_dataset: false })
    expect(Object.keys(parts ?? {}).sort()).toEqual(['operator', 'reference'])
  })

  it('replace the synthetic masters', async () => {
    await seedWorld(database, NOW, ['instruments'])
    await runOperatorFile('instruments', depsAt(NOW), bytesOf(OWN))
    expect(await assets()).toEqual([{ asset_id: 1_000_001, name: 'Pepe', source: 'operator' }])
    expect(await state()).toMatchObject({ is_dev_dataset: false })
  })

  it('take precedence over the reference, before its next run and after', async () => {
    await runOperatorFile('instruments', depsAt(NOW), bytesOf('slug,name,tier\nbitcoin,Own Bitcoin,2\n'))
    const own = [{ asset_id: 1, name: 'Own Bitcoin', source: 'operator' }]
    expect(await assets()).toEqual(own)
    expect(await runReference(LATER)).toMatchObject({ added: 0, revised: 0, unchanged: 148 })
    expect(await assets()).toEqual(own)
    expect(await database.rows('select tier from asset where asset_id = 1')).toEqual([{ tier: 2 }])
  })

  it('change nothing when read again, and later build on their earlier content', async () => {
    const source = bytesOf(OWN)
    await runOperatorFile('instruments', depsAt(NOW), source)
    expect(await runOperatorFile('instruments', depsAt(NOW), source)).toMatchObject({
      added: 0,
      revised: 0,
      unchanged: 1,
    })
    expect(await state()).toMatchObject({ version: 2 })
    const change = bytesOf('slug,ticker\npepe,PEPE2\nnowhere,X\n')
    const changed = await runOperatorFile('instruments', depsAt(LATER), change)
    expect(changed).toMatchObject({ added: 0, revised: 1, rejected: 1 })
    expect(changed.rejections[0]).toMatchObject({ position: 'line 3, "nowhere"' })
    expect(await assets()).toEqual([{ asset_id: 1_000_001, name: 'Pepe', source: 'operator' }])
    expect(await database.rows('select ticker from instrument where asset_id = 1000001')).toEqual([
      { ticker: 'PEPE2' },
    ])
  })

  const supplies = () =>
    database.rows<Record<string, unknown>>(
      `select asset_id, trim_scale(supply) as supply, source from asset_supply where known_to is null order by asset_id`,
    )
  const rule = findFeed('supply-rule')
  const runRule = (at: Date) => runFeed(depsAt(at), rule, usualSourceOf(rule.feed))

  it('give supplies with precedence over the rule’s, until they are withdrawn', async () => {
    await runReference(NOW)
    await runRule(NOW)
    const given = bytesOf(
      'slug,supply,observed_at\nbitcoin,19000000,2026-01-01\nsolana,553000000,\nnowhere,1,\n',
    )
    expect(await runOperatorFile('supplies', depsAt(NOW), given)).toMatchObject({
      added: 1,
      revised: 1,
      rejected: 1,
    })
    expect(await runRule(LATER)).toMatchObject({ added: 0, revised: 2, unchanged: 1 })
    expect(await supplies()).toMatchObject([
      { asset_id: 1, supply: '19000000', source: 'operator' },
      { asset_id: 4, supply: '553000000', source: 'operator' },
      { asset_id: 16, source: 'issuance_rule' },
      { asset_id: 17, source: 'issuance_rule' },
    ])
    const taken = bytesOf('slug,supply\nbitcoin,\nsolana,\ncardano,\n')
    expect(await runOperatorFile('supplies', depsAt(LATER), taken)).toMatchObject({
      added: 0,
      revised: 2,
      unchanged: 1,
    })
    expect(await supplies()).toMatchObject([{ asset_id: 16 }, { asset_id: 17 }])
    const next = new Date('2026-11-22T12:00:00Z')
    expect(await runRule(next)).toMatchObject({ added: 1, revised: 2 })
    expect((await supplies())[0]).toMatchObject({ asset_id: 1, source: 'issuance_rule' })
  })

  it('cannot give supplies of unknown assets', async () => {
    await expect(
      runOperatorFile('supplies', depsAt(NOW), bytesOf('slug,supply\nbitcoin,1\n')),
    ).rejects.toThrow('the database has no assets yet; ingest reference or instruments first')
  })
})
