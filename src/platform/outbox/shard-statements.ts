import { statement } from '../database/statement.js'
import type { ShardFacts } from './sharded-work.js'

/** Sharded work with the statements on its leases. */
export interface ShardedWork extends ShardFacts {
  readonly statements: ReturnType<typeof statementsOf>
}

/** Declares the statements of a work, once, at the top of its module. */
export function declareShardedWork(facts: ShardFacts): ShardedWork {
  return { ...facts, statements: statementsOf(facts) }
}

const HELD = { shard: 'int4', term: 'int8' } as const

const RENEWED = {
  shard: 'int4?',
  term: 'int8?',
  others: 'int8',
  rank: 'int8',
  leased: 'int8',
  otherShards: 'int4?',
} as const

// Plain SQL in this file: single statements on the clock of the database.

/** The statements of a work. */
function statementsOf({ name, nodes, shards }: ShardFacts) {
  return {
    /** `for update` of a taker conflicts with the key lock of `hold`; the renewal does not, so that it never waits for a write. */
    renew: statement(
      'lacks clock of the database',
      RENEWED,
      `with alive as (
         insert into ${nodes} (node, name, expires_at) values ($1, $4, clock_timestamp() + $3 * interval '1 millisecond')
         on conflict (node) do update set expires_at = excluded.expires_at
       ), released as (
         update ${shards} set expires_at = clock_timestamp()
         where node = $1 and not shard = any($2::int[]) and expires_at > clock_timestamp()
       ), renewed as (
         update ${shards} set expires_at = clock_timestamp() + $3 * interval '1 millisecond'
         where node = $1 and shard = any($2::int[]) returning shard, term
       ), living as (
         select node from ${nodes} where node <> $1 and expires_at > clock_timestamp()
       ), counts as (
         select (select count(*) from living) as others, (select count(*) from living where node < $1) as rank,
           (select count(*) from ${shards} where shard = any($6::int[]) and expires_at > clock_timestamp()) as leased,
           (select max(shards) from ${shards} where shards <> $5 and expires_at > clock_timestamp()) as "otherShards"
       )
       select r.shard, r.term, c.others, c.rank, c.leased, c."otherShards" from counts as c left join renewed as r on true`,
    ),
    turn: statement(
      'lacks advisory lock',
      { isMine: 'bool' },
      `select pg_try_advisory_xact_lock(hashtext('shards of the ${name}')) as "isMine"`,
    ),
    forget: `delete from ${nodes} where expires_at < clock_timestamp() - interval '10 minutes'`,
    add: `insert into ${shards} (shard, shards, term, expires_at)
       select shard, $1, 0, '-infinity' from unnest($2::int[]) as shard on conflict do nothing`,
    take: statement(
      'lacks row lock',
      HELD,
      `update ${shards} set node = $1, shards = $2, term = term + 1,
         expires_at = clock_timestamp() + $3 * interval '1 millisecond'
       where shard in (
         select shard from ${shards} where shard = any($5::int[]) and expires_at <= clock_timestamp() order by shard limit $4
         for update skip locked)
       and not exists (select from ${shards} where shards <> $2 and expires_at > clock_timestamp())
       returning shard, term`,
    ),
    release: `with released as (update ${shards} set expires_at = clock_timestamp() where node = $1)
       delete from ${nodes} where node = $1`,
    hold: statement(
      'lacks row lock',
      { shard: 'int4' },
      `select shard from ${shards} where shard = $1 and node = $2 and term = $3 for key share`,
    ),
    holders: statement(
      'lacks clock of the database',
      { shard: 'int4', name: 'text' },
      `select s.shard, n.name from ${shards} as s join ${nodes} as n on n.node = s.node
       where s.expires_at > clock_timestamp()`,
    ),
  }
}
