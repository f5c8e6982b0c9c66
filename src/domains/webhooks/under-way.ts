import type { DueDelivery } from './delivery-store.js'

/** Attempts under way at once: one slow receiver, account or host leaves the others their share. */
export const MOST_AT_ONCE = { perWebhook: 4, perAccount: 8, perHost: 8 } as const

/** Failures in a row from which on a webhook has one attempt at a time, and half of all at most with its like. */
const FAILING_FROM = 3

/** What one of several limits counts. */
type Counts = Map<string, number>

/** The attempts of this process that are under way, and which may be begun beside them. */
export class UnderWay {
  readonly #most: number
  /** By webhook and asset: the events of an asset go one after another, also where a replay has queued one again. */
  readonly #assets = new Set<string>()
  readonly #webhooks: Counts = new Map()
  readonly #accounts: Counts = new Map()
  readonly #hosts: Counts = new Map()
  #failing = 0

  constructor(most: number) {
    this.#most = most
  }

  get size(): number {
    return this.#assets.size
  }

  get isFull(): boolean {
    return this.size >= this.#most
  }

  busyAccounts(): readonly string[] {
    return namesAt(this.#accounts, MOST_AT_ONCE.perAccount)
  }

  busyHosts(): readonly string[] {
    return namesAt(this.#hosts, MOST_AT_ONCE.perHost)
  }

  /** Takes a place for the attempt; null where there is none for it now. The place is given back by calling what it answers. */
  begin(due: DueDelivery): (() => void) | null {
    const isFailing = due.failuresInRow >= FAILING_FROM
    const asset = `${due.webhookId} ${due.assetId}`
    const ofWebhook = isFailing ? 1 : MOST_AT_ONCE.perWebhook
    const hasPlace =
      !this.isFull &&
      !this.#assets.has(asset) &&
      (this.#webhooks.get(due.webhookId) ?? 0) < ofWebhook &&
      (this.#accounts.get(due.accountId) ?? 0) < MOST_AT_ONCE.perAccount &&
      (this.#hosts.get(due.host) ?? 0) < MOST_AT_ONCE.perHost &&
      (!isFailing || this.#failing < Math.max(1, this.#most / 2))
    if (!hasPlace) return null
    this.#assets.add(asset)
    const count = (by: 1 | -1) => {
      add(this.#webhooks, due.webhookId, by)
      add(this.#accounts, due.accountId, by)
      add(this.#hosts, due.host, by)
      if (isFailing) this.#failing += by
    }
    count(1)
    return () => {
      this.#assets.delete(asset)
      count(-1)
    }
  }
}

function add(counts: Counts, name: string, by: number): void {
  const count = (counts.get(name) ?? 0) + by
  if (count > 0) counts.set(name, count)
  else counts.delete(name)
}

function namesAt(counts: Counts, most: number): readonly string[] {
  return [...counts].filter(([, count]) => count >= most).map(([name]) => name)
}
