import type { IsoDate } from '../../core/time.js'
import type { SeriesTable } from '../../platform/bi-temporal/series-table.js'
import { column } from '../../platform/database/statement.js'

/** The columns of a period that comes from comparing the answers of two days. */
export const OBSERVED_COLUMNS = {
  occurrence: 'int4',
  name: 'text',
  validFrom: column<IsoDate | null>('date?'),
  validTo: column<IsoDate | null>('date?'),
} as const

interface ObservedPeriod {
  readonly occurrence: number
  readonly name: string
  readonly validFrom: IsoDate | null
  readonly validTo: IsoDate | null
}

/** Last part of the key: the number of the period with the same ticker and holder. */
export const OCCURRENCE_KEY: SeriesTable<ObservedPeriod>['key'][number] = {
  name: 'occurrence',
  type: 'int',
  sentAs: 'int',
  of: ({ occurrence }) => occurrence,
}

export const OBSERVED_VALUES: SeriesTable<ObservedPeriod>['values'] = [
  { name: 'name', type: 'text', of: ({ name }) => name },
  { name: 'valid_from', type: 'date', of: ({ validFrom }) => validFrom },
  { name: 'valid_to', type: 'date', of: ({ validTo }) => validTo },
]
