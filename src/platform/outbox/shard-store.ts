import type { Database, Sql, Transaction } from '../database/database.js'
import type { ShardedWork } from './shard-statements.js'

/** Who claims, and how. */
export interface ShardClaim {
  readonly node: string
  /** For operators: the host and the process. */
  readonly nodeName: string
  /** Number of shards that the work is divided into. */
  readonly shards: number
  /** The shards that the node can do. */
  readonly wanted: readonly number[]
  readonly leaseMs: number
}

/** A shard under a term of its lease. */
export interface HeldShard {
  readonly shard: number
  /** Rises with each change of the holder. */
  readonly term: number
}

/** The shards and nodes after a renewal. */
export interface ShardRenewal {
  /** The shards to keep that are still the node's. */
  readonly held: readonly HeldShard[]
  /** Number of nodes that live, with this one. */
  readonly nodes: number
  /** Number of living nodes before this one, in the order of their ids. */
  readonly rank: number
  /** Whether a shard that the node can do has no holder. */
  readonly hasFree: boolean
  /** The number of shards of a living node that divides the work otherwise. */
  readonly otherShards: number | null
}

/** The leases on the shards of a work, in the database. */
export function createShardStore({ statements }: ShardedWork) {
  return {
    /** Renews the leases on the shards to keep and releases the node's others. */
    renew: async (sql: Sql, claim: ShardClaim, keep: readonly number[]): Promise<ShardRenewal> => {
      const { node, nodeName, shards, wanted, leaseMs } = claim
      const facts = [node, keep, leaseMs, nodeName, shards, wanted]
      const rows = await sql.rows(statements.renew, facts, { withinMs: leaseMs })
      const [{ others, rank, leased, otherShards } = { others: 0, rank: 0, leased: 0, otherShards: null }] =
        rows
      return {
        held: rows.flatMap(({ shard, term }) => (shard === null || term === null ? [] : [{ shard, term }])),
        nodes: others + 1,
        rank,
        hasFree: leased < wanted.length,
        otherShards,
      }
    },
    /** Takes up to that many free shards. None while another node takes some or divides the work otherwise. */
    take: (
      database: Database,
      { node, shards, wanted, leaseMs }: ShardClaim,
      most: number,
    ): Promise<readonly HeldShard[]> =>
      database.transaction(async (tx) => {
        const [turn] = await tx.rows(statements.turn)
        if (turn?.isMine !== true) return []
        await tx.rows(statements.forget)
        await tx.rows(statements.add, [shards, wanted])
        return tx.rows(statements.take, [node, shards, leaseMs, most, wanted])
      }),
    /** Releases all shards of a node that stops. */
    release: async (sql: Sql, node: string, withinMs: number): Promise<void> => {
      await sql.rows(statements.release, [node], { withinMs })
    },
    /** Whether the shard is still the node's. Until the transaction ends, no other node can take it. */
    hold: async (tx: Transaction, node: string, { shard, term }: HeldShard): Promise<boolean> =>
      (await tx.rows(statements.hold, [shard, node, term])).length > 0,
  }
}

/** The name of the node that holds each shard, by shard; a shard without a holder is missing. */
export async function loadShardHolders(sql: Sql, work: ShardedWork): Promise<ReadonlyMap<number, string>> {
  const rows = await sql.rows(work.statements.holders)
  return new Map(rows.map(({ shard, name }) => [shard, name]))
}
