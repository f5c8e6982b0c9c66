import { InFlight } from '../../../core/in-flight.js'
import type { DueDelivery } from './delivery-store.js'

/** Attempts under way at once: one slow receiver, account or host leaves the others their share. */
export const MOST_AT_ONCE = { perWebhook: 4, perAccount: 8, perHost: 8 } as const

/** Failures in a row from which on a webhook has one attempt at a time, and half of all at most with its like. */
const FAILING_FROM = 3

/** The attempts of this process that are in flight, and which may be begun beside them. */
export class AttemptsInFlight {
  readonly #most: number
  /** By webhook and asset: the events of an asset go one after another, also where a replay has queued one again. */
  readonly #assets = new Set<string>()
  readonly #webhooks = new InFlight()
  readonly #accounts = new InFlight()
  readonly #hosts = new InFlight()
  /** Of webhooks that fail. */
  readonly #failing = new InFlight()

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
    return this.#accounts.keysAt(MOST_AT_ONCE.perAccount)
  }

  busyHosts(): readonly string[] {
    return this.#hosts.keysAt(MOST_AT_ONCE.perHost)
  }

  /** Takes a place for the attempt; null where there is none for it now. The place is given back by calling what it answers. */
  begin(due: DueDelivery): (() => void) | null {
    const isFailing = due.failuresInRow >= FAILING_FROM
    const asset = `${due.webhookId} ${due.assetId}`
    const ofWebhook = isFailing ? 1 : MOST_AT_ONCE.perWebhook
    const hasPlace =
      !this.isFull &&
      !this.#assets.has(asset) &&
      this.#webhooks.of(due.webhookId) < ofWebhook &&
      this.#accounts.of(due.accountId) < MOST_AT_ONCE.perAccount &&
      this.#hosts.of(due.host) < MOST_AT_ONCE.perHost &&
      (!isFailing || this.#failing.total < Math.max(1, this.#most / 2))
    if (!hasPlace) return null
    this.#assets.add(asset)
    const ends = [
      this.#webhooks.begin(due.webhookId),
      this.#accounts.begin(due.accountId),
      this.#hosts.begin(due.host),
      ...(isFailing ? [this.#failing.begin(due.webhookId)] : []),
    ]
    return () => {
      this.#assets.delete(asset)
      for (const end of ends) end()
    }
  }
}
