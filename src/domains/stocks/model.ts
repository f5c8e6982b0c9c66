import { type Registered, registerDatasets } from '../../core/datasets.js'
import type { DecimalText } from '../../core/decimal.js'
import type { IsoDate } from '../../core/time.js'

const DATASETS = registerDatasets({ corporate_actions: 'daily', dividends: 'daily' })

declare module '../../core/datasets.js' {
  interface Datasets extends Registered<typeof DATASETS> {}
}

/** Corporate actions that a source states. A change of the ticker is stored as an identifier with an end date instead. */
export const STATED_ACTIONS = ['split', 'reverse_split', 'spin_off', 'merger'] as const
export type StatedAction = (typeof STATED_ACTIONS)[number]

export const ACTION_TYPES = [...STATED_ACTIONS, 'ticker_change'] as const
export type ActionType = (typeof ACTION_TYPES)[number]

/** How often a dividend of its kind is paid. `unspecified`: the source states only the sum of the dividends of a day. */
export const DIVIDEND_FREQUENCIES = [
  'monthly',
  'quarterly',
  'semi_annual',
  'annual',
  'special',
  'unspecified',
] as const
export type DividendFrequency = (typeof DIVIDEND_FREQUENCIES)[number]

export interface ActionKey {
  readonly assetId: number
  readonly exDate: IsoDate
  readonly actionType: StatedAction
}

/** A corporate action as a source states it. */
export interface ActionRow extends ActionKey {
  /** Shares after the action per share before it. Null if unknown or not applicable. */
  readonly ratio: DecimalText | null
  /** Of a spin-off: value of a share after it per value before it, between 0 and 1. Null if unknown, and for other actions. */
  readonly valueRatio: DecimalText | null
  readonly description: string | null
}

export interface DividendKey {
  readonly assetId: number
  readonly exDate: IsoDate
  readonly frequency: DividendFrequency
}

/** A cash dividend as a source states it. */
export interface DividendRow extends DividendKey {
  readonly payDate: IsoDate | null
  /** Per share, before taxes. */
  readonly amount: DecimalText
  /** ISO 4217. */
  readonly currency: string
}
