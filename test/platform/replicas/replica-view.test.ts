import { describe, expect, it } from 'vitest'
import type { Database } from '../../../src/platform/database/database.js'
import { Replica } from '../../../src/platform/replicas/replica.js'
import { createReplicaView } from '../../../src/platform/replicas/replica-view.js'

const IDENTITY = {}

/** Prisma's client, of which one model is asked: its rows say where they came from. */
function prismaOf(name: string, onCall: () => void): Database['prisma'] {
  const findMany = async () => {
    onCall()
    return [{ name }]
  }
  return { asset: { findMany } } as unknown as Database['prisma']
}

/** A view of a primary and a replica whose rows say where they came from; the replica's can fail. */
function newView() {
  const server = { failure: null as Error | null, asked: 0 }
  const rowsFrom =
    (name: string): Database['rows'] =>
    async <Row>() =>
      [{ name }] as Row[]
  const replica = new Replica(
    '1',
    {
      rows: (sql, parameters, options) => {
        if (sql.includes('pg_is_in_recovery')) return Promise.reject(new Error('not asked here'))
        server.asked += 1
        return server.failure ? Promise.reject(server.failure) : rowsFrom('replica')(sql, parameters, options)
      },
      prisma: prismaOf('replica', () => {
        server.asked += 1
        if (server.failure) throw server.failure
      }),
      close: async () => {},
    },
    () => {},
  )
  const primary = {
    kind: 'postgres',
    rows: rowsFrom('primary'),
    prisma: prismaOf('primary', () => {}),
    transaction: async () => 'done',
  }
  return { server, ...createReplicaView(primary as unknown as Database, replica, IDENTITY) }
}

describe('a view of a replica', () => {
  it('has its rows, and is complete', async () => {
    const { database, isWhole } = newView()
    expect(await database.rows('select 1')).toEqual([{ name: 'replica' }])
    expect([database.identity, isWhole()]).toEqual([IDENTITY, true])
  })

  it('retries a failed statement once on the primary, and stays there', async () => {
    const { database, isWhole, server } = newView()
    await database.rows('select 1')
    server.failure = new Error('Connection terminated unexpectedly')
    expect(await database.rows('select 2')).toEqual([{ name: 'primary' }])
    server.failure = null
    expect(await database.rows('select 3')).toEqual([{ name: 'primary' }])
    expect([server.asked, isWhole()]).toEqual([2, false])
  })

  it("reads models there too, and retries a failed call of Prisma's client once on the primary", async () => {
    const { database, isWhole, server } = newView()
    expect(await database.prisma.asset.findMany()).toEqual([{ name: 'replica' }])
    expect(isWhole()).toBe(true)
    server.failure = new Error('Connection terminated unexpectedly')
    expect(await database.prisma.asset.findMany()).toEqual([{ name: 'primary' }])
    server.failure = null
    expect(await database.rows('select 1')).toEqual([{ name: 'primary' }])
    expect([server.asked, isWhole()]).toEqual([2, false])
  })

  it('is not complete after anything but reads, which goes to the primary', async () => {
    const { database, isWhole } = newView()
    expect(await database.transaction(async () => 'unused')).toBe('done')
    expect(isWhole()).toBe(false)
    expect(await database.rows('select 1')).toEqual([{ name: 'replica' }])
  })
})
