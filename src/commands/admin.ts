// The operator's tool: accounts, keys, grants, usage, audit, doctor. npm run -s admin -- --help
import { startCommand } from './start-command.js'

await startCommand('admin', async () => (await import('./admin/run.js')).runAdminCommand)
