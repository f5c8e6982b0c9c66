import table from './providers.json' with { type: 'json' }

/** The publisher of the rows of a feed, and its licence. */
export interface Provider {
  /** Short and stable, e.g. ecb: the `source` of its rows. */
  readonly id: string
  readonly name: string
  readonly url: string
  readonly licence: string
  /** The credit line that the licence asks for. */
  readonly attribution: string
  readonly disclaimer: string
  readonly licensedForCommercialUse: boolean
}

/** How the macro series of a provider are named and served. */
export interface MacroFacts {
  /** The article before the name in a sentence: `the ` with its space, or empty. */
  readonly article: string
  /** The name in texts; absent where it is that of the provider. */
  readonly shortName?: string
  /** Kind of data, which sets how often it is refreshed (`src/core/freshness.ts`). */
  readonly refresh: string
  /** Words that people use for its series; absent for a provider with routes. */
  readonly keywords?: readonly string[]
  /** The specified root fields and routes of this provider alone; absent for a provider that has only those of all providers. */
  readonly routes?: MacroRoutes
}

/** The root fields and routes of one provider. */
export interface MacroRoutes {
  /** Path of the routes. */
  readonly path: string
  /** The assumed number of entries for pricing edges of its catalogue, above the real one. */
  readonly usualEntries: number
  /** Identifiers of its series in routes; absent where a dataset and a key name a series. */
  readonly seriesIds?: SeriesIds
  /** The field with the title of a series in the metadata of a page; absent for `description`. */
  readonly titleField?: string
  /** The field with the last change of the data in the metadata of a page; absent for `computed_at`. */
  readonly changedField?: string
  /** Answers name days, months and quarters only, beside each observation too. Absent: all, in the catalogue. */
  readonly namesFewFrequencies?: boolean
  /** Words that people use for its operations, by the part of their names after the provider's. */
  readonly operationKeywords: Readonly<Record<string, readonly string[] | undefined>>
}

/** An identifier is the prefix, the dataset and the key of a series, joined by `_`. No dataset of the provider contains it. */
export interface SeriesIds {
  readonly prefix: string
  /** A series that always exists. */
  readonly example: string
}

interface ProviderRow extends Provider {
  readonly hosts?: readonly string[]
  readonly macro?: MacroFacts
}

type Table = typeof table

/** Every provider with the terms that its data come under. `note` in the table says where they stand. */
export const PROVIDERS: Readonly<Record<keyof Table, ProviderRow>> = table

/** The publishers of macro series, by the id of the provider. */
export type MacroProvider = {
  [Name in keyof Table]: Table[Name] extends { readonly macro: unknown } ? Name : never
}[keyof Table]

/** A publisher of macro series. */
export interface MacroPublisher extends Omit<Provider, 'id'>, MacroFacts {
  readonly id: MacroProvider
}

/** The publishers of macro series, in the order of the table. */
export const MACRO_PUBLISHERS: readonly MacroPublisher[] = Object.values(PROVIDERS).flatMap(
  // Safe: the type has the names of the rows with `macro`, which are their ids.
  ({ macro, id, ...provider }) =>
    macro === undefined ? [] : [{ ...provider, ...macro, id: id as MacroProvider }],
)

/** The publisher with that id. */
export function toPublisher<Publisher extends MacroPublisher>(
  id: MacroProvider,
  publishers: readonly Publisher[],
): Publisher {
  const publisher = publishers.find((known) => known.id === id)
  if (publisher === undefined) throw new Error(`${id} is not among the publishers of macro series`)
  return publisher
}

/** A publisher that has its own root fields and routes. */
export interface RoutedPublisher extends MacroPublisher, MacroRoutes {}

/** The publishers with root fields and routes of their own, in the order of the table. */
export const ROUTED_PUBLISHERS: readonly RoutedPublisher[] = MACRO_PUBLISHERS.flatMap((publisher) =>
  publisher.routes === undefined ? [] : [{ ...publisher, ...publisher.routes }],
)

/** The publisher in a sentence, by its short name: the BIS. */
export function shortTextOf({ article, shortName, name }: MacroPublisher): string {
  return article + (shortName ?? name)
}

/** The publisher in a sentence: the Bank for International Settlements. */
export function fullTextOf({ article, name }: MacroPublisher): string {
  return article + name
}

/** All publishers in a sentence: a, b and c. */
export function publishersText(textOf: (publisher: MacroPublisher) => string): string {
  return new Intl.ListFormat('en-GB').format(MACRO_PUBLISHERS.map(textOf))
}
