import { loadConfig } from '../../config.js'
import { systemClock } from '../../core/time.js'
import {
  countRowsToConvert,
  loadCompactSince,
  startCompactRows,
} from '../../domains/market/compact/form-store.js'
import type { Sql } from '../../platform/database/database.js'
import { commandLine } from '../../platform/installation/command-line.js'
import { withDatabase } from '../command-world.js'
import type { Answer, Command } from './command.js'

/** The compact form of candles and bars. */
export const ROW_COMMANDS: readonly Command[] = [
  {
    name: 'rows status',
    parameters: [],
    options: [],
    summary: 'whether candles and bars are stored in the compact form, and how many rows are left to convert',
    run: (given) => withDatabase(given, loadConfig(given.env), given.signal, statusOf),
  },
  {
    name: 'rows compact',
    parameters: [],
    options: [],
    summary:
      'starts the compact form, once every node has this version; cannot be undone, and older versions cannot read it',
    run: (given) =>
      withDatabase(given, loadConfig(given.env), given.signal, async (database) => {
        await startCompactRows(database, systemClock.now())
        return statusOf(database)
      }),
  },
]

async function statusOf(sql: Sql): Promise<Answer> {
  const since = await loadCompactSince(sql)
  const { candles, bars } = await countRowsToConvert(sql)
  const json = { compact_since: since?.toISOString() ?? null, candles_left: candles, bars_left: bars }
  const left = `${candles} candles and ${bars} bars`
  const text =
    since === null
      ? `the compact form is off; ${left} are in the old form\n  → run ${commandLine('admin')} rows compact once every node has this version\n`
      : candles + bars === 0
        ? `compact since ${since.toISOString()}; every row is converted\n`
        : `compact since ${since.toISOString()}; ${left} are left, which the gateway converts in the background\n`
  return { json, text }
}
