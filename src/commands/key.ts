// Creates an account with one API key and prints the key as JSON. The key is shown only once:
// npm run -s key -- --tier pro --label NAME [--scopes a,b] [--admin]
import { startCommand } from './start-command.js'

await startCommand('key', async () => (await import('./key/run.js')).runKey)
