import { formatDay, formatFigure } from '../../parts/format.js'

/** The newest closing price of a listing. */
export interface ListingClose {
  readonly close: number
  readonly currency: string
  readonly date: string
}

/** Fields of `ListingClose` in a query. */
export const NEWEST_CLOSE = 'newest_close { close currency date }'

/** E.g. `213.49 USD on 20 November 2026`. Null without a price. */
export function formatClose(newest: ListingClose | null): string | null {
  return newest && `${formatFigure(newest.close)} ${newest.currency} on ${formatDay(newest.date)}`
}
