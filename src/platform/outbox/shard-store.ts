import { memoizeByObject } from '../../core/memoize-by-object.js'
import type { Database, Sql, Transaction } from '../database/database.js'
import { statement } from '../database/statement.js'
import { claimLease } from './leader-lease.js'
import { ALL_NODES, FIRST_TERM, type ShardedWork } from './sharded-work.js'

/** Who claims, and how. */
export interface ShardClaim {
  readonly node: string
  /** For operators: the host and the process. */
  readonly nodeName: string
  /** Number of shards that the work is divided into. */
  readonly shards: number
  readonly leaseMs: number
}

const HELD = { shard: 'int4', term: 'int8' } as const

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
  /** Whether a shard has no holder. */
  readonly hasFree: boolean
  /** The number of shards of a living node that divides the work otherwise. */
  readonly otherShards: number | null
}

const RENEWED = {
  shard: 'int4?',
  term: 'int8?',
  others: 'int8',
  rank: 'int8',
  leased: 'int8',
  otherShards: 'int4?',
} as const

// Plain SQL in this file: single statements on the clock of the database, as for the leader lease.

const releaseFormer = (name: string, nodes: string) =>
  `update schedule_lease set expires_at = clock_timestamp()
     where name = '${name}' and holder = '${ALL_NODES}'
       and not exists (select from ${nodes} where node <> $1 and expires_at > clock_timestamp())`

/** A work is an object of its module, so that its statements are declared once. */
const statementsOf = memoizeByObject(({ name, nodes, shards, formerLease }: ShardedWork) => {
  const isFormerHeld =
    formerLease === undefined
      ? 'true'
      : `exists (select from schedule_lease
         where name = '${formerLease}' and holder = '${ALL_NODES}' and expires_at > clock_timestamp())`
  return {
    /** `for update` of a taker conflicts with the key lock of `hold`; the renewal does not, so that it never waits for a write. */
    renew: statement(
      RENEWED,
      `with former as (
         ${formerLease === undefined ? 'select 1 as term' : claimLease(`'${formerLease}'`, `'${ALL_NODES}'`)}
       ), alive as (
         insert into ${nodes} (node, name, expires_at) values ($1, $4, clock_timestamp() + $3 * interval '1 millisecond')
         on conflict (node) do update set expires_at = excluded.expires_at
       ), released as (
         update ${shards} set expires_at = clock_timestamp()
         where node = $1 and not shard = any($2::int[]) and expires_at > clock_timestamp()
       ), renewed as (
         update ${shards} set expires_at = clock_timestamp() + $3 * interval '1 millisecond'
         where node = $1 and shard = any($2::int[]) and exists (select from former) returning shard, term
       ), living as (
         select node from ${nodes} where node <> $1 and expires_at > clock_timestamp()
       ), counts as (
         select (select count(*) from living) as others, (select count(*) from living where node < $1) as rank,
           (select count(*) from ${shards} where shard < $5 and expires_at > clock_timestamp()) as leased,
           (select max(shards) from ${shards} where shards <> $5 and expires_at > clock_timestamp()) as "otherShards"
       )
       select r.shard, r.term, c.others, c.rank, c.leased, c."otherShards" from counts as c left join renewed as r on true`,
    ),
    turn: statement(
      { isMine: 'bool' },
      `select pg_try_advisory_xact_lock(hashtext('shards of the ${name}')) as "isMine"`,
    ),
    forget: `delete from ${nodes} where expires_at < clock_timestamp() - interval '10 minutes'`,
    add: `insert into ${shards} (shard, shards, term, expires_at)
       select shard, $1, ${FIRST_TERM}, '-infinity' from generate_series(0, $1::int - 1) as shard on conflict do nothing`,
    take: statement(
      HELD,
      `update ${shards} set node = $1, shards = $2, term = term + 1,
         expires_at = clock_timestamp() + $3 * interval '1 millisecond'
       where ${isFormerHeld} and shard in (
         select shard from ${shards} where shard < $2 and expires_at <= clock_timestamp() order by shard limit $4
         for update skip locked)
       and not exists (select from ${shards} where shards <> $2 and expires_at > clock_timestamp())
       returning shard, term`,
    ),
    release: `with released as (update ${shards} set expires_at = clock_timestamp() where node = $1)
       ${formerLease === undefined ? '' : `, former as (${releaseFormer(formerLease, nodes)})`}
       delete from ${nodes} where node = $1`,
    hold: statement(
      { shard: 'int4' },
      `select shard from ${shards} where shard = $1 and node = $2 and term = $3 for key share`,
    ),
    holders: statement(
      { shard: 'int4', name: 'text' },
      `select s.shard, n.name from ${shards} as s join ${nodes} as n on n.node = s.node
       where s.expires_at > clock_timestamp()`,
    ),
  }
})

/** The leases on the shards of a work, in the database. */
export function createShardStore(work: ShardedWork) {
  const statements = statementsOf(work)
  return {
    /** Renews the leases on the shards to keep and releases the node's others. */
    renew: async (sql: Sql, claim: ShardClaim, keep: readonly number[]): Promise<ShardRenewal> => {
      const { node, nodeName, shards, leaseMs } = claim
      const rows = await sql.rows(statements.renew, [node, keep, leaseMs, nodeName, shards], {
        withinMs: leaseMs,
      })
      const [{ others, rank, leased, otherShards } = { others: 0, rank: 0, leased: 0, otherShards: null }] =
        rows
      return {
        held: rows.flatMap(({ shard, term }) => (shard === null || term === null ? [] : [{ shard, term }])),
        nodes: others + 1,
        rank,
        hasFree: leased < shards,
        otherShards,
      }
    },
    /** Takes up to that many free shards. None while another node takes some or divides the work otherwise. */
    take: (
      database: Database,
      { node, shards, leaseMs }: ShardClaim,
      most: number,
    ): Promise<readonly HeldShard[]> =>
      database.transaction(async (tx) => {
        const [turn] = await tx.rows(statements.turn)
        if (turn?.isMine !== true) return []
        await tx.rows(statements.forget)
        await tx.rows(statements.add, [shards])
        return tx.rows(statements.take, [node, shards, leaseMs, most])
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
  const rows = await sql.rows(statementsOf(work).holders)
  return new Map(rows.map(({ shard, name }) => [shard, name]))
}
