// Writes rows 1, 2, 3, … into the embedded directory named by the first argument and prints each number once it is
// committed, in turns by a plain statement, a transaction and Prisma, until someone kills it.
import { openDatabase } from '../../../../src/platform/database/database.js'

const database = await openDatabase({ kind: 'embedded', directory: process.argv[2] ?? '' })
await database.script('CREATE TABLE IF NOT EXISTS acknowledged (n int PRIMARY KEY)')
const insert = 'INSERT INTO acknowledged VALUES ($1)'
for (let n = 1; ; n += 1) {
  if (n % 3 === 0) await database.rows(insert, [n])
  else if (n % 3 === 1) await database.transaction((tx) => tx.rows(insert, [n]))
  else await database.prisma.$executeRaw`INSERT INTO acknowledged VALUES (${n}::int)`
  // A pipe that nobody reads for a moment is full after a few hundred of them; the rest would wait in this process.
  await new Promise((written) => process.stdout.write(`${n}\n`, written))
}
