import { Decimal } from '../../../core/decimal.js'
import type { StatedFact } from '../model.js'
import type { FigureRule } from './figure-rule-model.js'

/** A stated amount and the parts of the figure that it belongs to. */
export interface StatedPart {
  readonly fact: StatedFact
  readonly value: Decimal
  readonly parts: readonly string[]
  /** Whether the amount also covers something outside the figure. */
  readonly isWider: boolean
}

/** The amounts whose sum is a figure, and the first stated amount that is not in this sum. */
export interface CombinedParts {
  readonly used: readonly StatedPart[]
  /** Null if the sum has all that the filings state. */
  readonly leftOut: StatedPart | null
}

interface Combination extends CombinedParts {
  /** Parts with an amount other than zero. */
  readonly size: number
  /** Parts with any amount. */
  readonly sizeWithZeros: number
  readonly sum: Decimal
}

/** The best sum of amounts that have no part in common. See `FigureRule`. */
export function combineParts(
  rule: FigureRule,
  sources: readonly StatedPart[],
  pieces: readonly StatedPart[],
): CombinedParts {
  const [first, ...others] = disjointSets(sources).map((used) => combinationOf(rule, used, sources, pieces))
  if (first === undefined) throw new Error('the empty set is one of the disjoint sets')
  return others.reduce((best, one) => (isBetter(one, best) ? one : best), first)
}

/** Every set of sources without a common part, the empty set first. */
function disjointSets(sources: readonly StatedPart[]): readonly (readonly StatedPart[])[] {
  const sets: (readonly StatedPart[])[] = [[]]
  for (const source of sources) {
    const without = sets.filter((set) => !set.some((other) => overlap(other, source)))
    sets.push(...without.map((set) => [...set, source]))
  }
  return sets
}

function combinationOf(
  { addsPieces = false, tolerance = 0 }: FigureRule,
  sources: readonly StatedPart[],
  allSources: readonly StatedPart[],
  pieces: readonly StatedPart[],
): Combination {
  const added = addsPieces ? separatePieces(pieces, allSources) : []
  const used = [...sources, ...added]
  const isIn = (one: StatedPart): boolean => {
    if (one.value.isZero() || used.includes(one)) return true
    const around = used.filter((other) => overlap(other, one))
    if (one.isWider) return around.length > 0
    return one.value.lte(sumOf(around).times(1 + tolerance))
  }
  const isCovered = ({ parts }: StatedPart): boolean =>
    parts.every((part) => used.some((other) => other.parts.includes(part)))
  /** A piece may be the same debt under another tag. Otherwise it is unknown whether one piece contains the other. */
  const isAmbiguous = (piece: StatedPart): boolean => {
    const around = added.filter((other) => overlap(other, piece))
    return !used.includes(piece) && around.length > 0 && !sumOf(around).eq(piece.value)
  }
  const leftOut =
    allSources.find((source) => !(isIn(source) && (source.value.isZero() || isCovered(source)))) ??
    pieces.find((piece) => !isIn(piece) || (!piece.value.isZero() && isAmbiguous(piece))) ??
    null
  const stated = used.filter(({ value }) => !value.isZero())
  return { used, leftOut, size: countParts(stated), sizeWithZeros: countParts(used), sum: sumOf(used) }
}

/** The pieces of parts for which no source has an amount, each part once: first those of fewest parts and the largest. */
function separatePieces(
  pieces: readonly StatedPart[],
  sources: readonly StatedPart[],
): readonly StatedPart[] {
  const sorted = pieces
    .filter(
      (piece) =>
        !piece.isWider && !sources.some((source) => !source.value.isZero() && overlap(source, piece)),
    )
    .toSorted((a, b) => a.parts.length - b.parts.length || b.value.comparedTo(a.value))
  const added: StatedPart[] = []
  for (const piece of sorted) if (!added.some((other) => overlap(other, piece))) added.push(piece)
  return added
}

function isBetter(one: Combination, best: Combination): boolean {
  if ((one.leftOut === null) !== (best.leftOut === null)) return one.leftOut === null
  if (one.leftOut === null && one.size !== best.size) return one.size > best.size
  return one.sum.eq(best.sum) ? one.sizeWithZeros > best.sizeWithZeros : one.sum.gt(best.sum)
}

function countParts(stated: readonly StatedPart[]): number {
  return new Set(stated.flatMap(({ parts }) => parts)).size
}

function overlap({ parts }: StatedPart, other: StatedPart): boolean {
  return parts.some((part) => other.parts.includes(part))
}

function sumOf(stated: readonly StatedPart[]): Decimal {
  return stated.reduce((sum, { value }) => sum.plus(value), new Decimal(0))
}
