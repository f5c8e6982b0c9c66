import { execFile, spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { promisify } from 'node:util'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { VERSION } from '../../../src/platform/version.js'
import { availableDatabases, dropPostgresDatabase } from '../../support/database/database.js'
import { blocksOfGuide } from '../../support/guides/blocks.js'
import { databaseStatements, installationScript } from '../../support/guides/installation.js'
import { type RecordingProxy, startRecordingProxy } from '../../support/peers/recording-proxy.js'
import { findRegistry } from '../../support/registry.js'

const ROOT = resolve(import.meta.dirname, '../../..')
const RECORDER = resolve(ROOT, 'test/support/processes/record-connections.cjs')

/** What the package is made from; `src/generated` and `dist` are made again. */
const SOURCES = [
  ...['src', 'scripts', 'prisma', 'prisma.config.ts', 'tsconfig.json', 'schema.graphql'],
  ...['package.json', 'package-lock.json', 'README.md', 'CHANGELOG.md', 'LICENSE'],
]

/** Two lines of the file that the European Central Bank publishes. */
const RATES = 'Date,USD,JPY,\n2026-03-05,1.1618,183.03,\n2026-03-04,1.1649,183.02,\n'

/** Downloads, with an empty cache and on a busy machine. */
const INSTALL_MS = 600_000
const MAX_MIB = 248

const hasPostgres = availableDatabases().includes('postgres')
const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0

const registry = await findRegistry('the test of the package')

describe.skipIf(!registry.isReachable)('the package of npm pack', { timeout: INSTALL_MS }, () => {
  const home = mkdtempSync(join(tmpdir(), 'mdg-install-'))
  const recording = join(home, 'connections')
  const installed = join(home, 'installed/node_modules/market-data-gateway')
  const dataDir = join(home, 'data')
  let proxy: RecordingProxy
  /** What npm printed when it installed the package. */
  let installation: { readonly stdout: string; readonly stderr: string }
  let env: NodeJS.ProcessEnv

  const run = (command: string, args: readonly string[], cwd: string) =>
    promisify(execFile)(command, args, { cwd, env, maxBuffer: 2 ** 26 })
  const program = (...args: readonly string[]) =>
    run(join(home, 'installed/node_modules/.bin/market-data-gateway'), args, home)

  beforeAll(async () => {
    proxy = await startRecordingProxy([new URL(registry.url).hostname])
    writeFileSync(recording, '')
    env = {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      // A registry of one's own may have a certificate of one's own.
      NODE_EXTRA_CA_CERTS: process.env.NODE_EXTRA_CA_CERTS,
      ...{ HTTP_PROXY: proxy.url, HTTPS_PROXY: proxy.url, http_proxy: proxy.url, https_proxy: proxy.url },
      ...{ NODE_OPTIONS: `--require ${RECORDER}`, RECORDED_CONNECTIONS: recording },
      ...{ DATA_DIR: dataDir, PORT: '0', METRICS_PORT: '0', npm_config_registry: registry.url },
    }
    const checkout = copySources(join(home, 'checkout'))
    await run('npm', ['pack', '--pack-destination', home], checkout)
    mkdirSync(join(home, 'installed'))
    const tarball = join(home, `market-data-gateway-${VERSION}.tgz`)
    const quiet = ['--prefer-offline', '--no-audit', '--no-fund']
    installation = await run('npm', ['install', '--omit=dev', ...quiet, tarball], join(home, 'installed'))
  }, INSTALL_MS)
  afterAll(async () => {
    await proxy?.close()
    rmSync(home, { recursive: true, force: true })
  })

  it('holds compiled code with its data, its dependencies, the migrations and the schema, but no build tools', () => {
    expect(readdirSync(installed).sort()).toEqual([
      ...['CHANGELOG.md', 'LICENSE', 'README.md', 'dist', 'node_modules', 'package.json', 'prisma'],
      ...['sbom.cdx.json', 'schema.graphql', 'scripts'],
      'third-party-licenses.txt',
    ])
    expect(readdirSync(join(installed, 'prisma'))).toEqual(['migrations'])
    expect(readdirSync(join(installed, 'scripts')).sort()).toEqual(['kubernetes', 'monitoring', 'systemd'])
    const files = filesBelow(join(installed, 'dist'))
    expect(files.filter((name) => !/\.(js|json)$/.test(name))).toEqual([])
    expect(files).toContain('generated/prisma/client.js')
    expect(files).toContain('ingest/providers/reference/stocks.json')
  })

  it('has exactly the versions of the lock file, each in the bill of materials with its hash', () => {
    const locked = readJson(join(ROOT, 'package-lock.json')) as {
      readonly packages: Readonly<Record<string, Locked>>
    }
    const known = new Map(
      Object.entries(locked.packages).map(([path, { version, optional = false }]) => [
        `${path.replace(/^.*node_modules\//, '')}@${version}`,
        optional,
      ]),
    )
    const found = packagesBelow(join(home, 'installed/node_modules'))
    const others = found.filter((name) => !name.startsWith('market-data-gateway@'))
    expect(others.length).toBeGreaterThan(100)
    expect(others.filter((name) => !known.has(name))).toEqual([])
    const bill = readJson(join(installed, 'sbom.cdx.json')) as BillOfMaterials
    expect([bill.bomFormat, bill.metadata.component.name, bill.metadata.component.version]).toEqual([
      ...['CycloneDX', 'market-data-gateway', VERSION],
    ])
    const listed = new Map(
      bill.components.map(({ group, name, version, hashes }) => [
        `${group === undefined ? '' : `${group}/`}${name}@${version}`,
        hashes?.length ?? 0,
      ]),
    )
    expect(others.filter((name) => (listed.get(name) ?? 0) === 0)).toEqual([])
    // Parts for other systems than this one.
    expect([...listed.keys()].filter((name) => !others.includes(name) && known.get(name) !== true)).toEqual(
      [],
    )
  })

  it('is made for this version of Node.js, as all its dependencies are', () => {
    expect(installation.stdout + installation.stderr).not.toContain('EBADENGINE')
  })

  it(`installs no development tool, and takes less than ${MAX_MIB} MiB in all`, () => {
    const packages = join(home, 'installed/node_modules')
    const bundled = join(installed, 'node_modules')
    const tools = ['prisma', 'typescript', 'typescript-compiler', 'tsx', 'vitest', '@scarf', 'effect']
    expect(
      tools.filter((name) => existsSync(join(packages, name)) || existsSync(join(bundled, name))),
    ).toEqual([])
    expect(mebibytesOf(packages)).toBeLessThan(MAX_MIB)
  })

  it('names its commands as they are called where it is installed', async () => {
    expect((await program('--version')).stdout).toBe(`${VERSION}\n`)
    expect((await program('ingest', '--help')).stdout).toContain('Usage: market-data-gateway ingest <feed>')
  })

  it('says how to install OpenTelemetry if a collector is configured without it, before it opens anything', async () => {
    const started = promisify(execFile)(
      join(home, 'installed/node_modules/.bin/market-data-gateway'),
      ['start'],
      {
        cwd: home,
        env: { ...env, DATA_DIR: join(home, 'other'), OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' },
      },
    )
    const error = await started.then(
      () => null,
      (reason: { readonly code: number; readonly stderr: string }) => reason,
    )
    expect(error?.code).toBe(1)
    expect(error?.stderr).toMatch(
      /^OTEL_EXPORTER_OTLP_ENDPOINT is set, but OpenTelemetry is not installed\. Install it next to the gateway: npm install @opentelemetry\/api@\d/,
    )
    expect(existsSync(join(home, 'other'))).toBe(false)
  })

  it('ingests a file, starts, serves the ingested data and its pages', async () => {
    writeFileSync(join(home, 'rates.csv'), RATES)
    await program('admin', 'migrate')
    const ingested = await program('ingest', 'ecb-history', '--file', 'rates.csv')
    expect(ingested.stdout).toContain('ecb-history')
    await whileStarted(async (url) => {
      const { pro } = JSON.parse(readFileSync(join(dataDir, 'dev-keys.json'), 'utf8')) as { pro: string }
      const path = '/v1/forex?quote=USD&from=2026-03-01&to=2026-03-31'
      const answer = (await (await fetch(url + path, { headers: { 'x-api-key': pro } })).json()) as Forex
      expect(answer.data.map(({ date, rate }) => [date, rate]).sort()).toEqual([
        ['2026-03-04', 1.1649],
        ['2026-03-05', 1.1618],
      ])
      expect(answer.source).toBe('ecb')
      const page = await (await fetch(`${url}/docs`)).text()
      const ours = [...page.matchAll(/<script[^>]* src="([^"]+)"/g)].map(([, script]) => script ?? '')
      const [, scalar = ''] = /"scriptPath":"([^"]+)"/.exec(page) ?? []
      const scripts = [...ours, scalar]
      expect(scripts).toHaveLength(3)
      for (const script of scripts) expect((await fetch(url + script)).status).toBe(200)
    })
  })

  describe.skipIf(!hasPostgres)(
    'the package, installed by the commands of the guide on the first day,',
    () => {
      const etc = join(home, 'etc')
      let databaseUrl: string
      let printed: string
      let own: NodeJS.ProcessEnv
      beforeAll(async () => {
        mkdirSync(etc)
        const name = `mdg_first_day_${randomBytes(4).toString('hex')}`
        const server = new URL(inject('postgresUrl') ?? expect.fail('no PostgreSQL'))
        for (const sql of databaseStatements(blocksOfGuide('first-day'), name)) await asSuperuser(sql)
        databaseUrl = `postgresql://${name}:PASSWORD@${server.host}/${name}`
        const bin = join(home, 'installed/node_modules/.bin')
        own = { PATH: `${bin}:${process.env.PATH}`, HOME: home, PORT: '0', METRICS_PORT: '0' }
        const packages = join(home, 'installed/node_modules')
        const script = `set -euo pipefail\n${installationScript({ packages, etc, databaseUrl })}`
        const options = { cwd: home, env: own }
        printed = (await promisify(execFile)('bash', ['-c', script], options)).stdout
      }, INSTALL_MS)
      afterAll(async () => {
        await dropPostgresDatabase(databaseUrl)
        await asSuperuser(`drop role "${new URL(databaseUrl).username}"`)
      })

      it('becomes a ready gateway with a first administrator', async () => {
        const line = printed.split('\n').find((each) => each.startsWith('{"key_id"'))
        const { raw_key } = JSON.parse(line ?? expect.fail(printed)) as { raw_key: string } // our own output
        const start = `set -a; . ${etc}/market-data-gateway.env; set +a; exec market-data-gateway start`
        const child = spawn('bash', ['-c', start], { cwd: home, env: own })
        try {
          const port = await listeningPort(child.stdout)
          const url = `http://127.0.0.1:${port}`
          expect((await fetch(`${url}/readyz`)).status).toBe(200)
          // What only an administrator may, without doing it.
          const headers = { 'x-api-key': raw_key, 'x-dry-run': 'cost', 'content-type': 'application/json' }
          const body = JSON.stringify({ issue_id: '2026-W47' })
          const asked = await fetch(`${url}/v1/newsletter/send`, { method: 'POST', headers, body })
          expect(asked.status).toBe(200)
        } finally {
          child.kill('SIGKILL')
        }
      })

      it.skipIf(!hasSystemd).each(['.service', '-backup.service', '-backup.timer'])(
        'has the unit market-data-gateway%s, which systemd accepts',
        async (ending) => {
          const unit = join(etc, `market-data-gateway${ending}`)
          const { stderr } = await promisify(execFile)('systemd-analyze', ['verify', unit])
          expect(stderr).not.toContain(`market-data-gateway${ending}:`)
        },
      )

      it('writes a backup by the command of its unit, and keeps files of two weeks', async () => {
        const unit = readFileSync(join(etc, 'market-data-gateway-backup.service'), 'utf8')
        const [, command = expect.fail(unit)] = /^ExecStart=\/bin\/sh -ec '(.+)'$/m.exec(unit) ?? []
        const backups = join(home, 'backups')
        mkdirSync(backups)
        for (const [name, days] of [
          ['old.backup', 15],
          ['killed.backup.partial', 15],
          ['new.backup', 3],
        ] as const) {
          writeFileSync(join(backups, name), '')
          const at = new Date(Date.now() - days * 86_400_000)
          utimesSync(join(backups, name), at, at)
        }
        const script = command.replaceAll('$$', '$').replaceAll('%%', '%')
        const run = `set -a; . ${etc}/market-data-gateway.env; set +a; exec sh -ec '${script}'`
        await promisify(execFile)('bash', ['-c', run], { cwd: backups, env: own })
        const [written, ...others] = readdirSync(backups).sort()
        expect(written).toMatch(/^\d{8}T\d{6}Z\.backup$/)
        expect(others).toEqual(['new.backup'])
      })
    },
  )

  it('was packed, installed and run with requests to the npm registry only', async () => {
    expect(proxy.hosts().filter((host) => host !== `${new URL(registry.url).hostname}:443`)).toEqual([])
    const connections = () => readFileSync(recording, 'utf8').split('\n').filter(Boolean)
    const local = [new URL(proxy.url).host, `localhost:${new URL(proxy.url).port}`]
    expect(connections().filter((address) => !local.includes(address))).toEqual([])
    // Whatever a process asks for is in that file.
    const ask = "fetch('http://nowhere.invalid:81/').catch(() => {})"
    await run(process.execPath, ['-e', ask], home)
    expect(connections().at(-1)).toBe('nowhere.invalid:81')
  })

  /** Starts the installed gateway, does the work with its address, and stops it. */
  async function whileStarted(work: (url: string) => Promise<void>): Promise<void> {
    const child = spawn(join(home, 'installed/node_modules/.bin/market-data-gateway'), ['start'], { env })
    const closed = new Promise<number | null>((done) => child.on('close', done))
    let errors = ''
    child.stderr.on('data', (chunk: Buffer) => {
      errors += chunk.toString()
    })
    try {
      for await (const line of createInterface({ input: child.stdout })) {
        const [, url] = /REST docs +(http:\S+)\/docs$/.exec(line) ?? []
        if (url !== undefined) {
          child.stdout.resume()
          await work(url)
          child.kill('SIGTERM')
          break
        }
      }
      expect([await closed, errors]).toEqual([0, ''])
    } finally {
      child.kill('SIGKILL')
    }
  }
})

