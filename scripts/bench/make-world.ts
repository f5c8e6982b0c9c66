// Creates the database of the benchmark with the code of a checkout, describes it in one line of JSON, and drops it when
// standard input ends. Started by world-process.ts.
// node --import tsx scripts/bench/make-world.ts CHECKOUT SERVER_URL
import { once } from 'node:events'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

const [, , checkout = '', serverUrl = ''] = process.argv

// An interrupt from the terminal reaches all processes of the run. The parent process ends the input.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {})

// Checkouts must have this module with these exports.
const { createWorld, SECRETS } = (await import(
  pathToFileURL(resolve(checkout, 'scripts/bench/world.ts')).href
)) as typeof import('./world.js')

const world = await createWorld(serverUrl)
try {
  const { databaseUrl, apiKey, backendPid, serverVersion } = world
  const facts = { databaseUrl, apiKey, backendPid, serverVersion, secrets: SECRETS }
  process.stdout.write(`${JSON.stringify(facts)}\n`)
  await once(process.stdin.resume(), 'end')
} finally {
  await world.drop()
}
