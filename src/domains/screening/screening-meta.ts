import type { DatasetPart, DatasetState, UsedState } from '../../platform/database/versions/data-version.js'
import { distinctTexts, isScreeningList, SCREENING_LISTS, type ScreeningList } from './model.js'
import { oldestOfLists, type ScreenResult } from './service.js'

/** Part of every screening. The English text is binding. */
export const SCREENING_DISCLAIMER =
  'For information only; not a substitute for licensed compliance services. The operator is not a licensed compliance vendor. Users perform their own due diligence.'

/** Part of every screening, unofficial. */
export const SCREENING_DISCLAIMER_FR =
  'Traduction non officielle : à titre d’information uniquement ; ne remplace pas les services d’un prestataire de conformité agréé. L’opérateur n’est pas un prestataire de conformité agréé. Il appartient aux utilisateurs d’effectuer leurs propres vérifications.'

/** The licence if no list states its terms. From the API contract. */
const DEFAULT_LICENCE = 'CC-BY 4.0'

/** A loaded list. */
export interface ListState extends DatasetPart {
  readonly list: ScreeningList
  readonly title: string
}

/** The loaded lists. */
export function listsOf({ parts }: DatasetState): readonly ListState[] {
  return parts.flatMap((part) =>
    isScreeningList(part.part) ? { ...part, list: part.part, title: SCREENING_LISTS[part.part] } : [],
  )
}

/** The state of a screening. Its age is that of the least recently read list, its sources are those of all parts. */
export function stateOfLists(state: DatasetState): UsedState {
  return { ...state, observedAt: oldestOfLists(state) ?? state.observedAt, sources: sourcesOf(state) }
}

function sourcesOf({ parts }: DatasetState): readonly string[] {
  return distinctTexts(parts.map(({ source }) => source))
}

export interface ScreeningMeta {
  readonly fetched_at: Date
  readonly total_requested: number
  readonly screened_count: number
  readonly not_screened_count: number
  readonly invalid_lei_count: number
  readonly attribution: string
  readonly disclaimer: string
  readonly disclaimer_fr: string
  readonly license: string
  readonly lists_covered: readonly string[]
  readonly source: string
}

export function screeningMeta(results: readonly ScreenResult[], state: DatasetState): ScreeningMeta {
  const count = (status: ScreenResult['status']) =>
    results.filter((result) => result.status === status).length
  const { parts } = state
  return {
    fetched_at: state.changedAt,
    total_requested: results.length,
    screened_count: count('screened'),
    not_screened_count: count('not_screened'),
    invalid_lei_count: count('invalid_lei'),
    attribution: joinDistinct(parts.map(({ attribution }) => attribution)),
    disclaimer: SCREENING_DISCLAIMER,
    disclaimer_fr: SCREENING_DISCLAIMER_FR,
    license: joinDistinct(parts.map(({ licence }) => licence)) || DEFAULT_LICENCE,
    lists_covered: distinctTexts([
      ...listsOf(state).map(({ list }) => list),
      ...results.flatMap(({ lists }) => lists),
    ]),
    source: sourcesOf(state).join(', '),
  }
}

/** Joins the distinct texts by semicolons. */
function joinDistinct(texts: readonly (string | null)[]): string {
  return [...new Set(texts.filter((text) => text !== null))].join('; ')
}