/** The port of the gateway whose log is read. */
async function listeningPort(log: Readable): Promise<number> {
  for await (const line of createInterface({ input: log })) {
    if (!line.includes('"msg":"listening"')) continue
    log.resume()
    return (JSON.parse(line) as { readonly port: number }).port // our own log
  }
  return expect.fail('the gateway ended')
}

interface Locked {
  readonly version?: string
  readonly optional?: boolean
}

interface BillOfMaterials {
  readonly bomFormat: string
  readonly metadata: { readonly component: { readonly name: string; readonly version: string } }
  readonly components: readonly {
    readonly group?: string
    readonly name: string
    readonly version: string
    readonly hashes?: readonly unknown[]
  }[]
}

interface Forex {
  readonly source: string
  readonly data: readonly { readonly date: string; readonly rate: number }[]
}

/** As a clone has them, with the packages of this checkout beside them: as links to the same files where the disk allows it. */
function copySources(directory: string): string {
  for (const name of SOURCES) {
    const filter = (path: string) => relative(ROOT, path) !== join('src', 'generated')
    cpSync(join(ROOT, name), join(directory, name), { recursive: true, filter })
  }
  const packages = [join(ROOT, 'node_modules'), join(directory, 'node_modules')] as const
  if (spawnSync('cp', ['-al', ...packages]).status !== 0)
    cpSync(...packages, { recursive: true, force: true })
  return directory
}

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(path, 'utf8'))
}

/** Every package in a directory of packages and in those of its packages, as name@version. */
function packagesBelow(directory: string): readonly string[] {
  if (!existsSync(directory)) return []
  return readdirSync(directory).flatMap((name) => {
    if (name.startsWith('.')) return []
    const path = join(directory, name)
    if (name.startsWith('@')) return packagesBelow(path)
    const { name: own, version } = readJson(join(path, 'package.json')) as { name: string; version: string }
    return [`${own}@${version}`, ...packagesBelow(join(path, 'node_modules'))]
  })
}

function filesBelow(directory: string): readonly string[] {
  const names = readdirSync(directory, { recursive: true }).map(String)
  return names.filter((name) => lstatSync(join(directory, name)).isFile())
}

/** What it takes on the disk, as du counts. */
function mebibytesOf(directory: string): number {
  const paths = ['', ...readdirSync(directory, { recursive: true }).map(String)]
  const blocks = paths.reduce((sum, name) => sum + lstatSync(join(directory, name)).blocks, 0)
  return (blocks * 512) / 2 ** 20
}

async function asSuperuser(sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: inject('postgresUrl') ?? expect.fail('no PostgreSQL') })
  await client.connect()
  await client.query(sql).finally(() => client.end())
}
