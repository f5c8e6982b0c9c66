import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type EvmAddress, parseEvmAddress } from '../../../src/core/identifiers.js'
import { type IsoDate, parseIsoDate } from '../../../src/core/time.js'
import { LABELLED_ADDRESSES } from '../../../src/domains/onchain/labels-model.js'
import type { AddressSnapshot } from '../../../src/domains/onchain/model.js'
import {
  deleteOldSnapshots,
  loadAddressSnapshots,
  loadSnapshotDays,
  writeSnapshots,
} from '../../../src/domains/onchain/store.js'
import type { Database } from '../../../src/platform/database/database.js'
import { availableDatabases, openTestDatabase } from '../../support/database/database.js'
import { emptiedOfFew } from '../../support/database/emptied.js'

const ADDRESS: EvmAddress = parseEvmAddress(`0x${'1'.repeat(40)}`) ?? expect.fail('no address')
const day = (text: string): IsoDate => parseIsoDate(text) ?? expect.fail(text)

function snapshot(change: Partial<AddressSnapshot> = {}): AddressSnapshot {
  const { snapshotDate = day('2026-11-20') } = change
  return {
    ...{ chainId: 1, address: ADDRESS, balanceWei: '1', transactionCount: 1, isContract: true },
    ...{ delegatedTo: null, contractName: { name: 'Vault', source: 'sourcify' }, blockNumber: 20_000_000 },
    ...{
      observedAt: new Date(`${snapshotDate}T10:00:00Z`),
      fetchedAt: new Date(`${snapshotDate}T10:00:01Z`),
    },
    ...{ snapshotDate, source: 'evm' },
    ...change,
  }
}

describe.each(availableDatabases())('the store of snapshots on %s', (kind) => {
  let database: Database
  beforeAll(async () => {
    database = await openTestDatabase(kind)
  })
  beforeEach(() => emptiedOfFew(database, ['address_snapshot']))
  afterAll(() => database?.close())

  const newest = async () =>
    (await loadAddressSnapshots(database, [{ chainId: 1, address: ADDRESS, day: null }]))[0]

  it('returns what was written: 78 digits, names, and missing names', async () => {
    const most = snapshot({ balanceWei: String(2n ** 256n - 1n), transactionCount: Number.MAX_SAFE_INTEGER })
    expect(await writeSnapshots(database, [most], 'evm')).toEqual({ added: 1, revised: 0, unchanged: 0 })
    expect(await newest()).toEqual(most)
    const unnamed = snapshot({
      contractName: { name: null, source: 'sourcify' },
      fetchedAt: new Date('2026-11-20T11:00:00Z'),
    })
    expect(await writeSnapshots(database, [unnamed], 'evm')).toMatchObject({ revised: 1 })
    expect(await newest()).toEqual(unnamed)
    const unknown = { ...unnamed, contractName: null }
    await writeSnapshots(database, [unknown], 'evm')
    expect(await newest()).toEqual(unknown)
    expect(await writeSnapshots(database, [unknown], 'evm')).toEqual({ added: 0, revised: 0, unchanged: 1 })
  })

  it('keeps the later of two of a day, even if the earlier one is written last', async () => {
    const later = snapshot({ balanceWei: '2', fetchedAt: new Date('2026-11-20T12:00:00Z') })
    await writeSnapshots(database, [later], 'evm')
    expect(await writeSnapshots(database, [snapshot()], 'evm')).toMatchObject({ unchanged: 1 })
    expect(await newest()).toEqual(later)
  })

  it('finds the newest of each address, or that of a day, in one statement', async () => {
    await writeSnapshots(
      database,
      ['2026-11-18', '2026-11-20', '2026-11-19'].map((text) => snapshot({ snapshotDate: day(text) })),
      'evm',
    )
    const before = database.statementCount()
    const found = await loadAddressSnapshots(database, [
      { chainId: 1, address: ADDRESS, day: day('2026-11-18') },
      { chainId: 56, address: ADDRESS, day: null },
      { chainId: 1, address: ADDRESS, day: null },
      { chainId: 1, address: ADDRESS, day: day('2026-11-17') },
    ])
    expect(database.statementCount() - before).toBe(1)
    expect(found.map((one) => one?.snapshotDate)).toEqual(['2026-11-18', undefined, '2026-11-20', undefined])
    const keys = [56, 1].map((chainId) => ({ chainId, address: ADDRESS }))
    expect(await loadSnapshotDays(database, keys, 2)).toEqual([[], ['2026-11-20', '2026-11-19']])
  })

  it('replaces synthetic rows of all days by live ones, and never the other way', async () => {
    const seeded = ['2026-11-19', '2026-11-20'].map((text) =>
      snapshot({ snapshotDate: day(text), source: 'seed', fetchedAt: new Date('2027-01-01T00:00:00Z') }),
    )
    await writeSnapshots(database, seeded, 'seed')
    await writeSnapshots(database, [snapshot({ balanceWei: '5' })], 'evm')
    const rows = () =>
      database.rows(
        'select snapshot_date as day, source, balance_wei as wei from address_snapshot order by 1',
      )
    expect(await rows()).toEqual([{ day: '2026-11-20', source: 'evm', wei: '5' }])
    await writeSnapshots(database, seeded, 'seed')
    expect(await rows()).toEqual([{ day: '2026-11-20', source: 'evm', wei: '5' }])
  })

  it('deletes rows older than 90 days, except those of labelled addresses', async () => {
    const labelled = LABELLED_ADDRESSES[0] ?? expect.fail('no label')
    const days = ['2026-08-22', '2026-08-21', '2025-01-01'].map(day)
    await writeSnapshots(
      database,
      days.flatMap((snapshotDate) => [snapshot({ snapshotDate }), snapshot({ ...labelled, snapshotDate })]),
      'evm',
    )
    const many = Array.from({ length: 6_000 }, (_, at) =>
      snapshot({
        address: parseEvmAddress(`0xfe${at.toString(16).padStart(38, '0')}`) ?? expect.fail(),
        snapshotDate: day('2026-01-01'),
      }),
    )
    await writeSnapshots(database, many, 'evm')
    expect(await deleteOldSnapshots(database, new Date('2026-11-20T12:00:00Z'))).toBe(6_002)
    const left = await database.rows(
      'select address, snapshot_date as day from address_snapshot order by 1, 2',
    )
    expect(left).toHaveLength(4)
    expect(left).toContainEqual({ address: ADDRESS, day: '2026-08-22' })
    expect(await deleteOldSnapshots(database, new Date('2026-11-20T12:00:00Z'))).toBe(0)
  })
})
