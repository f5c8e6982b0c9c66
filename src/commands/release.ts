// Writes a release of a dataset as signed Parquet files: npm run release -- --dataset candles [--json]
import { startCommand } from './start-command.js'

await startCommand('release', async () => (await import('./release/run.js')).runRelease)
