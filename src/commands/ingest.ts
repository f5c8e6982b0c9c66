// Runs one feed, or the candles, once: npm run ingest -- <feed> [options]; see --help.
import { startCommand } from './start-command.js'

await startCommand('ingest', async () => (await import('./ingest/run.js')).runIngest)
