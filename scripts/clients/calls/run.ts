// Runs the calls of one client: `run.ts NAME`, with GATEWAY_URL and GATEWAY_KEY. Writes one line of JSON per call; exit
// code 1 when one of them fails.
import type { Calls } from './client.js'

const [name] = process.argv.slice(2)
const { calls } = (await import(`./${name}.ts`)) as { readonly calls: Calls }
const gateway = { url: process.env.GATEWAY_URL ?? '', key: process.env.GATEWAY_KEY ?? '' }

for (const [call, attempt] of Object.entries(calls(gateway))) {
  const failure = await attempt().then(
    () => null,
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  )
  if (failure !== null) process.exitCode = 1
  console.log(JSON.stringify({ call, failure }))
}
