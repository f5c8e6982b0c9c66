import { recordActionChanges } from '../../../domains/stocks/changes/change-record-store.js'
import type { ActionRow, DividendRow } from '../../../domains/stocks/model.js'
import { writeActions, writeDividends } from '../../../domains/stocks/store.js'
import type { Known, WriteCounts } from '../../../platform/bi-temporal/series-table.js'
import type { Transaction } from '../../../platform/database/database.js'
import type { Sink } from '../../feed.js'
import { removeSeedActions, removeSeedDividends } from '../stocks/ingestion.js'

/** Writes rows and records what changed with them. */
function recorded<Row extends { readonly assetId: number }>(
  write: (tx: Transaction, rows: readonly Row[], known: Known) => Promise<WriteCounts>,
): Sink<Row>['write'] {
  return async (tx, rows, known) => {
    const counts = await write(tx, rows, known)
    await recordActionChanges(
      tx,
      rows.map(({ assetId }) => assetId),
      known,
    )
    return counts
  }
}

/** Splits that a provider of prices states. A body withdraws nothing, because it holds the last days only. */
export const splitsSink: Sink<ActionRow> = {
  write: recorded(writeActions),
  removeSeed: removeSeedActions,
}

/** As above. */
export const statedDividendsSink: Sink<DividendRow> = {
  write: recorded(writeDividends),
  removeSeed: removeSeedDividends,
}
