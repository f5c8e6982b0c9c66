/** A place that is held until it is given back. */
export interface Place {
  release(): void
}

/**
 * Bounds how many of something one name has open at once, over all processes that share a store. A place is leased and
 * renewed while it is held, so that those of a process that was killed are free again within `LEASE_MS`. Without an answer of
 * the store each process bounds what it has open itself, and its places are put into the store when that is back.
 */
export interface Places {
  /** One of `limit` places; null where all are held. */
  take(name: string, limit: number): Promise<Place | null>
  /** Whether this process alone holds as many; asks nobody. */
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
  /** Under which key the store has it; null: it has it not. */
  slot: string | null
  /** When it was given back, in the time of `performance.now()`; null: it is held. */
  leftAtMs: number | null
}

/** Where the processes of a gateway keep their places; the store's own clock decides when a lease is over. */
export interface PlaceStore {
  /** Leases a place, and gives its slot; null where all are held by others. */
  lease(place: LeasedPlace, leaseMs: number): Promise<string | null>
  /** Prolongs leases; gives the slots that are still theirs. */
  renew(places: readonly LeasedPlace[], leaseMs: number): Promise<ReadonlySet<string>>
  release(place: LeasedPlace): Promise<void>
  close(): Promise<void>
}
