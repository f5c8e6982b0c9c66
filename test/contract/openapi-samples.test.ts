import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccountWithKey } from '../../src/domains/access/operator.js'
import type { OpenApiDocument } from '../../src/rest/openapi/openapi.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { quickestDatabase } from '../support/database.js'

const run = promisify(execFile)
const ROOT = resolve(import.meta.dirname, '../..')
const PYTHON = ['/usr/bin/python3', '/usr/local/bin/python3'].find((path) => existsSync(path)) ?? null
const LANGUAGES = ['shell', 'typescript', 'python'] as const
type Language = (typeof LANGUAGES)[number]

interface Sample {
  readonly name: string
  readonly source: string
}

/** Runs every script of the list and prints what went wrong, in one process. */
const PYTHON_RUNNER = `
import contextlib, io, json, os, sys
failed = []
for sample in json.load(open(sys.argv[1])):
    try:
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(compile(sample["source"], sample["name"], "exec"), {"__name__": "__main__"})
        if printed.getvalue() == "": failed.append(sample["name"] + ": printed nothing")
    except Exception as error:
        failed.append(f"{sample['name']}: {error!r}")
print(json.dumps(failed))
`

/** What changes something would undo what the next sample needs: those are compiled and not run. */
const isRead = (method: string, document: string | undefined) =>
  method === 'get' || /^query\b/.test(document ?? '')

let app: TestApp
let directory: string
let env: NodeJS.ProcessEnv
let samples: Readonly<Record<Language, readonly Sample[]>>
let all: Readonly<Record<Language, readonly Sample[]>>
beforeAll(async () => {
  app = await startTestApp(quickestDatabase(), { env: { BURST_PER_MINUTE: '1000000' } })
  directory = await mkdtemp(join(tmpdir(), 'mdg-samples-'))
  const quota = { quotaMonth: 1_000_000, quotaHour: 1_000_000 }
  const { raw_key, key_id } = await createAccountWithKey(app.access, {
    tier: 'enterprise',
    grants: ['admin'],
    label: 'samples',
    ...quota,
  })
  const [newest] = await app.database.rows<{ id: string }>(
    'select snapshot_id as id from analysis_snapshot order by generated_at desc limit 1',
  )
  env = { ...process.env, KEY: raw_key, KEY_ID: key_id, SNAPSHOT_ID: newest?.id }
  const { body } = await app.rest<OpenApiDocument>('/openapi.json')
  all = byLanguage(body, () => true)
  samples = byLanguage(body, isRead)
}, 60_000)
afterAll(async () => {
  await app?.close()
  await rm(directory, { recursive: true, force: true })
})

interface Printed {
  readonly 'x-codeSamples': readonly { readonly lang: string; readonly source: string }[]
  readonly 'x-graphql'?: { readonly document: string }
}

/** The address of the document is that of a configured gateway; the one under test listens on a port of its own. */
function byLanguage(document: OpenApiDocument, wanted: typeof isRead) {
  const configured = `http://${app.config.host}:${app.config.port}`
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      path,
      method,
      operation: operation as unknown as Printed,
    })),
  )
  const of = (language: Language) =>
    operations
      .filter(({ method, operation }) => wanted(method, operation['x-graphql']?.document))
      .map(({ path, method, operation }) => {
        const source = operation['x-codeSamples'].find(({ lang }) => lang === language)?.source ?? ''
        expect(source, `${method} ${path} in ${language}`).toContain(configured)
        return { name: `${method} ${path}`, source: source.replaceAll(configured, app.url) }
      })
  return { shell: of('shell'), typescript: of('typescript'), python: of('python') }
}

describe('samples of the OpenAPI document', () => {
  it('are there for every operation, in each language', () => {
    expect(all.shell.length).toBeGreaterThan(140)
    for (const language of LANGUAGES) expect(all[language].length).toBe(all.shell.length)
    expect(samples.shell.length).toBeGreaterThan(130)
  })

  it('run in a shell as they are printed, those that read', async () => {
    const script = samples.shell
      .map(
        ({ name, source }) => `( ${source} ) > out 2>&1 || { echo ${JSON.stringify(name)}; cat out; echo; }`,
      )
      .join('\n')
    await writeFile(join(directory, 'samples.sh'), script)
    const { stdout } = await run('bash', ['samples.sh'], { cwd: directory, env })
    expect(stdout).toBe('')
  }, 120_000)

  it('run in Node as they are printed, those that read', async () => {
    const failed = join(directory, 'run.mts')
    const files = await written('read', samples.typescript)
    const imports = files.map(({ name, file }) => `['${name}', () => import('./${file}')]`).join(',\n')
    await writeFile(
      failed,
      `console.log = () => {}\nfor (const [name, load] of [${imports}] as const)\n` +
        "  await load().catch((error) => process.stdout.write(name + ': ' + error.message + '\\n'))\n",
    )
    const { stdout } = await run(process.execPath, ['--import', 'tsx', failed], { cwd: ROOT, env })
    expect(stdout).toBe('')
  }, 120_000)

  it('are strict TypeScript, all of them', async () => {
    const files = await written('strict', all.typescript)
    const options = { strict: true, noEmit: true, target: 'es2023', lib: ['es2023'], module: 'nodenext' }
    const typeRoots = [join(ROOT, 'node_modules/@types')]
    const config = {
      compilerOptions: { ...options, types: ['node'], typeRoots, skipLibCheck: true },
      files: files.map(({ file }) => file),
    }
    await writeFile(join(directory, 'tsconfig.json'), JSON.stringify(config))
    const tsc = join(ROOT, 'node_modules/typescript-compiler/bin/tsc')
    const { stdout } = await run(process.execPath, [tsc, '-p', directory]).catch((error) => error)
    expect(stdout).toBe('')
  }, 120_000)

  it.skipIf(PYTHON === null)(
    `run in Python as they are printed, those that read${PYTHON === null ? ' (skipped: no python3)' : ''}`,
    async () => {
      const list = join(directory, 'python.json')
      await writeFile(list, JSON.stringify(samples.python))
      const { stdout } = await run(PYTHON ?? '', ['-c', PYTHON_RUNNER, list], { env })
      expect(JSON.parse(stdout)).toEqual([])
    },
    120_000,
  )

  it.each(LANGUAGES)(
    'of what changes something parse, and name the credential that they need (%s)',
    async (language) => {
      const reads = new Set(samples[language].map(({ name }) => name))
      const changing = all[language].filter(({ name }) => !reads.has(name))
      expect(changing.length).toBeGreaterThan(10)
      if (language === 'shell') {
        const script = changing.map(({ source }) => `bash -n <<'SAMPLE'\n${source}\nSAMPLE`).join('\n')
        expect((await run('bash', ['-c', script])).stderr).toBe('')
      }
      for (const { name, source } of changing)
        expect(source, name).toMatch(/\$(KEY|TOKEN)|process\.env|os\.environ|\/auth\/(register|login)/)
    },
  )

  async function written(prefix: string, list: readonly Sample[]) {
    const files = list.map(({ name, source }, index) => ({ name, source, file: `${prefix}-${index}.mts` }))
    await Promise.all(files.map(({ file, source }) => writeFile(join(directory, file), source)))
    return files
  }
})
