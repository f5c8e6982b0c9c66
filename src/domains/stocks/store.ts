import { removeSource } from '../../platform/bi-temporal/remove-source.js'
import { type SeriesTable, SOURCE_COLUMN } from '../../platform/bi-temporal/series-table.js'
import { seriesWithdrawer } from '../../platform/bi-temporal/withdraw-rows.js'
import { seriesWriter } from '../../platform/bi-temporal/write-series.js'
import type { Transaction } from '../../platform/database/database.js'
import type { ActionKey, ActionRow, DividendKey, DividendRow } from './model.js'

const ACTION_KEYS = {
  name: 'corporate_action',
  key: [
    { name: 'asset_id', type: 'int', sentAs: 'int', of: ({ assetId }: ActionKey) => assetId },
    { name: 'ex_date', type: 'date', of: ({ exDate }: ActionKey) => exDate },
    {
      name: 'action_type',
      type: 'corporate_action_kind',
      of: ({ actionType }: ActionKey) => actionType,
    },
  ],
  values: [],
  notes: [SOURCE_COLUMN],
  isWithdrawable: true,
} satisfies SeriesTable<ActionKey>

/** Writes corporate actions. One with other values replaces the current version. */
export const writeActions = seriesWriter<ActionRow>({
  ...ACTION_KEYS,
  values: [
    { name: 'ratio', type: 'numeric', of: ({ ratio }) => ratio },
    { name: 'value_ratio', type: 'numeric', of: ({ valueRatio }) => valueRatio, mayBeUnstated: true },
    { name: 'description', type: 'text', of: ({ description }) => description },
  ],
})

/** Withdraws corporate actions and returns the number of those that were known. */
export const withdrawActions = seriesWithdrawer<ActionKey>(ACTION_KEYS)

const DIVIDEND_KEYS = {
  name: 'dividend',
  key: [
    { name: 'asset_id', type: 'int', sentAs: 'int', of: ({ assetId }: DividendKey) => assetId },
    { name: 'ex_date', type: 'date', of: ({ exDate }: DividendKey) => exDate },
    { name: 'frequency', type: 'dividend_frequency', of: ({ frequency }: DividendKey) => frequency },
  ],
  values: [],
  notes: [SOURCE_COLUMN],
  isWithdrawable: true,
} satisfies SeriesTable<DividendKey>

/** Writes dividends. One with other values replaces the current version. */
export const writeDividends = seriesWriter<DividendRow>({
  ...DIVIDEND_KEYS,
  values: [
    { name: 'pay_date', type: 'date', of: ({ payDate }) => payDate },
    { name: 'amount', type: 'numeric', of: ({ amount }) => amount },
    { name: 'currency', type: 'text', of: ({ currency }) => currency },
  ],
})

/** Withdraws dividends and returns the number of those that were known. */
export const withdrawDividends = seriesWithdrawer<DividendKey>(DIVIDEND_KEYS)

/** Removes the corporate actions of a source and returns their number. */
export function removeActions(tx: Transaction, source: string): Promise<number> {
  return removeSource([tx.prisma.corporateAction], source)
}

/** Removes the dividends of a source and returns their number. */
export function removeDividends(tx: Transaction, source: string): Promise<number> {
  return removeSource([tx.prisma.dividend], source)
}
