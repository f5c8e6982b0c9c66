// Runs the steps of the Dockerfile in a clean directory without Docker: builds the build stage, copies the files of the
// image, starts it and runs its health check. npm run check -- image
import { spawn, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { type Instruction, parseStages, type Stage } from './image/dockerfile.js'

const ROOT = resolve(import.meta.dirname, '..')
const root = mkdtempSync(join(tmpdir(), 'mdg-image-'))
const dockerfile = readFileSync(join(ROOT, 'Dockerfile'), 'utf8')
const [build, image] = parseStages(dockerfile)

/** Maps a path of the image to the clean directory. */
const inside = (path: string, workdir = '/') => join(root, resolve(workdir, path))

/** Runs the instructions of a stage. Skips those that need root. */
function play({ instructions }: Stage, isBuild: boolean): void {
  let workdir = '/'
  for (const { name, text, words } of instructions) {
    if (name === 'WORKDIR') {
      workdir = resolve(workdir, text)
      mkdirSync(inside(workdir), { recursive: true })
    }
    if (name === 'COPY') copy(words, workdir)
    if (name === 'RUN' && isBuild) runShell(text, inside(workdir))
  }
}

function copy(words: readonly string[], workdir: string): void {
  const isFromStage = words[0]?.startsWith('--from=') === true
  const paths = isFromStage ? words.slice(1) : words
  const target = paths.at(-1) ?? ''
  for (const source of paths.slice(0, -1)) {
    const to = inside(target.endsWith('/') ? join(target, basename(source)) : target, workdir)
    // Docker ignores these: generated files must not make the build succeed.
    const filter = (path: string) => isFromStage || !path.startsWith(join(ROOT, 'src/generated'))
    cpSync(isFromStage ? inside(source) : join(ROOT, source), to, {
      recursive: true,
      filter,
      verbatimSymlinks: true,
    })
  }
}

function runShell(command: string, cwd: string): void {
  process.stderr.write(`RUN ${command}\n`)
  const { status } = spawnSync('sh', ['-c', command], { cwd, stdio: ['ignore', 2, 2] })
  if (status !== 0) throw new Error(`RUN ${command} ended with ${status}`)
}

/** Starts the image with its own database, runs the health check and stops it. Throws if one of these fails. */
async function start({ instructions }: Stage): Promise<void> {
  const program = inside('/usr/local/lib/node_modules/market-data-gateway/dist/cli.js')
  const env = {
    ...{ PATH: process.env.PATH, PORT: '0', METRICS_PORT: '0', DATA_DIR: inside('/var/lib/data') },
    // Nothing listens there. The start fails only if the packages for telemetry are missing.
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
  }
  const child = spawn(process.execPath, [program, 'start'], {
    env,
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = new Promise<number | null>((done) => child.on('close', done))
  for await (const line of createInterface({ input: child.stdout })) {
    const { msg, port } = JSON.parse(line.startsWith('{') ? line : '{}') as { msg?: string; port?: number } // our log
    if (msg === 'listening') {
      child.stdout.resume()
      checkHealth(instructions, String(port))
      child.kill('SIGTERM')
      break
    }
  }
  const code = await ended
  if (code !== 0) throw new Error(`the gateway ended with ${code}`)
}

function checkHealth(instructions: readonly Instruction[], port: string): void {
  const { text = '' } = instructions.find(({ name }) => name === 'HEALTHCHECK') ?? {}
  const [node, ...args] = JSON.parse(text.slice(text.indexOf('['))) as string[] // Docker's JSON form is of strings
  const statusAt = (at: string) =>
    spawnSync(String(node), args, { env: { PATH: process.env.PATH, PORT: at } }).status
  if (statusAt(port) !== 0) throw new Error('the health check fails on a gateway that listens')
  if (statusAt('9') !== 1) throw new Error('the health check passes although nothing listens')
}

try {
  if (build === undefined || image === undefined) throw new Error('the Dockerfile must have two stages')
  play(build, true)
  play(image, false)
  await start(image)
  const size = spawnSync('du', ['-sm', inside('/usr/local/lib/node_modules')], { encoding: 'utf8' })
  process.stdout.write(
    `The image's program starts and is healthy; its files take ${size.stdout.split('\t')[0]} MB.\n`,
  )
} finally {
  rmSync(root, { recursive: true, force: true })
}
