import { isPlain, scaleOf, trimmedFigure } from './figure-bytes.js'

/**
 * The weights and deviations of the sources of a candle from their prices and volumes, in whole numbers: part of the stored
 * form, so it must give the same for ever. The rules are those of `vwap-consensus-1`. Whoever stores sources compares, and
 * stores what differs.
 */

/** Both figures of 10 decimal places, like the published ones. */
const PLACES = 10
const ONE = 10n ** BigInt(PLACES)

/** Fewer used sources have no price, so no weights. */
const LEAST_USED = 3

interface SourceFigures {
  readonly vwapUsd: string | null
  readonly volumeUsd: string | null
  readonly exclusion: string | null
}

export interface SourceShares {
  readonly weight: string | null
  readonly deviation: string | null
}

/** Exclusions by a comparison with the other sources; any other source has no figures to compare. */
const COMPARED: ReadonlySet<string | null> = new Set([null, 'outlier', 'dominant_volume'])

/** In the order of the sources. */
export function sharesOfFigures(sources: readonly SourceFigures[]): readonly SourceShares[] {
  const deviations = deviationsOf(
    sources.map(({ exclusion, vwapUsd }) => (COMPARED.has(exclusion) ? vwapUsd : null)),
  )
  const weights = weightsOf(
    sources.map(({ exclusion, volumeUsd }) => (exclusion === null ? volumeUsd : null)),
  )
  return sources.map((_, place) => ({
    weight: weights[place] ?? null,
    deviation: deviations[place] ?? null,
  }))
}

/** By place: (price − median) / median, half to even. */
function deviationsOf(figures: readonly (string | null)[]): readonly (string | null)[] {
  const prices = toWhole(figures)
  const sorted = prices.filter((price) => price !== null).sort(ascending)
  const lower = sorted[Math.ceil(sorted.length / 2) - 1]
  const upper = sorted[Math.floor(sorted.length / 2)]
  if (lower === undefined || upper === undefined || upper === 0n) return []
  const doubled = lower + upper
  return prices.map((price) => (price === null ? null : deviationText(2n * price - doubled, doubled)))
}

function deviationText(distance: bigint, median: bigint): string {
  const size = (distance < 0n ? -distance : distance) * ONE
  const whole = size / median
  const rest = 2n * (size - whole * median)
  const isUp = rest > median || (rest === median && whole % 2n === 1n)
  // The sign of a distance that is rounded to zero stays, as it does in the decimals of the consensus.
  return `${distance < 0n ? '-' : ''}${trimmed(isUp ? whole + 1n : whole)}`
}

/** By place: the shares in the volume, cut, and the missing units one each to the largest rests; ties in the order given. */
function weightsOf(figures: readonly (string | null)[]): readonly (string | undefined)[] {
  const volumes = toWhole(figures)
  const used = volumes.flatMap((volume, place) => (volume === null ? [] : [{ place, volume }]))
  const total = used.reduce((sum, { volume }) => sum + volume, 0n)
  if (used.length < LEAST_USED || total === 0n) return []
  const shares = used.map(({ place, volume }) => {
    const whole = (volume * ONE) / total
    return { place, whole, rest: volume * ONE - whole * total }
  })
  const missing = Number(ONE - shares.reduce((sum, { whole }) => sum + whole, 0n))
  const weights: string[] = []
  shares
    .sort((a, b) => ascending(b.rest, a.rest))
    .forEach(({ place, whole }, rank) => {
      weights[place] = trimmed(rank < missing ? whole + 1n : whole)
    })
  return weights
}

function ascending(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** The figures as whole numbers of one common decimal place; null for a missing or a signed one. */
function toWhole(figures: readonly (string | null)[]): readonly (bigint | null)[] {
  const plain = figures.map((figure) => (figure !== null && isPlain(figure) ? figure : null))
  const scale = Math.max(...plain.map((figure) => (figure === null ? 0 : scaleOf(figure))))
  return plain.map((figure) =>
    figure === null ? null : BigInt(figure.replace('.', '') + '0'.repeat(scale - scaleOf(figure))),
  )
}

/** A figure above 900,000 would not be exact; whoever stores sources notices. */
function trimmed(units: bigint): string {
  return trimmedFigure(Number(units), PLACES)
}
