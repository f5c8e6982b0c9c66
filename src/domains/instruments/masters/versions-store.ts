import { ASSET_VERSION } from '../../../generated/columns.js'
import { sourceRemover } from '../../../platform/bi-temporal/remove-source.js'
import {
  type Known,
  SOURCE_COLUMN,
  storedColumn,
  storedColumns,
} from '../../../platform/bi-temporal/series-table.js'
import { seriesWriter } from '../../../platform/bi-temporal/write-series.js'
import type { Transaction } from '../../../platform/database/database.js'
import type { InstrumentFacts } from '../model.js'

const writeVersions = seriesWriter<InstrumentFacts>({
  name: 'asset_version',
  key: storedColumns(ASSET_VERSION, 'assetId'),
  values: [
    ...storedColumns(ASSET_VERSION, 'ticker', 'name', 'tier'),
    storedColumn(ASSET_VERSION, 'contractAddress', ({ contract }) => contract?.address ?? null),
  ],
  notes: [SOURCE_COLUMN],
})

/** Stores versions of crypto assets. An asset that changed gets a new version, and the previous one ends. */
export async function writeAssetVersions(
  tx: Transaction,
  facts: readonly InstrumentFacts[],
  known: Known,
): Promise<void> {
  const crypto = facts.filter(({ assetClass }) => assetClass === 'crypto')
  if (crypto.length > 0) await writeVersions(tx, crypto, known)
}

/** Removes the versions of a source, including those that ended. */
export const removeAssetVersions = sourceRemover(({ assetVersion }) => [assetVersion])
