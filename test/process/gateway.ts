import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { type Agent, type ClientRequest, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { assertNoSecret } from '../support/app/log-secrets.js'
import { copyEmbeddedWorld } from '../support/database/database.js'
import { compiled } from '../support/processes/compiled.js'

const ROOT = resolve(import.meta.dirname, '../..')

/** Longer than a first start takes on a busy machine. */
export const START_MS = 300_000

type Env = Readonly<Record<string, string>>

export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** The gateway in a process of its own, listening on ports that the system chose. */
export interface Gateway {
  readonly pid: number
  readonly url: string
  readonly metricsUrl: string
  /** From spawn to listening. */
  readonly startMs: number
  stdout(): string
  /** The lines of its log so far that have this message. */
  log(msg: string): readonly LogRecord[]
  /** Sends the signal; answers how the process ended, once all that write to its output have. */
  stop(signal: 'SIGTERM' | 'SIGINT' | 'SIGKILL'): Promise<Ended>
  /** How it ended, when it does. */
  readonly ended: Promise<Ended>
}

/** What these tests read of a log line. */
export interface LogRecord {
  readonly msg: string
  readonly worker?: number
  /** `schedule` in its own process. */
  readonly process?: string
  readonly pid?: number
  readonly port?: number
  readonly path?: string
  readonly status?: number
  readonly cause?: string
}

export interface StartOptions {
  /** In a process group of its own, whose id is its pid. */
  readonly isGroup?: boolean
  /** Directory of another compiled gateway: `compileNextRelease`. */
  readonly release?: string
}

interface Running {
  readonly pid: number
  readonly ended: Promise<Ended>
  stdout(): string
  isOver(): boolean
  kill(signal: NodeJS.Signals): void
}

const running = new Set<Running>()
const directories: string[] = []

/** A directory path that does not exist yet. */
export function newDataDir(): string {
  const parent = mkdtempSync(join(tmpdir(), 'gateway-process-'))
  directories.push(parent)
  return join(parent, 'data')
}

/** A data directory whose database holds the seeded world of today already: a start has little to add. */
export async function seededDataDir(): Promise<string> {
  const directory = newDataDir()
  await copyEmbeddedWorld('current', directory)
  return directory
}

/** Ends what a test left running and removes the directories. */
export async function cleanUp(): Promise<void> {
  for (const process of running) process.kill('SIGKILL')
  await Promise.all([...running].map((process) => process.ended))
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true, force: true })
}

/** Runs a file to its end. */
export async function runToEnd(
  file: string,
  args: readonly string[],
  env: Env,
  options: StartOptions = {},
): Promise<Ended> {
  return (await run(file, args, env, options)).ended
}

/**
 * Runs src/main.ts with nothing but this environment; in development it seeds, as most tests want keys. Throws with its
 * output when it ends instead of listening.
 */
export async function startGateway(given: Env, options: StartOptions = {}): Promise<Gateway> {
  const env: Env = given.NODE_ENV === 'production' ? given : { SEED: 'on', ...given }
  await compiled('src/main.ts')
  const began = performance.now()
  const process = await run('src/main.ts', [], env, options)
  for (;;) {
    const line = process.stdout().match(/^\{.*"msg":"listening"\}$/m)?.[0]
    // In development the welcome follows in the same breath; it ends with a command to try.
    if (line && (env.SEED !== 'on' || process.stdout().includes('curl -H'))) {
      const { port, metrics_port } = JSON.parse(line) as { port: number; metrics_port: number } // our own log
      return {
        pid: process.pid,
        url: `http://127.0.0.1:${port}`,
        metricsUrl: `http://127.0.0.1:${metrics_port}`,
        startMs: performance.now() - began,
        stdout: process.stdout,
        log: (msg) => logOf(process.stdout()).filter((record) => record.msg === msg),
        ended: process.ended,
        stop: (signal) => {
          process.kill(signal)
          return process.ended
        },
      }
    }
    if (process.isOver()) {
      const { code, stdout, stderr } = await process.ended
      throw new Error(`the gateway ended with ${code}: ${stderr}${stdout}`)
    }
    await sleep(20)
  }
}

