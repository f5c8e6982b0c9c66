export type FigureUnit = 'USD' | 'USD/shares' | 'shares'

export interface Tag {
  readonly taxonomy: 'us-gaap' | 'ifrs-full' | 'dei'
  readonly name: string
}

/**
 * Alternatives of which one may be the total and the others parts of it. The largest stated value is used. Of an alternative
 * with several tags, the first stated tag counts.
 */
export interface TagGroup {
  readonly largestOf: readonly (readonly Tag[])[]
}

/** Alternative tags of one quantity. The first stated tag or group is used. */
export type TagChain = readonly (Tag | TagGroup)[]

/** The tags of a chain, including those of its groups. */
export function tagsOf(chain: TagChain): readonly Tag[] {
  return chain.flatMap((link) => ('largestOf' in link ? link.largestOf.flat() : link))
}

/** Where a filing states a figure: for the period, at its last day, or on the cover page. */
export type FigureTime = 'period' | 'end' | 'cover'

/** Tags that state some parts of a figure completely. */
export interface FigureSource {
  readonly chain: TagChain
  readonly parts: readonly string[]
}

/** Tags that each state an amount that belongs to some parts of a figure and need not be all of them. */
export interface FigurePiece {
  readonly tags: readonly Tag[]
  readonly parts: readonly string[]
  /** Whether the tags also state amounts outside the figure, so that they may exceed it. */
  readonly isWider?: boolean
}

/**
 * How a figure is computed from the facts of a filer: as the sum of sources that have no part in common. The sum that covers
 * most parts is used. Of two sums of the same parts the larger one is used, because the smaller one is incomplete.
 *
 * The figure is null if the filings state a part that the sum does not cover, or a piece that exceeds what the sum has for its
 * parts.
 */
export interface FigureRule {
  readonly unit: FigureUnit
  readonly time: FigureTime
  /** The parts that the figure needs: of each list at least one. */
  readonly required: readonly (readonly string[])[]
  readonly sources: readonly FigureSource[]
  readonly pieces?: readonly FigurePiece[]
  /** Whether a piece counts as its parts if no source states them and no other piece of them is stated. */
  readonly addsPieces?: boolean
  /** The share by which a stated amount may exceed the sum and still be a part of it. */
  readonly tolerance?: number
  /** If a company uses one of `tags` and states one of `beside` with a value other than zero, the tag is only a part. */
  readonly exclusive?: { readonly tags: readonly Tag[]; readonly beside: readonly Tag[] }
}

export const gaap = (...names: readonly string[]): readonly Tag[] =>
  names.map((name) => ({ taxonomy: 'us-gaap', name }))
export const ifrs = (...names: readonly string[]): readonly Tag[] =>
  names.map((name) => ({ taxonomy: 'ifrs-full', name }))
export const dei = (name: string): TagChain => [{ taxonomy: 'dei', name }]

/** A group of tags without alternatives. */
export const largest = (tags: readonly Tag[]): TagGroup => ({ largestOf: tags.map((tag) => [tag]) })

/** A figure of one part. */
export const oneOf = (unit: FigureUnit, time: FigureTime, chain: TagChain): FigureRule => ({
  unit,
  time,
  required: [['all']],
  sources: [{ chain, parts: ['all'] }],
})

/** E.g. us-gaap:Revenues. */
export function tagText({ taxonomy, name }: Tag): string {
  return `${taxonomy}:${name}`
}

export function tagsOfRule({ sources, pieces = [], exclusive }: FigureRule): readonly Tag[] {
  return [
    ...sources.flatMap(({ chain }) => tagsOf(chain)),
    ...pieces.flatMap(({ tags }) => tags),
    ...(exclusive?.beside ?? []),
  ]
}
