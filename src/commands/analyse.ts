// Analyses crypto assets: npm run analyse -- [--asset a,b] [--type t] [--generator rules|llm] [--force] [--json]
import { startCommand } from './start-command.js'

await startCommand('analyse', async () => (await import('./analyse/run.js')).runAnalyse)
