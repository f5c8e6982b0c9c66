import type { IsoDate } from '../../../../core/time.js'
import type { AaoifiContent } from '../../../../domains/analysis/model.js'

/** A closing price, adjusted for later splits. */
export interface Close {
  readonly date: IsoDate
  readonly close: number
}

/** The known facts of a stock or a fund: its prices and its latest annual report. */
export interface ListedInputs {
  /** The kind of instrument, in words. */
  readonly kind: 'stock' | 'ETF'
  /** Currency of the closes; null without closes. */
  readonly currency: string | null
  /** Closes of the past year, ascending. */
  readonly closes: readonly Close[]
  /** Null if no report is filed, or if it does not file. */
  readonly report: {
    readonly aaoifi: AaoifiContent
    readonly form: string
    readonly periodEnd: IsoDate
    readonly filed: IsoDate
  } | null
}
