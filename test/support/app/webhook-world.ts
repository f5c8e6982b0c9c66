import { randomUUID } from 'node:crypto'
import type { Database } from '../../../src/platform/database/database.js'
import { SEEDED_AT } from '../database/database.js'

/** A change as the list of changes has it, in its order. */
export interface DueEvent {
  readonly diffId: number
  /** As its event is named. */
  readonly eventId: string
  readonly assetId: number
}

/**
 * Adds changes over the first assets in turn, as one commit; computed no earlier than those before them. The snapshots that
 * they are between do not exist: foreign keys are not checked meanwhile.
 */
export async function addChanges(database: Database, count: number, assets = 12): Promise<void> {
  await database.transaction(async (tx) => {
    await tx.rows("select pg_advisory_xact_lock(hashtext('analysis append'))::text")
    await tx.rows('set local session_replication_role = replica')
    await tx.rows(
      `insert into analysis_change (computed_at, asset_id, analysis_type, change_type, from_snapshot_id, to_snapshot_id,
         changed_at, changes, text_changed, similarity, source, place)
       select greatest(clock_timestamp(), (select max(computed_at) from analysis_change)), a.asset_id, 'market_context',
         'DATA_REFRESH', gen_random_uuid(), gen_random_uuid(), clock_timestamp(), '[]', false, null,
         (select source from dataset_state where dataset = 'analysis'), 1000000 + n
       from generate_series(1, $1::int) as n
       join (select asset_id, row_number() over (order by asset_id) - 1 as place from asset) as a
         on a.place = n % least($2::int, (select count(*) from asset))
       order by n`,
      [count, assets],
    )
  })
}

/** The changes behind an instant of their ids, in the order of the list of changes. */
export function changesAfter(database: Database, diffId: number): Promise<readonly DueEvent[]> {
  return database.rows<DueEvent>(
    `select diff_id as "diffId", 'change_' || to_snapshot_id as "eventId", asset_id as "assetId"
     from analysis_change where diff_id > $1 order by computed_at, diff_id`,
    [diffId],
  )
}

export async function newestChangeId(database: Database): Promise<number> {
  const [row] = await database.rows<{ id: number }>(
    'select coalesce(max(diff_id), 0)::int8 as id from analysis_change',
  )
  return row?.id ?? 0
}

/**
 * What is wrong with the events that came to a path: those that never were accepted, and requests for an event that came
 * before every earlier one of its asset was accepted. One sentence each.
 */
export function faultsOfDelivery(
  changes: readonly DueEvent[],
  received: readonly { readonly id: string; readonly atMs: number; readonly acceptedAtMs: number | null }[],
): readonly string[] {
  const acceptedAtMs = new Map<string, number>()
  for (const { id, acceptedAtMs: at } of received)
    if (at !== null) acceptedAtMs.set(id, Math.min(at, acceptedAtMs.get(id) ?? Number.POSITIVE_INFINITY))
  const before = new Map<string, string>()
  const lastOfAsset = new Map<number, string>()
  for (const { eventId, assetId } of changes) {
    const last = lastOfAsset.get(assetId)
    if (last !== undefined) before.set(eventId, last)
    lastOfAsset.set(assetId, eventId)
  }
  const known = new Set(changes.map(({ eventId }) => eventId))
  const lost = changes
    .filter(({ eventId }) => !acceptedAtMs.has(eventId))
    .map(({ eventId }) => `${eventId} was not delivered`)
  const early = received.flatMap(({ id, atMs }) => {
    if (!known.has(id)) return [`${id} is no change`]
    const earlier = before.get(id)
    const isLate = earlier === undefined || (acceptedAtMs.get(earlier) ?? Number.POSITIVE_INFINITY) <= atMs
    return isLate ? [] : [`${id} came before ${earlier} was delivered`]
  })
  return [...lost, ...early]
}

/** A webhook of an account that no event has been queued for; answers its id. */
export async function storeWebhook(
  database: Database,
  accountId: string,
  webhookId: string = randomUUID(),
  url = 'https://hooks.example.com/changes',
): Promise<string> {
  const now = SEEDED_AT
  const data = { webhookId, accountId, url, host: new URL(url).hostname, seed: new Uint8Array(32) }
  const place = { cursorAt: now, cursorId: 0n, notBefore: now, createdAt: now }
  await database.prisma.webhook.create({ data: { ...data, ...place } })
  return webhookId
}
