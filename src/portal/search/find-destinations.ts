import { isFullMatch, Rank, rankOf, type Searchable, splitWords } from './rank-of.js'
import type { Destination } from './recent-searches.js'
import WORDS from './words.json'

/** A page that a search may lead to, with the words that find it. */
export interface Candidate extends Destination, Searchable {
  /** How well it matches, if the gateway or its kind says so. */
  readonly rank?: number
}

export interface CandidateGroup {
  readonly name: string
  readonly candidates: readonly Candidate[]
}

export interface ResultGroup {
  readonly name: string
  readonly results: readonly Destination[]
}

export interface FoundGroups {
  readonly groups: readonly ResultGroup[]
  /** Nothing has all words of the text: the groups have what is nearest, or what exists. */
  readonly isNearest: boolean
}

const MAX_PER_GROUP = 6

/**
 * The destinations that a text finds, by group. The group with the best match comes first, equal ones in the given order. If
 * nothing matches, the destinations with one of the words, else those of `existing`.
 */
export function findDestinations(
  text: string,
  groups: readonly CandidateGroup[],
  existing: CandidateGroup,
): FoundGroups {
  const ranked = groups.map(({ name, candidates }) => ({ name, matches: rankAll(text, candidates) }))
  const isMatch = ({ rank }: Match) => isFullMatch(rank)
  const isNearest = !ranked.some(({ matches }) => matches.some(isMatch))
  const shown = ranked
    .map(({ name, matches }) => ({ name, matches: isNearest ? matches : matches.filter(isMatch) }))
    .filter(({ matches }) => matches.length > 0)
    .sort((a, b) => bestRank(a.matches) - bestRank(b.matches))
    .map(({ name, matches }) => ({ name, results: toResults(matches.map(({ candidate }) => candidate)) }))
  if (shown.length > 0) return { groups: shown, isNearest }
  return { groups: [{ name: existing.name, results: toResults(existing.candidates) }], isNearest: true }
}

interface Match {
  readonly candidate: Candidate
  readonly rank: number
}

function rankAll(text: string, candidates: readonly Candidate[]): readonly Match[] {
  return candidates
    .flatMap((candidate) => {
      const rank = candidate.rank ?? rankOf(text, candidate)
      return rank === null ? [] : [{ candidate, rank }]
    })
    .sort((a, b) => a.rank - b.rank)
}

function bestRank(matches: readonly Match[]): number {
  return matches[0]?.rank ?? Infinity
}

function toResults(candidates: readonly Candidate[]): readonly Destination[] {
  const byPath = new Map(
    candidates.map(({ path, title, note }) => [path, { path, title, note }]).reverse() as [
      string,
      Destination,
    ][],
  )
  return [...byPath.values()].reverse().slice(0, MAX_PER_GROUP)
}

/** The words of a page, besides its title and description. */
export function keywordsOfPage(path: string): readonly string[] {
  return (WORDS.pages as WordTable)[path] ?? []
}

/** The words of a guide, by the last part of its path. */
export function keywordsOfGuide(path: string): readonly string[] {
  return (WORDS.guides as WordTable)[path.slice(path.lastIndexOf('/') + 1)] ?? []
}

/** What people call a macro series and its country. */
export function keywordsOfSeries(name: string, country: string): readonly string[] {
  const subject = name.toLowerCase()
  return [
    ...keywordsOfCountry(country),
    ...Object.entries(WORDS.series as WordTable).flatMap(([part, words]) =>
      subject.includes(part) ? (words ?? []) : [],
    ),
  ]
}

type WordTable = Readonly<Record<string, readonly string[] | undefined>>

export interface SeriesCandidate extends Candidate {
  /** Name of the country or the group of countries. */
  readonly country: string
  /** Titles at the publisher, which find the series if its name does not. */
  readonly titles: readonly string[]
}

/**
 * The macro series as a group. If the text names a group of countries and finds no series of it, those of its largest members that
 * match the rest of the text, under a name that says so: `euro inflation`.
 */
