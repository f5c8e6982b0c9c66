import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const ROOT = resolve(import.meta.dirname, '../..')
const CONTENDERS = 'scripts/bench/contenders'
const GATEWAY = 'gateway'

/** Everything that is started, as JavaScript: compiled with the gateway's own options, so that none is favoured. */
export interface Build {
  /** Temporary files of this run. */
  readonly directory: string
  /** dist/main.js. */
  readonly gateway: string
  /** Script of a hand-written contender. */
  contender(name: string): string
  remove(): void
}

/**
 * Compiles the gateway (unless another build is named) and the contenders into a directory of the run's own, so that
 * the tree may change meanwhile; throws Error with the compiler's words.
 */
export function build(gateway: string | null): Build {
  const directory = mkdtempSync(join(tmpdir(), 'mdg-bench-'))
  try {
    symlinkSync(join(ROOT, 'node_modules'), join(directory, 'node_modules'))
    if (gateway === null) compileGateway(join(directory, GATEWAY))
    compileContenders(directory)
    generatePrismaClient(directory)
  } catch (error) {
    rmSync(directory, { recursive: true })
    throw error
  }
  return {
    directory,
    gateway: gateway === null ? join(directory, GATEWAY, 'dist/main.js') : resolve(gateway),
    contender: (name) => join(directory, CONTENDERS, `${name}.js`),
    remove: () => rmSync(directory, { recursive: true, force: true }),
  }
}

/** What a running gateway reads beside its code: its version and the migrations. */
function compileGateway(directory: string): void {
  mkdirSync(directory)
  for (const read of ['package.json', 'prisma'])
    cpSync(join(ROOT, read), join(directory, read), { recursive: true })
  compile(join(ROOT, 'scripts/tsconfig.build.json'), '--outDir', join(directory, 'dist'))
}

function compileContenders(directory: string): void {
  const project = join(directory, 'tsconfig.json')
  writeFileSync(join(directory, 'package.json'), '{ "type": "module" }')
  const options = { noEmit: false, noCheck: true, rootDir: ROOT, outDir: directory }
  const include = [join(ROOT, CONTENDERS, '*.ts')]
  const typeRoots = [join(ROOT, 'node_modules/@types')]
  const compilerOptions = { ...options, typeRoots }
  writeFileSync(
    project,
    JSON.stringify({ extends: join(ROOT, 'tsconfig.json'), compilerOptions, include, exclude: [] }),
  )
  compile(project)
  cpSync(join(ROOT, 'schema.graphql'), join(directory, 'schema.graphql'))
}

/** A client over the same tables with the relations that the gateway's own schema leaves out. */
function generatePrismaClient(directory: string): void {
  const schema = join(directory, 'prisma/schema.prisma')
  mkdirSync(join(directory, 'prisma'))
  cpSync(join(ROOT, CONTENDERS, 'prisma/schema.prisma'), schema)
  run([join(ROOT, 'node_modules/prisma/build/index.js'), 'generate', '--schema', schema])
}

function compile(project: string, ...options: readonly string[]): void {
  run([join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', project, ...options])
}

function run(args: readonly string[]): void {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${args.join(' ')} failed:\n${stdout}${stderr}`)
}
