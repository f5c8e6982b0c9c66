// Migrates the PostgreSQL database of the first argument by the directory of the second; prints what it applied.
import { openDatabase } from '../../../../src/platform/database/database.js'
import { migrate } from '../../../../src/platform/database/migrate.js'

const [, , url = '', directory = ''] = process.argv
const database = await openDatabase({ kind: 'postgres', url, poolSize: 2 })
process.stdout.write('ready\n')
await new Promise((resolve) => process.stdin.once('data', resolve))
process.stdout.write(`${JSON.stringify(await migrate(database, directory))}\n`)
await database.close()
process.exit(0)
