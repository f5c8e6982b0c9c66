// Sends the same requests to every REST route and to its published GraphQL operation, and compares the responses:
// npm run parity -- [--requests 1000] [--seed N] [--routes assets,forex]
import { spawnSync } from 'node:child_process'
import { parseArgs } from 'node:util'

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '1000' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
    routes: { type: 'string', default: '' },
  },
})

for (const name of ['requests', 'seed'] as const) {
  if (/^[1-9]\d{0,9}$/.test(values[name])) continue
  process.stderr.write(`--${name} must be a whole number from 1; got ${values[name]}\n`)
  process.exit(2)
}

const { status } = spawnSync('vitest', ['run', 'test/parity/parity.test.ts'], {
  stdio: 'inherit',
  env: {
    ...process.env,
    PARITY_REQUESTS: values.requests,
    PARITY_SEED: values.seed,
    PARITY_ROUTES: values.routes,
  },
})
process.exit(status ?? 1)
