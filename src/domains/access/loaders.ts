import DataLoader from 'dataloader'
import { LRUCache } from 'lru-cache'
import { LastValue } from '../../platform/database/connection/last-value.js'
import { type Outage, outageOf } from '../../platform/database/connection/outage.js'
import type { Sql } from '../../platform/database/database.js'
import type { Logger } from '../../platform/logger.js'
import type { Caller } from '../../policy/principal.js'
import {
  type CallerAccount,
  findAccounts,
  findKeysByDigest,
  type KeyWithAccount,
  touchKeys,
} from './caller-store.js'
import { keyClockOf } from './keys/key-clock-model.js'
import { keyEndOf } from './keys/key-model.js'
import type { KeyRow } from './keys/key-store.js'
import { urlUseOf } from './keys/url-use-model.js'
import { effectiveScopes } from './model.js'

/** A revocation must take effect everywhere within a second. Half a second leaves time for the read itself. */
const CALLER_TTL_MS = 500
/** Bounds memory: number of cached callers, including callers that do not exist. */
const MAX_CALLERS = 10_000
const MAX_BATCH = 500

/** A caller with the instants that end its key. Each use compares them with the present, even for a cached record. */
export interface CallerRecord {
  readonly caller: Caller
  readonly expiresAt: Date | null
  readonly revokedAt: Date | null
}

/** Cache of callers by the digest (hex) of their key, kept for half a second; null for a key that does not exist. */
export function cacheKeyCallers(sql: Sql): ShortCache<CallerRecord> {
  return new ShortCache<CallerRecord>(outageOf(sql), async (digests) => {
    const rows = await findKeysByDigest(sql, digests)
    const found = new Map(rows.map((row) => [row.digest, keyRecordOf(row)]))
    return digests.map((digest) => found.get(digest) ?? null)
  })
}

/** Cache of callers by account id, for access tokens; null for a deleted account. */
export function cacheTokenCallers(sql: Sql): ShortCache<CallerRecord> {
  return new ShortCache<CallerRecord>(outageOf(sql), async (accountIds) => {
    const rows = await findAccounts(sql, accountIds)
    const found = new Map(rows.map((row) => [row.accountId, callerOf(row, null)]))
    return accountIds.map((accountId) => {
      const caller = found.get(accountId)
      return caller === undefined ? null : { caller, expiresAt: null, revokedAt: null }
    })
  })
}

function keyRecordOf(row: KeyWithAccount): CallerRecord {
  const { expiresAt, revokedAt } = row
  return { caller: callerOf(row, row), expiresAt, revokedAt }
}

/** Quotas count per account, not per key: more keys give no additional quota. */
function callerOf(account: CallerAccount, key: KeyRow | null): Caller {
  const { accountId, tier, quotaMonth, quotaHour } = account
  const urlUse = key === null ? null : urlUseOf(key)
  const clock = key === null ? null : keyClockOf(key)
  const hasContract = tier === 'enterprise' && quotaMonth !== null && quotaHour !== null
  return {
    kind: key === null ? 'token' : 'key',
    accountId,
    meterId: accountId,
    keyId: key?.keyId ?? null,
    tier,
    scopes: effectiveScopes(account, key?.isNarrowed ? key.scopes : null),
    isNarrowed: key?.isNarrowed ?? false,
    endsAt: key === null ? null : keyEndOf(key),
    contract: hasContract ? { month: quotaMonth, hour: quotaHour } : null,
    ...(urlUse === null ? {} : { urlUse }),
    ...(clock === null ? {} : { clock }),
  }
}

/** Read-through cache of one process. Reads of one tick run as one statement; concurrent reads of the same key share one read. */
class ShortCache<Value> {
  readonly #entries = new LRUCache<string, LastValue<Value | null>>({ max: MAX_CALLERS })
  readonly #loader: DataLoader<string, Value | null>

  readonly #outage: Outage

  /** `load` returns a value for each key, in their order. */
  constructor(outage: Outage, load: (keys: readonly string[]) => Promise<readonly (Value | null)[]>) {
    this.#outage = outage
    this.#loader = new DataLoader(load, { cache: false, maxBatchSize: MAX_BATCH })
  }

  /** Returns a value that was read within the last half second without a promise. */
  get(key: string): Value | null | Promise<Value | null> {
    const known = this.#entries.get(key)
    if (known !== undefined) return known.get()
    const entry = new LastValue({
      read: () => this.#loader.load(key),
      maxAgeMs: CALLER_TTL_MS,
      // The monotonic clock: setting the system clock back must not keep an entry alive.
      nowMs: () => performance.now(),
      outage: this.#outage,
    })
    this.#entries.set(key, entry)
    return entry.get()
  }

  forget(key: string): void {
    this.#entries.delete(key)
  }
}

/** The use of a key is written at most once a minute. */
const USE_WRITTEN_EVERY_MS = 60_000
const FLUSH_EVERY_MS = 5_000

/** Collects when keys were used and writes it in batches, off the path of requests. */
export class LastUsed {
  readonly #sql: Sql
  readonly #log: Pick<Logger, 'warn'>
  readonly #noted = new LRUCache<string, number>({ max: MAX_CALLERS })
  readonly #timer: NodeJS.Timeout
  #pending = new Map<string, Date>()

  constructor(sql: Sql, log: Pick<Logger, 'warn'>) {
    this.#sql = sql
    this.#log = log
    this.#timer = setInterval(() => void this.flush(), FLUSH_EVERY_MS).unref()
  }

  note(keyId: string, now: Date): void {
    const last = this.#noted.get(keyId)
    if (last !== undefined && now.getTime() - last < USE_WRITTEN_EVERY_MS) return
    this.#noted.set(keyId, now.getTime())
    this.#pending.set(keyId, now)
  }

  /** Writes the pending uses. When the write fails, it logs and drops them; the next use of such a key is recorded again. */
  async flush(): Promise<void> {
    if (this.#pending.size === 0) return
    const uses = this.#pending
    this.#pending = new Map()
    try {
      await touchKeys(this.#sql, uses)
    } catch (error) {
      this.#log.warn({ err: error, keys: uses.size }, 'could not write when keys were last used')
      for (const keyId of uses.keys()) this.#noted.delete(keyId)
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.flush()
  }
}
