import { setTimeout as sleep } from 'node:timers/promises'
import { readDatasetStates } from '../../platform/database/data-version.js'
import type { HeldLease } from '../../platform/database/held-lease.js'
import { settledWithin } from '../../platform/settled-within.js'
import { readChangeMessages } from '../analysis/changes/change-item-service.js'
import { type AttemptsOptions, attempt } from './attempts.js'
import { openDeliveries, readDueEvents } from './delivery-store.js'
import { disableLost, hasWork, queueChanges, recoverLeft } from './queue-store.js'
import { MOST_AT_ONCE, UnderWay } from './under-way.js'

export interface DispatcherOptions extends AttemptsOptions {
  /** The right to deliver. */
  readonly lease: HeldLease
  /** How soon a change is queued, and what is due sent; 1 s when left out. */
  readonly queueMs?: number
  /** How soon the first webhook is seen; 2 s when left out. */
  readonly idleMs?: number
}

export interface Dispatcher {
  /** Begins no further attempt, and waits for those under way, for 3 s at most; the database must still be open. */
  stop(): Promise<void>
}

const QUEUE_MS = 1_000
const IDLE_MS = 2_000
/** How soon a process that another one has stopped or killed is followed, once it has the lease. */
const WITHOUT_LEASE_MS = 500
/** After a look that failed, for instance since the database is out of reach. */
const FAILED_LOOK_MS = 5_000
/** Attempts that end within so long are followed by one look together. */
const TOGETHER_MS = 20
/** How soon webhooks end whose owners may not have them any more; before each attempt it is asked too. */
const DISABLE_MS = 30_000
const STOP_MS = 3_000

/** Events of one webhook that wait at once: behind them it waits itself. */
export const WINDOW = 200

/** Delivers the changes to all webhooks while this process has the lease, and goes on where another one ended. */
export function startDispatcher(options: DispatcherOptions): Dispatcher {
  const { log } = options
  const stopping = new AbortController()
  const { signal } = stopping
  const looks = new Looks(options, signal)
  const loop = async () => {
    while (!signal.aborted) {
      const waitMs = await looks.look().catch((error: unknown) => {
        log.warn({ err: error }, 'the webhooks could not be looked after; it is tried again')
        return FAILED_LOOK_MS
      })
      await looks.pause(waitMs)
    }
    await looks.ended()
  }
  const ended = loop()
  return {
    stop: async () => {
      stopping.abort()
      await settledWithin(STOP_MS, ended)
    },
  }
}

class Looks {
  readonly #options: DispatcherOptions
  readonly #signal: AbortSignal
  readonly #queueMs: number
  readonly #underWay: UnderWay
  readonly #attempts = new Set<Promise<void>>()
  #queuedAtMs = Number.NEGATIVE_INFINITY
  #disabledAtMs = Number.NEGATIVE_INFINITY
  /** An attempt has ended since the last pause. */
  #hasPlace = false
  #wake = () => {}

  constructor(options: DispatcherOptions, signal: AbortSignal) {
    this.#options = options
    this.#signal = signal
    this.#queueMs = options.queueMs ?? QUEUE_MS
    this.#underWay = new UnderWay(options.webhooks.rules.concurrency)
  }

  /** Queues what has changed and begins what is due; answers how long there is nothing to do unless an attempt ends. */
  async look(): Promise<number> {
    const { database, lease } = this.#options
    const term = lease.term()
    if (term === null) return WITHOUT_LEASE_MS
    if (!(await hasWork(database))) return this.#options.idleMs ?? IDLE_MS
    if (performance.now() - this.#queuedAtMs >= this.#queueMs) await this.#tend(term)
    while (!this.#signal.aborted && !this.#underWay.isFull && (await this.#begin(term)) > 0);
    return Math.max(0, this.#queueMs - (performance.now() - this.#queuedAtMs))
  }

  /** Waits for so long, or until attempts have ended. */
  async pause(ms: number): Promise<void> {
    const woken = new AbortController()
    this.#wake = () => woken.abort()
    if (this.#hasPlace) woken.abort()
    const signal = AbortSignal.any([this.#signal, woken.signal])
    await sleep(ms, undefined, { signal }).catch(() => {
      // Stopped, or there is a place again.
    })
    this.#wake = () => {}
    if (woken.signal.aborted) await sleep(TOGETHER_MS)
    this.#hasPlace = false
  }

  async ended(): Promise<void> {
    await Promise.allSettled(this.#attempts)
  }

  async #tend(term: number): Promise<void> {
    const { database, clock, log } = this.#options
    const recovered = await recoverLeft(database, term, clock.now())
    if (recovered > 0) log.warn({ events: recovered }, 'attempts of a process that stopped are made again')
    if (performance.now() - this.#disabledAtMs >= DISABLE_MS) {
      const disabled = await disableLost(database, term, clock.now())
      for (const { webhookId, reason } of disabled)
        log.info({ webhook_id: webhookId, reason }, 'a webhook is disabled')
      this.#disabledAtMs = performance.now()
    }
    const state = (await readDatasetStates(database)).get('analysis')
    if (state !== undefined)
      while (await queueChanges(database, term, { source: state.source, now: clock.now(), window: WINDOW }));
    this.#queuedAtMs = performance.now()
  }

  /** Begins attempts for what is due and has a place; answers how many. */
  async #begin(term: number): Promise<number> {
    const { database, clock } = this.#options
    const due = await readDueEvents(database, clock.now(), {
      busyAccounts: this.#underWay.busyAccounts(),
      busyHosts: this.#underWay.busyHosts(),
      perWebhook: MOST_AT_ONCE.perWebhook,
      perAccount: MOST_AT_ONCE.perAccount,
    })
    const places = new Map<string, () => void>()
    const chosen = due.filter((delivery) => {
      const leave = this.#underWay.begin(delivery)
      if (leave !== null) places.set(placeOf(delivery), leave)
      return leave !== null
    })
    if (chosen.length === 0) return 0
    try {
      // Read before anything is opened: what is open then needs the database no more until its answer is stored.
      const changes = await readChangeMessages(database, [...new Set(chosen.map(({ diffId }) => diffId))])
      const opened = await openDeliveries(database, term, clock.now(), chosen)
      for (const delivery of opened) {
        const leave = places.get(placeOf(delivery))
        places.delete(placeOf(delivery))
        this.#follow(
          attempt(this.#options, delivery, changes.get(delivery.diffId), () => this.#mayWrite(term)),
          leave,
        )
      }
      return opened.length
    } finally {
      for (const leave of places.values()) leave()
    }
  }

  #follow(attempting: Promise<void>, leave: (() => void) | undefined): void {
    const followed = attempting
      .catch((error: unknown) => {
        this.#options.log.warn({ err: error }, 'an attempt for a webhook is left to another process')
      })
      .finally(() => {
        leave?.()
        this.#attempts.delete(followed)
        this.#hasPlace = true
        this.#wake()
      })
    this.#attempts.add(followed)
  }

  /** Also while the lease could not be renewed, as long as nobody else has it. */
  #mayWrite(term: number): boolean {
    return !this.#signal.aborted && !this.#options.lease.isLost(term)
  }
}

function placeOf({ webhookId, diffId }: { readonly webhookId: string; readonly diffId: number }): string {
  return `${webhookId} ${diffId}`
}
