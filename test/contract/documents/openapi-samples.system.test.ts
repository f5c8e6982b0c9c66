import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccountWithKey } from '../../../src/domains/access/operator.js'
import type { OpenApiDocument } from '../../../src/gateway/rest/openapi/openapi.js'
import { exampleReleases } from '../../domains/releases/example-release.js'
import { startTestApp, type TestApp, TestClock } from '../../support/app/app.js'
import { storeWebhook } from '../../support/app/webhook-world.js'
import { availableDatabases, quickestDatabase } from '../../support/database/database.js'
import { openSqlWorld } from '../../support/database/sql-world.js'
import { startMailServer } from '../../support/peers/mail-server.js'

const run = promisify(execFile)
const ROOT = resolve(import.meta.dirname, '../../..')
const PYTHON = ['/usr/bin/python3', '/usr/local/bin/python3'].find((path) => existsSync(path)) ?? null
const LANGUAGES = ['shell', 'typescript', 'python'] as const
type Language = (typeof LANGUAGES)[number]

interface Sample {
  readonly name: string
  readonly source: string
  /** Its variables; left out: those of everybody. */
  readonly env?: Readonly<Record<string, string>>
}

/** Runs every script of the list and prints what went wrong, in one process. */
const PYTHON_RUNNER = `
import contextlib, io, json, os, sys
failed = []
for sample in json.load(open(sys.argv[1])):
    try:
        os.environ.update(sample.get("env", {}))
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(compile(sample["source"], sample["name"], "exec"), {"__name__": "__main__"})
        if printed.getvalue() == "": failed.append(sample["name"] + ": printed nothing")
    except Exception as error:
        failed.append(f"{sample['name']}: {error!r}")
print("\\n".join(failed))
`

/** What changes something would undo what the next sample needs: each of those has an account of its own. */
const isRead = (method: string, document: string | undefined) =>
  method === 'get' || /^query\b/.test(document ?? '')

/** Logins need a database whose owner may create roles; the embedded one has none. */
const OF_SQL: readonly string[] = [
  'post /v1/billing/sql-credentials',
  'delete /v1/billing/sql-credentials/{credential_id}',
]

/** The variables of the samples for an account of its own, whose key manages keys. */
async function newOwner(own: TestApp, number: number): Promise<Readonly<Record<string, string>>> {
  const { prisma } = own.database
  const email = `owner${number}@example.org`
  const login = { email, password: 'correct horse battery' }
  const { body } = await own.rest<{ readonly access_token: string }>('/auth/register', {
    method: 'POST',
    body: login,
    // Registrations are throttled by address.
    headers: { 'x-forwarded-for': `192.0.2.${number}` },
  })
  const { accountId } = await prisma.account.findFirstOrThrow({ where: { email } })
  await prisma.account.update({ where: { accountId }, data: { tier: 'enterprise', grants: ['admin'] } })
  const newKey = async (label: string) => {
    const made = await own.rest<{ readonly key_id: string; readonly raw_key: string }>('/auth/keys', {
      method: 'POST',
      headers: { authorization: `Bearer ${body.access_token}` },
      body: { label },
    })
    expect(made.status).toBe(201)
    return made.body
  }
  const [first, second] = [await newKey('first'), await newKey('second')]
  const webhookId = await storeWebhook(own.database, accountId)
  return {
    TOKEN: body.access_token,
    KEY: first.raw_key,
    KEY_ID: second.key_id,
    WEBHOOK_ID: webhookId,
  }
}

async function newSqlCredential(own: TestApp, key: string) {
  const made = await own.rest<{ readonly credential_id: string }>('/v1/billing/sql-credentials', {
    method: 'POST',
    key,
    body: {},
  })
  expect(made.status).toBe(201)
  return { CREDENTIAL_ID: made.body.credential_id }
}

