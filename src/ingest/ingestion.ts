import { type AnyFeed, type BoundFeed, bindFeed, type Provider, type Sink } from './feed.js'

/** What a domain ingests: all that the registry knows of it. */
export interface Ingestion {
  /** Feeds that an operator may run by their ids. */
  readonly feeds: readonly BoundFeed[]
  /** Providers of what comes in another way, e.g. by a file or a question per asset. */
  readonly providers?: readonly Provider[]
  /** Its parts of the synthetic world, by name; a part of several bodies is a list. */
  readonly seed: Readonly<Record<string, SeedFeed | readonly SeedFeed[]>>
}

/** Synthetic data: the body of a feed at an instant, after the newest fact known (null: there is none); null: nothing is new. */
export type SeedBody = (now: Date, newest: Date | null) => Uint8Array | null

/** A body of synthetic data as it was before today, and when it became known. */
export interface SeedVintage {
  readonly knownAt: Date
  readonly body: Uint8Array
}

export interface SeedFeed {
  readonly bound: BoundFeed
  readonly body: SeedBody
  /** What an empty dataset gets first, oldest first: figures that later ones revise. */
  vintages(now: Date): readonly SeedVintage[]
  /** The body of the last run is read again, which mends what was changed by hand. */
  readonly mends: boolean
}

/** Puts a feed of synthetic data, the sink for its rows and its body together. */
export function seedFeed<Row>(
  feed: AnyFeed<Row>,
  sink: Sink<Row>,
  body: SeedBody,
  { mends = false, vintages = () => [] }: Partial<Pick<SeedFeed, 'mends' | 'vintages'>> = {},
): SeedFeed {
  return { bound: bindFeed(feed, sink), body, mends, vintages }
}
