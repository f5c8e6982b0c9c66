import { execFile, spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { inject } from 'vitest'
import { onceForRun } from '../../support/vitest/once-for-run.js'

const ROOT = resolve(import.meta.dirname, '../../..')

/** Longer than a program takes on a busy machine. */
const PROGRAM_MS = 120_000

const hasModules = (python: string, modules: string) =>
  spawnSync(python, ['-c', `import ${modules}`]).status === 0

/** The first Python with pandas, venv and the builder of packages: that of Debian with `python3-pandas python3-venv flit`. */
const PYTHON =
  ['python3', '/usr/bin/python3'].find((python) => hasModules(python, 'pandas, ensurepip, flit_core')) ?? null

/** Where it is absent, the tests of the Python client are skipped; with REQUIRE_SERVICES=1 they run, and fail. */
export const MAY_RUN_PYTHON_CLIENT = PYTHON !== null || process.env.REQUIRE_SERVICES === '1'
if (!MAY_RUN_PYTHON_CLIENT)
  process.stderr.write('no python3 with pandas, venv and flit_core: tests of the Python client are skipped\n')

/** Whether the programs of this package can import a module. */
export const isInstalledInPython = (module: string) => PYTHON !== null && hasModules(PYTHON, module)

/** The package, written by `npm run client -- --python`, and its wheel, installed in an environment that has pandas; once for the run. */
export class InstalledPythonClient {
  readonly home = join(inject('runDirectory'), 'python-client')
  readonly written = join(this.home, 'written')
  readonly #python = join(this.home, 'venv/bin/python')

  async install(): Promise<void> {
    await onceForRun('python-client', async () => {
      mkdirSync(this.home, { recursive: true })
      writeFileSync(join(this.home, 'printed'), await this.write(this.written))
      await this.createEnvironment('venv', ['--system-site-packages'])
      await this.installInto('venv', this.distribution('.whl'))
    })
  }

  /** Writes the package into another directory. Returns what the command printed. */
  write(directory: string): Promise<string> {
    return run('npm', ['run', '-s', 'client', '--', '--python', directory], ROOT)
  }

  /** What `npm run client` printed. */
  get printed(): string {
    return readFileSync(join(this.home, 'printed'), 'utf8')
  }

  distribution(ending: string): string {
    const directory = join(this.written, 'dist')
    return join(directory, readdirSync(directory).find((name) => name.endsWith(ending)) ?? '')
  }

  async createEnvironment(name: string, options: readonly string[]): Promise<void> {
    await run(PYTHON ?? 'python3', ['-m', 'venv', ...options, join(this.home, name)], this.home)
  }

  /** Installs without a package index: what asks for another package fails. */
  installInto(environment: string, file: string): Promise<string> {
    const options = ['--no-index', '--no-build-isolation', '--disable-pip-version-check', '--quiet']
    return run(
      join(this.home, environment, 'bin/python'),
      ['-m', 'pip', 'install', ...options, file],
      this.home,
    )
  }

  /** What a program prints. Its warnings are errors. */
  start(
    text: string,
    { env = {}, environment }: { env?: Readonly<Record<string, string>>; environment?: string } = {},
  ): Promise<string> {
    const python = environment === undefined ? this.#python : join(this.home, environment, 'bin/python')
    return run(python, ['-W', 'error', '-c', text], this.home, env)
  }
}

/** Rejects with all that the program wrote. */
async function run(
  program: string,
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const options = { cwd, env: { ...process.env, ...env }, maxBuffer: 2 ** 26, timeout: PROGRAM_MS }
  const ran = await promisify(execFile)(program, args, options).catch(
    (error: { message: string; stdout?: string; stderr?: string }) => {
      throw new Error(`${error.message}\n${error.stdout}\n${error.stderr}`)
    },
  )
  return ran.stdout
}
