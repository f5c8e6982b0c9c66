// Lints both forms of the gateway's OpenAPI document by the rules of scripts/openapi-lint/rules.mjs. The linters take 80 MB and half
// a minute, so they are not development dependencies: the first run installs them into a separate folder.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { ANSWER_EXAMPLES } from '../src/gateway/rest/openapi/answer-examples.js'
import { buildOpenApi } from '../src/gateway/rest/openapi/openapi.js'
import { VERSION } from '../src/platform/version.js'
import { restSchema } from '../src/schema.js'

const linters = resolve(import.meta.dirname, 'openapi-lint')

/** The documents of a gateway in production. */
const SERVED = {
  version: VERSION,
  serverUrl: 'https://gateway.example.org',
  environment: 'production',
  examples: ANSWER_EXAMPLES,
} as const

install()
const directory = mkdtempSync(join(tmpdir(), 'mdg-openapi-'))
try {
  const codes = await Promise.all((['short', 'full'] as const).map(lint))
  if (codes.some((code) => code !== 0)) process.exitCode = 1
} finally {
  rmSync(directory, { recursive: true })
}

/** Installs the packages of the folder's package-lock.json, without install scripts. */
function install(): void {
  if (existsSync(join(linters, 'node_modules/.package-lock.json'))) return
  const args = ['ci', '--no-audit', '--no-fund', '--ignore-scripts']
  const { status } = spawnSync('npm', args, { cwd: linters, stdio: 'inherit' })
  if (status !== 0) throw new Error(`npm ci failed in ${linters}`)
}

async function lint(form: 'short' | 'full'): Promise<number | null> {
  const file = join(directory, `openapi-${form}.json`)
  writeFileSync(file, JSON.stringify(await buildOpenApi(restSchema, { ...SERVED, form })))
  // Prevent Redocly's library from reporting usage, in case a version starts to.
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
  const child = spawn(process.execPath, ['lint.mjs', file], { cwd: linters, env, stdio: 'inherit' })
  const [code] = await once(child, 'close')
  return code
}
