import type { Provider } from '../core/providers.js'
import { type AnyFeed, type BoundFeed, bindFeed, type Sink } from './feed.js'

/** What a domain ingests: everything that the registry needs from it. */
export interface Ingestion {
  /** Feeds that an operator may run by id. */
  readonly feeds?: readonly BoundFeed[]
  /** Providers that are not in the table of providers: the gateway computes their data. */
  readonly providers?: readonly Provider[]
  /** Its parts of the synthetic world, by name; a part of several bodies is a list. */
  readonly seed: Readonly<Record<string, SeedFeed | readonly SeedFeed[]>>
}

/**
 * Creates the synthetic body of a feed at an instant. `newest`: the newest stored fact, or null.
 * Returns null if nothing is new.
 */
export type SeedBody = (now: Date, newest: Date | null) => Uint8Array | null

/** An earlier version of a synthetic body, and when it became known. */
export interface SeedVintage {
  readonly knownAt: Date
  readonly body: Uint8Array
}

export interface SeedFeed {
  readonly bound: BoundFeed
  readonly body: SeedBody
  /** The bodies that an empty dataset gets first, oldest first: later bodies revise their figures. */
  vintages(now: Date): readonly SeedVintage[]
  /** Whether the body of the last run is read again, which repairs rows that were changed by hand. */
  readonly mends: boolean
}

/** Combines a feed of synthetic data, its sink and its body. */
export function seedFeed<Row>(
  feed: AnyFeed<Row>,
  sink: Sink<Row>,
  body: SeedBody,
  { mends = false, vintages = () => [] }: Partial<Pick<SeedFeed, 'mends' | 'vintages'>> = {},
): SeedFeed {
  return { bound: bindFeed(feed, sink), body, mends, vintages }
}
