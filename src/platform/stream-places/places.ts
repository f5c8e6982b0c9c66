/** A place that is held until it is given back. */
export interface Place {
  release(): void
}

/**
 * Limits how many streams (or other open things) a name has at once, over all processes that share a store. A place is
 * leased and renewed while it is held, so the places of a killed process are free again within `LEASE_MS`. While the store
 * does not answer, each process limits its own places; they are written to the store when it answers again.
 */
export interface Places {
  /** Acquires one of `limit` places; null when all are held. */
  take(name: string, limit: number): Promise<Place | null>
  /** Whether this process holds `limit` places by itself. It does not read the store. */
  isFull(name: string, limit: number): boolean
  close(): Promise<void>
}

/** How long a place outlives its process. */
export const LEASE_MS = 30_000

/** A place as a store knows it. */
export interface LeasedPlace {
  readonly name: string
  readonly limit: number
  /** A whole number that no other place has. */
  readonly holder: number
  /** The key of the place in the store; null when it is not stored. */
  slot: string | null
  /** When it was given back, by `performance.now()`; null while it is held. */
  leftAtMs: number | null
}

/** The store that the processes of a gateway share. Its own clock decides when a lease ends. */
export interface PlaceStore {
  /** Leases a place and returns its slot; null when other processes hold all. */
  lease(place: LeasedPlace, leaseMs: number): Promise<string | null>
  /** Renews leases; returns the slots that are still held. */
  renew(places: readonly LeasedPlace[], leaseMs: number): Promise<ReadonlySet<string>>
  release(place: LeasedPlace): Promise<void>
  close(): Promise<void>
}
