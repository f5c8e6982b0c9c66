// Recalculates the price of a candle from its published inputs, or checks a snapshot of an analysis:
// npm run -s verify -- consensus bitcoin 2026-11-19 [--timeframe 1d] [--as-of INSTANT] [--json] [--url URL --key KEY]
// Reads a gateway (--url), else the configured database. Exit code 0: equal, 1: not equal, 2: not checked.
import { startCommand } from './start-command.js'
import { needsDatabase } from './verify/needs-database.js'

const NOT_CHECKED_EXIT = 2

await startCommand('verify', async () => (await import('./verify/run.js')).runVerify, {
  needsDatabase,
  failedExit: NOT_CHECKED_EXIT,
})