/** Its whole lines of JSON; the welcome text lies between them. */
function logOf(stdout: string): readonly LogRecord[] {
  const lines = stdout.split('\n').slice(0, -1)
  return lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line) as LogRecord) // our own log
}

/** The log; the welcome text of development shows its key. */
function linesOfJson(stdout: string): string {
  return stdout
    .split('\n')
    .filter((line) => line.startsWith('{"level"'))
    .join('\n')
}

/** Numbers of the workers that wrote the lines; undefined: the primary. */
export function workersOf(records: readonly LogRecord[]): readonly (number | undefined)[] {
  return [...new Set(records.map(({ worker }) => worker))].sort()
}

async function run(
  file: string,
  args: readonly string[],
  env: Env,
  { isGroup = false, release }: StartOptions = {},
): Promise<Running> {
  const program = release === undefined ? await compiled(file) : join(release, file.replace(/\.ts$/, '.js'))
  const child = spawn(process.execPath, [program, ...args], {
    cwd: ROOT,
    detached: isGroup,
    env: { PATH: process.env.PATH, PORT: '0', METRICS_PORT: '0', ...env },
  })
  let stdout = ''
  let stderr = ''
  let isOver = false
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk.toString()
  })
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString()
  })
  const ended = new Promise<Ended>((resolve, reject) => {
    child.on('close', (code) => {
      isOver = true
      running.delete(started)
      try {
        assertNoSecret(stderr + linesOfJson(stdout))
        resolve({ code, stdout, stderr })
      } catch (error) {
        reject(error)
      }
    })
  })
  const { pid } = child
  if (pid === undefined) throw new Error(`${file} did not start`)
  const started: Running = {
    pid,
    ended,
    stdout: () => stdout,
    isOver: () => isOver,
    kill: (signal) => void child.kill(signal),
  }
  running.add(started)
  return started
}

export interface Reply<Body> {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** Null where the answer is not JSON. */
  readonly body: Body
}

/** One request on a connection of its own. */
export async function ask<Body>(
  url: string,
  key: string | null,
  init: RequestInit = {},
): Promise<Reply<Body>> {
  const headers = { connection: 'close', ...(key === null ? {} : { 'x-api-key': key }), ...init.headers }
  const response = await fetch(url, { ...init, headers })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.includes('json') === true && text !== ''
  // The caller names the shape it then asserts.
  const body = (isJson ? JSON.parse(text) : null) as Body
  return { status: response.status, headers: response.headers, text, body }
}

const QUERY = '{ forex(quote: "USD", from: "2000-01-01") { rows } }'
const [HEAD, TAIL] = ['{"query":', `${JSON.stringify(QUERY)}}`] as const

/** A request whose body stops half-way, once the gateway has taken its head (`isTaken`), until `finish`; asks how many days of USD rates there are. */
export function beginRequest(gateway: Gateway, key: string, agent: Agent) {
  let outgoing: ClientRequest | undefined
  let take: () => void
  const isTaken = new Promise<void>((resolve) => {
    take = resolve
  })
  const answer = new Promise<{ status: number; text: string }>((resolve, reject) => {
    const headers = {
      'content-type': 'application/json',
      'x-api-key': key,
      'transfer-encoding': 'chunked',
      expect: '100-continue',
    }
    outgoing = request(`${gateway.url}/graphql`, { method: 'POST', headers, agent }, (response) => {
      let text = ''
      response.on('data', (chunk: Buffer) => {
        text += chunk.toString()
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
    })
    outgoing.on('error', reject)
    outgoing.on('continue', () => {
      outgoing?.write(HEAD)
      take()
    })
    outgoing.flushHeaders()
  })
  return { answer, isTaken, finish: () => outgoing?.end(TAIL) }
}
