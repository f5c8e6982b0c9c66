import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Database } from '../../../src/platform/database/database.js'
import { isCurrentTerm, startLeaderLease } from '../../../src/platform/outbox/leader-lease.js'
import { availableDatabases, openTestDatabase } from '../../support/database/database.js'

describe.each(availableDatabases())('a leader lease on %s', (kind) => {
  let database: Database
  const leases: ReturnType<typeof startLeaderLease>[] = []
  const log = { info: () => {}, warn: () => {} }
  beforeAll(async () => {
    database = await openTestDatabase(kind)
  })
  afterAll(() => database?.close())
  afterEach(async () => {
    for (const lease of leases.splice(0)) await lease.release()
  })

  function start() {
    const lease = startLeaderLease(database, 'newsletter', log)
    leases.push(lease)
    return lease
  }
  const isCurrent = async (term: number | null) =>
    (await database.rows(`select 1 as one where ${isCurrentTerm('newsletter')}`, [term])).length > 0

  it('has one holder; the next one gets it with a higher term after its release', async () => {
    const first = start()
    await vi.waitFor(() => expect(first.term()).toBe(1))
    let changes = 0
    const second = start()
    second.onChange(() => {
      changes += 1
    })
    expect([second.term(), changes]).toEqual([null, 0])
    expect([first.isLost(1), second.isLost(1)]).toEqual([false, true])
    expect(await isCurrent(1)).toBe(true)
    await first.release()
    await vi.waitFor(() => expect(second.term()).toBe(2), { timeout: 5_000 })
    expect(changes).toBe(1)
    expect([await isCurrent(1), await isCurrent(2)]).toEqual([false, true])
  })
})