export function toSeriesGroup(text: string, series: readonly SeriesCandidate[]): CandidateGroup {
  const words = splitWords(text)
  for (const [area, members] of Object.entries(WORDS.members)) {
    if (series.some((one) => one.country === area && isFullMatch(rankOf(text, one)))) continue
    const names = keywordsOfCountry(area).flatMap(splitWords)
    const rest = words.filter((word) => !names.includes(word)).join(' ')
    if (rest === '' || rest === words.join(' ')) continue
    const nearest = members.flatMap((member) =>
      series.filter((one) => one.country === member && isFullMatch(rankOf(rest, one))),
    )
    if (nearest.length === 0) continue
    const candidates = nearest.map((one) => ({ ...one, rank: Rank.words }))
    return { name: `Macro series: nothing for the ${area.toLowerCase()}; nearest`, candidates }
  }
  return { name: 'Macro series', candidates: series.map((one) => rankByTitle(text, one)) }
}

function rankByTitle(text: string, series: SeriesCandidate): Candidate {
  if (isFullMatch(rankOf(text, series))) return series
  const titled = { ...series, keywords: [...(series.keywords ?? []), ...series.titles] }
  return isFullMatch(rankOf(text, titled)) ? { ...series, rank: Rank.contained } : series
}

function keywordsOfCountry(country: string): readonly string[] {
  return [...((WORDS.countries as WordTable)[country] ?? []), country]
}

/** The position of a country among those whose series come first. */
export function orderOfCountry(country: string): number {
  const at = Object.keys(WORDS.countries).indexOf(country)
  return at < 0 ? Infinity : at
}

/** An asset that the gateway finds for a text. */
export interface FoundAsset {
  readonly slug: string
  readonly ticker: string
  readonly name: string
  readonly asset_class: string
}

/** An ISIN, a FIGI or an LEI, which the gateway finds as a whole. */
const IDENTIFIER = /^(?:[A-Z]{2}[A-Z0-9]{9}\d|BBG[A-Z0-9]{9}|[A-Z0-9]{18}\d{2})$/i

/** `who holds apple`, `which ETFs hold AAPL`, `holders of Apple`, `apple holders`. */
const HOLDERS =
  /^(?:who|which \w+|what|etfs?(?: that)?) (?:holds?|owns?) (.+?)\??$|^(?:holders? of|held by) (.+)$|^(.+) holders$/i

/** The name of the asset whose holders a text asks for; null for another text. */
export function parseHolderSearch(text: string): string | null {
  const found = HOLDERS.exec(text.trim())
  return found?.[1] ?? found?.[2] ?? found?.[3] ?? null
}

/**
 * An asset as a candidate. A text that names it together with a subject of the API, as in "apple dividend", matches it as its
 * name alone does.
 */
export function toAssetCandidate(
  text: string,
  asset: FoundAsset,
  subjects: readonly Searchable[],
): Candidate {
  const { slug, ticker, name, asset_class } = asset
  const destination = { path: `/assets/${slug}`, title: name, note: `${asset_class}, ${ticker}` }
  const own = { title: name, note: slug, keywords: [ticker] }
  if (IDENTIFIER.test(text)) return { ...destination, rank: Rank.exact }
  const rank = rankOf(text, own)
  if (rank !== null && isFullMatch(rank)) return { ...destination, rank }
  const named = new Set([name, slug, ticker].flatMap(splitWords))
  const words = splitWords(text)
  const others = words.filter((word) => !named.has(word))
  const isNamed = others.length < words.length && isDistinct(words, asset)
  const subject = others.join(' ')
  const isSubject = subjects.some((one) => (rankOf(subject, one) ?? Rank.some) <= Rank.words)
  return { ...destination, rank: isNamed ? (isSubject ? Rank.exact : Rank.words) : Rank.corrected }
}

/** Whether the words have the first word of the name or the slug, or the ticker. A later word names a commodity only, as in "crude oil". */
function isDistinct(words: readonly string[], { name, slug, ticker, asset_class }: FoundAsset): boolean {
  if (asset_class === 'commodity') return splitWords(name).some((word) => words.includes(word))
  return [name, slug, ticker].some((text) => {
    const [first] = splitWords(text)
    return first !== undefined && words.includes(first)
  })
}
