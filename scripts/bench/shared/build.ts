import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { INSTALLED_KINDS, type ServerKind } from './contenders.js'
import { INSTALLED_DIRECTORY, isInstalled, ROOT } from './installed.js'

const CONTENDERS = 'scripts/bench/contenders'
const GATEWAY = 'gateway'

/** All started programs as JavaScript, compiled with the options of the gateway, so that none has an advantage. */
export interface Build {
  /** Temporary files of this run. */
  readonly directory: string
  /** dist/main.js of this tree. */
  readonly gateway: string
  /** Script of a contender other than the gateway. */
  contender(kind: ServerKind): string
  remove(): void
}

/**
 * Compiles the gateway and the contenders into a directory of this run, so that the tree may change meanwhile. Throws with
 * the compiler's message.
 */
export function build(): Build {
  const directory = mkdtempSync(join(tmpdir(), 'mdg-bench-'))
  try {
    compileGateway(directory)
    compileContenders(directory)
    generatePrismaClient(directory)
  } catch (error) {
    rmSync(directory, { recursive: true })
    throw error
  }
  return {
    directory,
    gateway: join(directory, GATEWAY, 'dist/main.js'),
    contender: (kind) =>
      join(directory, INSTALLED_KINDS.includes(kind) ? INSTALLED_DIRECTORY : CONTENDERS, `${kind}.js`),
    remove: () => rmSync(directory, { recursive: true, force: true }),
  }
}
/**
 * Compiles the gateway of this tree into a directory below `parent`, with its version and the migrations. Returns its
 * dist/main.js.
 */
export function compileGateway(parent: string): string {
  const directory = join(parent, GATEWAY)
  mkdirSync(directory)
  symlinkSync(join(ROOT, 'node_modules'), join(parent, 'node_modules'))
  for (const read of ['package.json', 'prisma'])
    cpSync(join(ROOT, read), join(directory, read), { recursive: true })
  compile(join(ROOT, 'scripts/tsconfig.build.json'), '--outDir', join(directory, 'dist'))
  return join(directory, 'dist/main.js')
}

function compileContenders(directory: string): void {
  const project = join(directory, 'tsconfig.json')
  writeFileSync(join(directory, 'package.json'), '{ "type": "module" }')
  const options = { noEmit: false, noCheck: true, rootDir: ROOT, outDir: directory }
  const own = isInstalled() ? [join(ROOT, INSTALLED_DIRECTORY, '*.ts')] : []
  const include = [join(ROOT, CONTENDERS, '*.ts'), ...own]
  const typeRoots = [join(ROOT, 'node_modules/@types')]
  const compilerOptions = { ...options, typeRoots }
  writeFileSync(
    project,
    JSON.stringify({ extends: join(ROOT, 'tsconfig.json'), compilerOptions, include, exclude: [] }),
  )
  compile(project)
  if (isInstalled()) {
    const packages = join(INSTALLED_DIRECTORY, 'node_modules')
    symlinkSync(join(ROOT, packages), join(directory, packages))
  }
  cpSync(join(ROOT, 'schema.graphql'), join(directory, 'schema.graphql'))
}

/** Generates a client for the same tables, with relations that the gateway's schema does not have. */
function generatePrismaClient(directory: string): void {
  const schema = join(directory, 'prisma/schema.prisma')
  mkdirSync(join(directory, 'prisma'))
  cpSync(join(ROOT, CONTENDERS, 'prisma/schema.prisma'), schema)
  run([join(ROOT, 'node_modules/prisma/build/index.js'), 'generate', '--schema', schema])
}

function compile(project: string, ...options: readonly string[]): void {
  run([join(ROOT, 'node_modules/typescript-compiler/bin/tsc'), '-p', project, ...options])
}

function run(args: readonly string[]): void {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${args.join(' ')} failed:\n${stdout}${stderr}`)
}
