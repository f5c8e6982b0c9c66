import { CORPORATE_ACTION, DIVIDEND } from '../../generated/columns.js'
import { sourceRemover } from '../../platform/bi-temporal/remove-source.js'
import {
  type SeriesTable,
  SOURCE_COLUMN,
  storedColumns,
  unstatable,
} from '../../platform/bi-temporal/series-table.js'
import { seriesWithdrawer } from '../../platform/bi-temporal/withdraw/withdraw-rows.js'
import { seriesWriter } from '../../platform/bi-temporal/write-series.js'
import type { ActionKey, ActionRow, DividendKey, DividendRow } from './model.js'

const ACTION_KEYS = {
  name: 'corporate_action',
  key: storedColumns(CORPORATE_ACTION, 'assetId', 'exDate', 'actionType'),
  values: [],
  notes: [SOURCE_COLUMN],
  isWithdrawable: true,
} satisfies SeriesTable<ActionKey>

/** Writes corporate actions. One with other values replaces the current version. */
export const writeActions = seriesWriter<ActionRow>({
  ...ACTION_KEYS,
  values: [
    ...storedColumns(CORPORATE_ACTION, 'ratio'),
    ...storedColumns(CORPORATE_ACTION, 'valueRatio').map(unstatable),
    ...storedColumns(CORPORATE_ACTION, 'description'),
  ],
})

/** Withdraws corporate actions and returns the number of those that were known. */
export const withdrawActions = seriesWithdrawer<ActionKey>(ACTION_KEYS)

const DIVIDEND_KEYS = {
  name: 'dividend',
  key: storedColumns(DIVIDEND, 'assetId', 'exDate', 'frequency'),
  values: [],
  notes: [SOURCE_COLUMN],
  isWithdrawable: true,
} satisfies SeriesTable<DividendKey>

/** Writes dividends. One with other values replaces the current version. */
export const writeDividends = seriesWriter<DividendRow>({
  ...DIVIDEND_KEYS,
  values: storedColumns(DIVIDEND, 'payDate', 'amount', 'currency'),
})

/** Withdraws dividends and returns the number of those that were known. */
export const withdrawDividends = seriesWithdrawer<DividendKey>(DIVIDEND_KEYS)

/** Removes the corporate actions of a source and returns their number. */
export const removeActions = sourceRemover(({ corporateAction }) => [corporateAction])

/** Removes the dividends of a source and returns their number. */
export const removeDividends = sourceRemover(({ dividend }) => [dividend])
