import type { IsoDate } from '../../../../core/time.js'
import type { AaoifiContent } from '../../../../domains/analysis/model.js'

/** A closing price, adjusted for splits that came later. */
export interface Close {
  readonly date: IsoDate
  readonly close: number
}

/** What is known of a stock or a fund: its prices and its latest annual report. */
export interface ListedFacts {
  /** What it is, in words. */
  readonly kind: 'stock' | 'ETF'
  /** Of the closes; null where there are none. */
  readonly currency: string | null
  /** Of the year before, ascending. */
  readonly closes: readonly Close[]
  /** Null: none was filed, or it does not file. */
  readonly report: {
    readonly aaoifi: AaoifiContent
    readonly form: string
    readonly periodEnd: IsoDate
    readonly filed: IsoDate
  } | null
}
