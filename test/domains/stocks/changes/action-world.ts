import type { DecimalText } from '../../../../src/core/decimal.js'
import { PROVIDERS } from '../../../../src/core/providers.js'
import type { IsoDate } from '../../../../src/core/time.js'
import { writeInstruments } from '../../../../src/domains/instruments/masters/masters-store.js'
import type { ActionRow, DividendRow } from '../../../../src/domains/stocks/model.js'
import { actionsSink, dividendsSink } from '../../../../src/ingest/datasets/stocks/ingestion.js'
import type { OwnAction } from '../../../../src/ingest/providers/operator/actions-file.js'
import { writeDataset } from '../../../../src/ingest/run/write-dataset.js'
import type { Database } from '../../../../src/platform/database/database.js'

export const KNOWN = new Date('2026-11-20T12:00:00Z')

/** Stocks 1 to `count`: S1, S2 … */
export async function writeStocks(database: Database, count: number): Promise<void> {
  const facts = Array.from({ length: count }, (_, index) => ({
    ...{
      assetId: index + 1,
      slug: `stock-${index + 1}`,
      ticker: `S${index + 1}`,
      name: `Stock ${index + 1}`,
    },
    ...{ assetClass: 'stock' as const, tier: null, mic: null, isin: null, figi: null, currency: 'USD' },
    ...{ sectorGics: null, cik: null, contract: null, lei: null, symbols: {} },
  }))
  await database.transaction((tx) => writeInstruments(tx, facts, { knownAt: KNOWN, source: 'reference' }))
}

/** A split of 4 to 1 of stock 1. */
export function action(more: Partial<ActionRow> = {}, isWithdrawn = false): OwnAction {
  const row: ActionRow = {
    ...{ assetId: 1, exDate: '2026-12-01' as IsoDate, actionType: 'split', ratio: '4' as DecimalText },
    ...{ valueRatio: null, description: null },
    ...more,
  }
  return { kind: 'stated', row, isWithdrawn }
}

/** A change of the ticker of stock 1. */
export function tickerChange(day: string, isWithdrawn = false): OwnAction {
  const change = { assetId: 1, ticker: 'S1', formerTicker: 'OLD', day: day as IsoDate }
  return { kind: 'ticker', change, isWithdrawn }
}

/** A quarterly dividend of stock 1. */
export function dividend(more: Partial<DividendRow> = {}): DividendRow {
  return {
    ...{ assetId: 1, exDate: '2026-12-10' as IsoDate, frequency: 'quarterly', payDate: null },
    ...{ amount: '0.25' as DecimalText, currency: 'USD' },
    ...more,
  }
}

/** Writes a body of the operator's file of actions. */
export function landActions(database: Database, actions: readonly OwnAction[], knownAt = KNOWN) {
  const target = { dataset: 'corporate_actions', provider: PROVIDERS.operator, sink: actionsSink } as const
  return database.transaction((tx) => writeDataset(tx, target, [actions], knownAt))
}

/** Writes a body of the operator's file of dividends. */
export function landDividends(database: Database, rows: readonly DividendRow[], knownAt = KNOWN) {
  const target = { dataset: 'dividends', provider: PROVIDERS.operator, sink: dividendsSink } as const
  const stated = rows.map((row) => ({ kind: 'stated' as const, row }))
  return database.transaction((tx) => writeDataset(tx, target, [stated], knownAt))
}
