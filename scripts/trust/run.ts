// Runs long tests of reliability, part by part, and prints one table: what was tried, how often, and what was found.
// npm run trust -- [PART …] [--quick] [--json FILE]; without a part it runs all. Exits with 1 for a finding. Each part
// runs tests of the suite with larger numbers; a killed part counts as a finding.
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { type Figures, parseFigures } from './figures.js'
import { PARTS, type Part } from './parts.js'
import { tableOf } from './table.js'

const ROOT = resolve(import.meta.dirname, '../..')

interface Options {
  readonly parts: readonly Part[]
  readonly isQuick: boolean
  readonly json: string | null
}

function readOptions(): Options {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { quick: { type: 'boolean' }, json: { type: 'string' } },
  })
  const unknown = positionals.filter((name) => !PARTS.some((part) => part.name === name))
  if (unknown.length > 0) {
    throw new Error(
      `unknown part: ${unknown.join(', ')}; use one of: ${PARTS.map(({ name }) => name).join(', ')}`,
    )
  }
  const parts = positionals.length === 0 ? PARTS : PARTS.filter(({ name }) => positionals.includes(name))
  return { parts, isQuick: values.quick ?? false, json: values.json ?? null }
}

async function main(): Promise<void> {
  const { parts, isQuick, json } = readOptions()
  const figures: Figures[] = []
  for (const part of parts) figures.push(...(await figuresOf(part, isQuick)))
  process.stdout.write(`\n${tableOf(figures)}\n`)
  if (json !== null) writeFileSync(json, `${JSON.stringify(figures, null, 2)}\n`)
  if (figures.some(({ findings }) => findings.length > 0)) process.exitCode = 1
}

/** Runs a part. Returns its figures, with a further finding if it failed without one. */
async function figuresOf(part: Part, isQuick: boolean): Promise<readonly Figures[]> {
  const directory = mkdtempSync(join(tmpdir(), 'gateway-trust-'))
  const file = join(directory, 'figures')
  writeFileSync(file, '')
  try {
    process.stdout.write(`\n${part.name}: ${part.what}\n`)
    const startedAt = performance.now()
    const ended = await runPart(part, { ...part.env[isQuick ? 'quick' : 'whole'], TRUST_FIGURES: file })
    const seconds = Math.round((performance.now() - startedAt) / 1_000)
    const noted = parseFigures(readFileSync(file, 'utf8'))
    const isSilent = ended !== 0 && noted.every(({ findings }) => findings.length === 0)
    const own: Figures = {
      part: part.name,
      done: { seconds },
      findings: isSilent ? [`it ended with ${ended}; see its output`] : [],
    }
    return [own, ...noted]
  } finally {
    rmSync(directory, { recursive: true })
  }
}

/** The exit code, or the signal that ended it. */
function runPart(part: Part, env: Readonly<Record<string, string>>): Promise<number | string | null> {
  const child = spawn('npx', ['vitest', 'run', '--hookTimeout', '900000', ...part.tests], {
    cwd: ROOT,
    stdio: 'inherit',
    env: { ...process.env, ...env },
  })
  return new Promise((done, fail) => {
    child.on('error', fail)
    child.on('close', (code, signal) => done(signal ?? code))
  })
}

await main()
