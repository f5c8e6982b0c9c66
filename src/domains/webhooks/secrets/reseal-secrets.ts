import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../../../platform/database/database.js'
import type { WebhookSignatures } from '../../../platform/secrets/webhook-signatures.js'
import { listSeedsOfOtherPeppers, replaceSeeds, type WebhookSeeds } from './seed-store.js'

/** Small, so that each statement holds its locks for some milliseconds only. */
const BATCH = 200
/** Webhooks that others hold or change are tried again this often. */
const MAX_PASSES = 20
const PAUSE_MS = 250

const BEFORE_ALL = '00000000-0000-0000-0000-000000000000'

interface Resealing {
  readonly signatures: Pick<WebhookSignatures, 'reseal'>
  /** Names the current pepper. */
  readonly pepperId: string
  /** Ends the work between two batches. */
  readonly signal: AbortSignal
}

/**
 * Stores the secrets of all webhooks so that only the current pepper is needed; no secret changes. `left` counts webhooks that
 * other transactions held all the while. It may be killed at any time and run again.
 */
export async function resealWebhookSecrets(
  database: Database,
  work: Resealing,
): Promise<{ readonly changed: number; readonly left: number }> {
  let changed = 0
  for (let pass = 1; ; pass += 1) {
    const { found, replaced } = await resealOnce(database, work)
    changed += replaced
    if (found === replaced || pass === MAX_PASSES) return { changed, left: found - replaced }
    await sleep(PAUSE_MS, undefined, { signal: work.signal })
  }
}

async function resealOnce(
  database: Database,
  { signatures: { reseal }, pepperId, signal }: Resealing,
): Promise<{ readonly found: number; readonly replaced: number }> {
  const resealed = ({ seed, previousSeed }: WebhookSeeds) => ({
    seed: reseal(seed) ?? seed,
    previousSeed: previousSeed && (reseal(previousSeed) ?? previousSeed),
  })
  let [found, replaced, after] = [0, 0, BEFORE_ALL]
  for (;;) {
    signal.throwIfAborted()
    const batch = await listSeedsOfOtherPeppers(database, pepperId, { after, limit: BATCH })
    const last = batch.at(-1)
    if (last === undefined) return { found, replaced }
    found += batch.length
    replaced += await replaceSeeds(
      database,
      batch.map((from) => ({ from, to: resealed(from) })),
    )
    after = last.webhookId
  }
}