let app: TestApp
let releases: Awaited<ReturnType<typeof exampleReleases>>
let directory: string
let env: NodeJS.ProcessEnv
let samples: Readonly<Record<Language, readonly Sample[]>>
let all: Readonly<Record<Language, readonly Sample[]>>
beforeAll(async () => {
  releases = await exampleReleases()
  app = await startTestApp(quickestDatabase(), { env: { BURST_PER_MINUTE: '1000000', ...releases.env } })
  directory = await mkdtemp(join(tmpdir(), 'mdg-samples-'))
  const quota = { quotaMonth: 1_000_000, quotaHour: 1_000_000 }
  const { account_id, raw_key, key_id } = await createAccountWithKey(app.access, {
    tier: 'enterprise',
    grants: ['admin'],
    label: 'samples',
    ...quota,
  })
  const [newest] = await app.database.rows<{ id: string }>(
    'select snapshot_id as id from analysis_snapshot order by generated_at desc limit 1',
  )
  const webhookId = await storeWebhook(app.database, account_id)
  env = {
    ...{ ...process.env, KEY: raw_key, KEY_ID: key_id, SNAPSHOT_ID: newest?.id, WEBHOOK_ID: webhookId },
    RELEASE_ID: releases.named.release_id,
  }
  const { body } = await app.rest<OpenApiDocument>('/openapi-full.json')
  all = byLanguage(body, () => true)
  samples = byLanguage(body, isRead)
}, 60_000)
afterAll(async () => {
  await app?.close()
  await rm(directory, { recursive: true, force: true })
  await releases?.remove()
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
  it('exist for every operation in each language', () => {
    expect(all.shell.length).toBeGreaterThan(140)
    for (const language of LANGUAGES) expect(all[language].length).toBe(all.shell.length)
    expect(samples.shell.length).toBeGreaterThan(130)
  })

  it.for(LANGUAGES)(
    'run as they are printed, those that read (%s)',
    { timeout: 120_000 },
    async (language, { skip }) => {
      skip(language === 'python' && PYTHON === null, 'no python3')
      expect(await failuresOf(language, samples[language])).toEqual([])
    },
  )

  it('are all strict TypeScript', async () => {
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

  it.for(LANGUAGES)(
    'run as they are printed, those that change something (%s)',
    { timeout: 180_000 },
    async (language, { skip }) => {
      skip(language === 'python' && PYTHON === null, 'no python3')
      const mail = await startMailServer({})
      const own = await startTestApp(quickestDatabase(), {
        // In the week after the issue that the sample sends.
        clock: new TestClock(new Date('2026-11-23T12:00:00Z')),
        env: {
          TRUST_PROXY: 'true',
          SMTP_URL: mail.url,
          NEWSLETTER_FROM: 'Market Data <news@gateway.example>',
        },
      })
      try {
        const reads = new Set(samples[language].map(({ name }) => name))
        const changing = all[language].filter(({ name }) => !reads.has(name) && !OF_SQL.includes(name))
        expect(changing.length + OF_SQL.length + reads.size).toBe(all[language].length)
        const prepared = changing.map((sample, index) => preparedFor(own, sample, index + 1))
        expect(await failuresOf(language, await Promise.all(prepared))).toEqual([])
      } finally {
        await own.close()
        await mail.close()
      }
    },
  )

  it.skipIf(!availableDatabases().includes('postgres'))(
    'run as they are printed, those of SQL logins (skipped without PostgreSQL)',
    async () => {
      const world = await openSqlWorld('creator of roles')
      try {
        for (const language of LANGUAGES.filter((name) => name !== 'python' || PYTHON !== null)) {
          const ofSql = all[language].filter(({ name }) => OF_SQL.includes(name))
          expect(ofSql.length).toBe(OF_SQL.length)
          const number = 10 * LANGUAGES.indexOf(language)
          const prepared = ofSql.map((sample, index) => preparedFor(world.app, sample, number + index + 1))
          expect(await failuresOf(language, await Promise.all(prepared))).toEqual([])
        }
      } finally {
        await world.close()
      }
    },
    120_000,
  )

  /** The sample as another gateway prints it, with the variables of an account of its own there. */
  async function preparedFor(own: TestApp, { name, source }: Sample, number: number): Promise<Sample> {
    const env = await newOwner(own, number)
    const credential = OF_SQL.includes(name) ? await newSqlCredential(own, env.KEY ?? '') : {}
    return { name, source: source.replaceAll(app.url, own.url), env: { ...env, ...credential } }
  }

  /** What went wrong, a line each; the samples run one after another. */
  async function failuresOf(language: Language, list: readonly Sample[]): Promise<readonly string[]> {
    const { stdout } = await RUNNERS[language](list)
    return stdout.split('\n').filter((line) => line !== '')
  }

  const RUNNERS: Readonly<Record<Language, (list: readonly Sample[]) => Promise<{ stdout: string }>>> = {
    shell: async (list) => {
      const script = list.map(({ name, source, env: own = {} }) => {
        const exports = Object.entries(own).map(([variable, value]) => `export ${variable}='${value}'`)
        return `( ${[...exports, source].join('\n')} ) > out 2>&1 || echo ${JSON.stringify(name)} "$(head -c 300 out)"`
      })
      await writeFile(join(directory, 'samples.sh'), script.join('\n'))
      return run('bash', ['samples.sh'], { cwd: directory, env })
    },
    typescript: async (list) => {
      const files = await written('run', list)
      const entries = files.map(
        ({ name, file, env: own = {} }) =>
          `['${name}', ${JSON.stringify(own)}, () => import('./${file}?${randomUUID()}')]`,
      )
      const runner = join(directory, 'run.mts')
      await writeFile(
        runner,
        `console.log = () => {}\nfor (const [name, own, load] of [${entries.join(',\n')}] as const) {\n` +
          '  Object.assign(process.env, own)\n' +
          "  await load().catch((error) => process.stdout.write(name + ': ' + error.message + '\\n'))\n}\n",
      )
      return run(process.execPath, ['--import', 'tsx', runner], { cwd: ROOT, env })
    },
    python: async (list) => {
      const file = join(directory, 'python.json')
      await writeFile(file, JSON.stringify(list))
      return run(PYTHON ?? '', ['-c', PYTHON_RUNNER, file], { env })
    },
  }

  async function written(prefix: string, list: readonly Sample[]) {
    const files = list.map((sample, index) => ({ ...sample, file: `${prefix}-${index}.mts` }))
    await Promise.all(files.map(({ file, source }) => writeFile(join(directory, file), source)))
    return files
  }
})
