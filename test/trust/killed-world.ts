import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { databaseTarget, loadConfig } from '../../src/config.js'
import { addDays, parseIsoDate } from '../../src/core/time.js'
import { type Database, openDatabase } from '../../src/platform/database/database.js'
import { cleanUp, type Gateway, newDataDir, seededDataDir, startGateway } from '../process/gateway.js'
import { OWN_SECRETS } from '../support/app/secrets.js'
import { copyPostgresWorld, type DatabaseKind, dropPostgresDatabase } from '../support/database/database.js'
import { compiled } from '../support/processes/compiled.js'
import { type Outcome, outcomeOf } from '../support/processes/load.js'

/** Days of the file that is ingested again and again, each time with another rate for all of them. */
export const DAYS = 6_000
const LAST_DAY = '2025-01-01'

/** A command that outlives what it works with for longer than this hangs. */
const COMMAND_MS = 180_000

/** What was acknowledged in one round of load. */
export interface Acknowledged {
  /** Keys that were shown. */
  readonly made: { readonly keyId: string; readonly rawKey: string }[]
  /** Instants of the steady clock at which a metered request was answered. */
  readonly metered: number[]
  /** Metered requests that were sent, answered or not. */
  sent: number
  /** Whether the ingestion said that it succeeded; null: none ran. */
  isIngested: boolean | null
  /** Answers that must not be. */
  readonly wrong: string[]
}

/** An installation whose processes are killed. */
export interface KilledWorld {
  gateway(): Promise<Gateway>
  /** Takes the gateway for gone. */
  forget(): void
  ask(path: string, key: string, init?: RequestInit): Promise<Outcome>
  keyOf(tier: 'pro' | 'growth'): string
  /** Units that the account of the key pro has used this month. */
  usedUnits(): Promise<number>
  /** Ingests the file of a rate in a process of its own. */
  ingest(rate: string): Promise<Command>
  analyse(): Promise<Command>
  inDatabase<T>(work: (database: Database) => Promise<T>): Promise<T>
  remove(): Promise<void>
}

export interface Command {
  readonly child: ChildProcess
  /** How it ended; `hung`: not in time. */
  readonly ended: Promise<number | NodeJS.Signals | 'hung'>
  output(): string
}

export async function newKilledWorld(kind: DatabaseKind): Promise<KilledWorld> {
  const url = kind === 'postgres' ? await copyPostgresWorld('seeded') : ''
  return killedWorld(kind === 'postgres' ? newDataDir() : await seededDataDir(), url)
}

/** On the embedded database in a directory that is there already. */
export function newKilledWorldIn(dataDir: string): KilledWorld {
  return killedWorld(dataDir, '')
}

function killedWorld(dataDir: string, url: string): KilledWorld {
  const files = dirname(newDataDir())
  const env = {
    DATA_DIR: dataDir,
    BURST_PER_MINUTE: '1000000',
    ...(url === '' ? {} : { DATABASE_URL: url, ...OWN_SECRETS }),
  }
  let running: Gateway | null = null
  const gateway = async () => {
    running ??= await startGateway(env)
    return running
  }
  const keyOf = (tier: string) => {
    const keys = JSON.parse(readFileSync(join(dataDir, 'dev-keys.json'), 'utf8')) as Record<string, string>
    return keys[tier] ?? ''
  }
  const ask = async (path: string, key: string, init: RequestInit = {}) =>
    outcomeOf(path, (await gateway()).url + path, {
      ...init,
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
    })
  const command = async (name: string, args: readonly string[]): Promise<Command> => {
    const file = await compiled(`src/commands/${name}.ts`)
    const child = spawn(process.execPath, [file, ...args], { env: { PATH: process.env.PATH, ...env } })
    let text = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => {
        text += chunk.toString()
      })
    }
    return { child, ended: endOf(child), output: () => text }
  }
  return {
    gateway,
    forget: () => {
      running = null
    },
    ask,
    keyOf,
    usedUnits: async () => {
      const { headers } = await ask('/auth/me', keyOf('pro'))
      const policy = (name: string, letter: string) =>
        Number(new RegExp(`"month";${letter}=(\\d+)`).exec(headers.get(name) ?? '')?.[1] ?? Number.NaN)
      return policy('ratelimit-policy', 'q') - policy('ratelimit', 'r')
    },
    ingest: (rate) => {
      const file = join(files, `rates-${rate}.csv`)
      writeFileSync(file, bodyOf(rate))
      return command('ingest', ['ecb-history', '--file', file])
    },
    analyse: () => command('analyse', ['--force', '--type', 'market_context']),
    inDatabase: async (work) => {
      const database = await openDatabase(databaseTarget(loadConfig(env)))
      return work(database).finally(() => database.close())
    },
    remove: async () => {
      await cleanUp()
      if (url !== '') await dropPostgresDatabase(url)
    },
  }
}

function bodyOf(rate: string): string {
  const last = parseIsoDate(LAST_DAY)
  if (last === null) throw new Error(`${LAST_DAY} is no day`)
  const lines = Array.from({ length: DAYS }, (_, back) => `${addDays(last, -back)},${rate},`)
  return ['Date,USD,', ...lines, ''].join('\n')
}

async function endOf(child: ChildProcess): Promise<number | NodeJS.Signals | 'hung'> {
  const ended = new Promise<number | NodeJS.Signals>((resolve) => {
    child.on('close', (code, signal) => resolve(signal ?? code ?? 1))
  })
  const late = new AbortController()
  const hung = sleep(COMMAND_MS, 'hung' as const, { signal: late.signal }).catch(() => 'hung' as const)
  const end = await Promise.race([ended, hung])
  late.abort()
  if (end === 'hung') child.kill('SIGKILL')
  return end
}

/** Metered requests and new keys, all the time until `isOver`. */
export async function loadUntil(
  world: KilledWorld,
  isOver: () => boolean,
  noted: Acknowledged,
): Promise<void> {
  const isFine = (outcome: Outcome, status: number) => {
    if (outcome.status === status) return true
    // The process may be gone, or about to go; nothing else refuses.
    if (outcome.status !== 0 && outcome.status !== 503)
      noted.wrong.push(`${outcome.what}: ${outcome.status} ${outcome.text.slice(0, 200)}`)
    return false
  }
  const read = async (from: number) => {
    for (let day = from; !isOver(); day += 2) {
      const since = addDays('2024-12-31' as Parameters<typeof addDays>[0], -day)
      noted.sent += 1
      if (isFine(await world.ask(`/v1/forex?quote=USD&from=${since}`, world.keyOf('pro')), 200))
        noted.metered.push(performance.now())
      await sleep(5)
    }
  }
  const make = async () => {
    while (!isOver() && noted.made.length < 20) {
      const body = JSON.stringify({ label: `key ${noted.made.length}` })
      const outcome = await world.ask('/auth/keys', world.keyOf('growth'), { method: 'POST', body })
      if (isFine(outcome, 201)) {
        const { key_id, raw_key } = JSON.parse(outcome.text) as { key_id: string; raw_key: string } // a 201
        noted.made.push({ keyId: key_id, rawKey: raw_key })
      }
      await sleep(20)
    }
  }
  await Promise.all([read(0), read(1), make()])
}
