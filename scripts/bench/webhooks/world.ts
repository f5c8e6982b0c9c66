import { randomUUID } from 'node:crypto'
import { resolve } from 'node:path'
import { type Database, openDatabase } from '../../../src/platform/database/database.js'
import { migrate } from '../../../src/platform/database/migrate.js'
import { BATCH_LIMITS } from '../../../src/platform/database/statement-limits.js'

const MIGRATIONS = resolve(import.meta.dirname, '../../../prisma/migrations')
const ASSETS = 50

/** A database with accounts, one webhook for each. */
export interface WebhookWorld {
  readonly url: string
  readonly database: Database
  /** Points the webhooks at that port, each account at the next host, and forgets what was delivered. */
  aim(port: number): Promise<void>
  /** Adds changes in one commit; each is an event of each webhook. */
  addChanges(count: number): Promise<void>
  delivered(): Promise<number>
  /** The number of nodes that have shards, and the smallest number that one has. */
  shares(): Promise<{ readonly nodes: number; readonly least: number }>
  close(): Promise<void>
}

export async function openWebhookWorld(
  server: string,
  accounts: number,
  hosts: readonly string[],
): Promise<WebhookWorld> {
  const admin = await openDatabase({ kind: 'postgres', url: server, poolSize: 1 }, { limits: BATCH_LIMITS })
  const name = `bench_webhooks_${process.pid}`
  await admin.rows(`create database ${name}`)
  const target = new URL(server)
  target.pathname = `/${name}`
  const url = target.href
  const database = await openDatabase({ kind: 'postgres', url, poolSize: 2 })
  await migrate(database, MIGRATIONS)
  // The receiver has no certificate, because TLS is not measured.
  await database.rows('alter table webhook drop constraint webhook_url_check')
  await fill(database, accounts)
  return {
    url,
    database,
    aim: async (port) => {
      await database.script('truncate webhook_delivery')
      await database.rows(
        `update webhook as w set url = 'http://' || h.host || ':' || $1 || '/', host = h.host,
           cursor_at = coalesce((select max(computed_at) from analysis_change), '-infinity'),
           cursor_id = coalesce((select max(diff_id) from analysis_change), 0)
         from (select webhook_id, ($2::text[])[1 + (row_number() over (order by webhook_id) - 1) % $3::int] as host
               from webhook) as h
         where h.webhook_id = w.webhook_id`,
        [String(port), hosts, hosts.length],
      )
    },
    addChanges: (count) => addChanges(database, count),
    delivered: async () => {
      const [row] = await database.rows<{ n: number }>(
        `select count(*)::int as n from webhook_delivery where state = 'delivered'`,
      )
      return row?.n ?? 0
    },
    shares: async () => {
      const [row] = await database.rows<{ nodes: number; least: number }>(
        `select count(*)::int as nodes, coalesce(min(n), 0)::int as least from (
           select count(*) as n from webhook_shard where expires_at > clock_timestamp() group by node) as s`,
      )
      return row ?? { nodes: 0, least: 0 }
    },
    close: async () => {
      await database.close()
      await admin.rows(`drop database ${name} with (force)`)
      await admin.close()
    },
  }
}

async function fill(database: Database, accounts: number): Promise<void> {
  await database.rows(
    `insert into asset (asset_id, slug, ticker, name, asset_class, tier, last_updated, source)
     select n, 'asset-' || n, 'A' || n, 'Asset ' || n, 'crypto', 1, now(), 'seed' from generate_series(1, $1::int) as n`,
    [ASSETS],
  )
  await database.rows(
    `insert into dataset_state (dataset, source, is_dev_dataset, observed_at, changed_at, version)
     values ('analysis', 'seed', true, now(), now(), 1)`,
  )
  const ids = Array.from({ length: accounts }, () => randomUUID())
  await database.rows(
    `insert into account (account_id, tier, grants, created_at) select id, 'growth', '{}', now() from unnest($1::uuid[]) as id`,
    [ids],
  )
  await database.rows(
    `insert into webhook (webhook_id, account_id, url, host, seed, cursor_at, cursor_id, not_before, created_at)
     select id, id, 'http://receiver.example/', 'receiver.example', decode(repeat('00', 32), 'hex'), now(), 0, now(), now() from unnest($1::uuid[]) as id`,
    [ids],
  )
}

/** The snapshots between which the changes are do not exist: foreign keys are not checked meanwhile. */
async function addChanges(database: Database, count: number): Promise<void> {
  await database.transaction(async (tx) => {
    await tx.rows('set local session_replication_role = replica')
    await tx.rows(
      `insert into analysis_change (computed_at, asset_id, analysis_type, change_type, from_snapshot_id, to_snapshot_id,
         changed_at, changes, text_changed, similarity, source, place)
       select clock_timestamp(), 1 + n % $2::int, 'market_context', 'DATA_REFRESH', gen_random_uuid(), gen_random_uuid(),
         clock_timestamp(), '[]', false, null, 'seed', 1000000 + n
       from generate_series(1, $1::int) as n order by n`,
      [count, ASSETS],
    )
  })
}
