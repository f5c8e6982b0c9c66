import type { WholeBounds } from '../../../core/argument-parsers.js'
import type { IsoDate } from '../../../core/time.js'
import { ACTION_TYPES, type DividendFrequency, STATED_ACTIONS } from '../model.js'

/** What a change is about: a corporate action, a changed ticker or a dividend. */
export const CHANGED_TYPES = [...ACTION_TYPES, 'dividend'] as const
export type ChangedType = (typeof CHANGED_TYPES)[number]

/** The types that each dataset writes. */
export const TYPES_OF_DATASET = {
  corporate_actions: STATED_ACTIONS,
  instruments: ['ticker_change'],
  dividends: ['dividend'],
} as const satisfies Record<string, readonly ChangedType[]>

/** A withdrawn action is revised: it has no terms after the change. */
export const CHANGE_KINDS = ['created', 'revised'] as const
export type ActionChangeKind = (typeof CHANGE_KINDS)[number]

/** Items per page. */
export const ACTION_CHANGES_LIMITS = { min: 1, max: 100, default: 20 } as const satisfies WholeBounds

/** The terms of an action; null if unknown or if actions of the type never have it. */
export interface ActionTerms {
  readonly ex_date: IsoDate
  readonly ratio: number | null
  readonly value_ratio: number | null
  readonly description: string | null
  readonly former_ticker: string | null
  readonly pay_date: IsoDate | null
  readonly amount: number | null
  readonly currency: string | null
  readonly frequency: DividendFrequency | null
}

/** The terms of an action as JSON stores them; a member is absent if actions of the type never have it. */
export type StoredTerms = Pick<ActionTerms, 'ex_date'> & Partial<ActionTerms>

const NO_TERMS: Omit<ActionTerms, 'ex_date'> = {
  ratio: null,
  value_ratio: null,
  description: null,
  former_ticker: null,
  pay_date: null,
  amount: null,
  currency: null,
  frequency: null,
}

export function toActionTerms({ ex_date, ...stored }: StoredTerms): ActionTerms {
  return { ex_date, ...NO_TERMS, ...stored }
}

/** Names of the terms that differ, in the order of `ActionTerms`; none if an action is new or was withdrawn before. */
export function changedTerms(before: ActionTerms | null, after: ActionTerms | null): readonly string[] {
  if (before === null || after === null) return []
  return Object.keys(before).filter(
    (name) => before[name as keyof ActionTerms] !== after[name as keyof ActionTerms], // a key of before
  )
}
