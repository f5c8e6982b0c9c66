import { InFlight } from '../../../core/in-flight.js'
import type { DueDelivery } from './delivery-store.js'

/**
 * Concurrent attempts of all nodes. The limits keep one slow receiver, account or host from blocking the others. A webhook and
 * an account belong to one node; the nodes divide the limit of a host.
 */
export const MOST_AT_ONCE = { perWebhook: 4, perAccount: 8, perHost: 8 } as const

/** From this number of failures in a row a webhook has one attempt at a time, and all failing webhooks share half of the attempts. */
const FAILING_FROM = 3

/** Tracks the attempts of this process that are in flight and decides which further ones may start. */
export class AttemptsInFlight {
  readonly #most: number
  readonly #perHost: () => number
  /** By webhook and asset: the events of an asset are sent one after another, even when a replay has queued one again. */
  readonly #assets = new Set<string>()
  readonly #webhooks = new InFlight()
  readonly #accounts = new InFlight()
  readonly #hosts = new InFlight()
  /** Attempts of failing webhooks. */
  readonly #failing = new InFlight()

  /** `perHost`: the most attempts of this node for one host. */
  constructor(most: number, perHost: () => number) {
    this.#most = most
    this.#perHost = perHost
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
    return this.#hosts.keysAt(this.#perHost())
  }

  /** Reserves capacity for the attempt; null when a limit is reached. Call the returned function to release the capacity. */
  begin(due: DueDelivery): (() => void) | null {
    const isFailing = due.failuresInRow >= FAILING_FROM
    const asset = `${due.webhookId} ${due.assetId}`
    const ofWebhook = isFailing ? 1 : MOST_AT_ONCE.perWebhook
    const hasPlace =
      !this.isFull &&
      !this.#assets.has(asset) &&
      this.#webhooks.of(due.webhookId) < ofWebhook &&
      this.#accounts.of(due.accountId) < MOST_AT_ONCE.perAccount &&
      this.#hosts.of(due.host) < this.#perHost() &&
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
