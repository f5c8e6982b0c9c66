import { randomInt } from 'node:crypto'
import type { Logger } from '../logger.js'
import { LEASE_MS, type LeasedPlace, type Place, type PlaceStore, type Places } from './places.js'

export interface LeasedPlacesOptions {
  /** Null when this process is the only one. */
  readonly store: PlaceStore | null
  readonly log: Pick<Logger, 'warn'>
  readonly leaseMs?: number
}

const MAX_HOLDER = 2 ** 48 - 1

/** The places of this process, and their leases in the store, which other processes see. */
export class LeasedPlaces implements Places {
  readonly #options: LeasedPlacesOptions
  readonly #leaseMs: number
  readonly #held = new Map<string, Set<LeasedPlace>>()
  /** Given back in this process, but not yet in the store. */
  readonly #leaving = new Map<string, Set<LeasedPlace>>()
  readonly #timer: NodeJS.Timeout | undefined
  #isFailing = false
  #renewing: Promise<void> = Promise.resolve()

  constructor(options: LeasedPlacesOptions) {
    this.#options = options
    this.#leaseMs = options.leaseMs ?? LEASE_MS
    if (options.store === null) return
    // Two renewals may fail before a lease ends.
    this.#timer = setInterval(() => {
      this.#renewing = this.#renewing.then(() => this.#renew())
    }, this.#leaseMs / 3)
    this.#timer.unref()
  }

  isFull(name: string, limit: number): boolean {
    return (this.#held.get(name)?.size ?? 0) >= limit
  }

  async take(name: string, limit: number): Promise<Place | null> {
    if (this.isFull(name, limit)) return null
    const place: LeasedPlace = { name, limit, holder: randomInt(1, MAX_HOLDER), slot: null, leftAtMs: null }
    addTo(this.#held, place)
    await Promise.all([...(this.#leaving.get(name) ?? [])].map((left) => this.#leave(left)))
    if (await this.#lease(place)) return { release: () => this.#release(place) }
    removeFrom(this.#held, place)
    return null
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.#renewing
    await Promise.all([...allOf(this.#held), ...allOf(this.#leaving)].map((place) => this.#leave(place)))
    await this.#options.store?.close()
  }

  /** False only if the store reports that other processes hold all places. */
  async #lease(place: LeasedPlace): Promise<boolean> {
    const { store } = this.#options
    if (store === null) return true
    try {
      place.slot = await store.lease(place, this.#leaseMs)
      this.#isFailing = false
      return place.slot !== null
    } catch (error) {
      this.#warn(error)
      return true
    }
  }

  #release(place: LeasedPlace): void {
    if (!removeFrom(this.#held, place)) return
    if (this.#options.store === null) return
    place.leftAtMs = performance.now()
    addTo(this.#leaving, place)
    void this.#leave(place)
  }

  /** A release that fails is tried again until the lease ends. */
  async #leave(place: LeasedPlace): Promise<void> {
    if (place.leftAtMs !== null && performance.now() - place.leftAtMs > this.#leaseMs) {
      removeFrom(this.#leaving, place)
      return
    }
    try {
      await this.#options.store?.release(place)
      removeFrom(this.#leaving, place)
    } catch (error) {
      this.#warn(error)
    }
  }

  async #renew(): Promise<void> {
    const { store } = this.#options
    await Promise.all(allOf(this.#leaving).map((left) => this.#leave(left)))
    const held = allOf(this.#held)
    if (store === null || held.length === 0) return
    try {
      const kept = await store.renew(held, this.#leaseMs)
      for (const place of held) if (place.slot !== null && !kept.has(place.slot)) place.slot = null
    } catch (error) {
      this.#warn(error)
      return
    }
    for (const place of held) {
      if (place.slot !== null) continue
      await this.#lease(place)
      // The place was given back in the meantime.
      if (this.#held.get(place.name)?.has(place) !== true) await this.#leave(place)
    }
  }

  #warn(error: unknown): void {
    if (!this.#isFailing)
      this.#options.log.warn(
        { err: error },
        'the limit of open streams applies per process until the store is back',
      )
    this.#isFailing = true
  }
}

function allOf(places: ReadonlyMap<string, ReadonlySet<LeasedPlace>>): readonly LeasedPlace[] {
  return [...places.values()].flatMap((ofName) => [...ofName])
}

function addTo(places: Map<string, Set<LeasedPlace>>, place: LeasedPlace): void {
  const known = places.get(place.name)
  if (known === undefined) places.set(place.name, new Set([place]))
  else known.add(place)
}

function removeFrom(places: Map<string, Set<LeasedPlace>>, place: LeasedPlace): boolean {
  const known = places.get(place.name)
  if (known?.delete(place) !== true) return false
  if (known.size === 0) places.delete(place.name)
  return true
}
