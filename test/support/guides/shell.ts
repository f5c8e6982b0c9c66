import { execFile } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { compiled } from '../processes/compiled.js'

/** Longer than any block takes on a busy machine. */
const BLOCK_MS = 60_000

/** What an event stream is watched for. */
const STREAM_SECONDS = 2

export interface ShellResult {
  readonly out: string
  /** Status of each answer that curl got, in order. */
  readonly statuses: readonly number[]
  /** The environment at the end of the block. */
  readonly env: Readonly<Record<string, string>>
}

/**
 * Runs the shell blocks of one guide by bash in one directory, one after the other: what a block has set is there in the next,
 * as in a reader's terminal. `npm run` runs the commands of the gateway as they are compiled for the tests; curl is the real
 * one, and what it was answered is noted. Nothing of the environment of the tests is passed on.
 */
export class GuideShell {
  readonly #directory: string
  readonly #tools: string
  readonly #state: string

  private constructor(directory: string, name: string) {
    this.#directory = directory
    this.#tools = join(directory, 'tools')
    this.#state = join(this.#tools, `${name}.env`)
  }

  static async open(directory: string, name: string): Promise<GuideShell> {
    const shell = new GuideShell(directory, name)
    mkdirSync(shell.#tools, { recursive: true })
    shell.#tool('curl', curlTool(shell.#answers))
    shell.#tool('npm', npmTool(await compiled('src/cli.ts')))
    return shell
  }

  get #answers(): string {
    return join(this.#tools, 'answers')
  }

  /** Throws with the output of a block that does not exit with 0. */
  async run(text: string): Promise<ShellResult> {
    rmSync(this.#answers, { recursive: true, force: true })
    mkdirSync(this.#answers)
    const kept = existsSync(this.#state) ? `. '${this.#state}'` : ''
    const script = `set -euo pipefail; ${kept}\nset -a\n${text}\nexport -p > '${this.#state}'; env -0 > '${this.#state}.0'`
    const out = await this.#bash(script)
    return { out, statuses: this.#statuses(), env: environmentIn(readFileSync(`${this.#state}.0`, 'utf8')) }
  }

  #bash(script: string): Promise<string> {
    const env = { PATH: `${this.#tools}:${process.env.PATH}`, HOME: this.#directory, LANG: 'C.UTF-8' }
    const options = { cwd: this.#directory, env, timeout: BLOCK_MS, maxBuffer: 2 ** 26 }
    return new Promise((resolve, reject) => {
      const child = execFile('bash', ['-c', script], options, (error, stdout, stderr) => {
        if (error === null) resolve(stdout)
        else reject(new Error(`exit ${error.code}\n${stderr.slice(-2_000)}${stdout.slice(-2_000)}`))
      })
      child.stdin?.end()
    })
  }

  /** The last status line of each call: the one before may be of a 100. */
  #statuses(): readonly number[] {
    const files = readdirSync(this.#answers).toSorted()
    return files.map((file) => {
      const lines = readFileSync(join(this.#answers, file), 'utf8').match(/^HTTP\/[\d.]+ \d{3}/gm) ?? []
      return Number(lines.at(-1)?.slice(-3) ?? 0)
    })
  }

  #tool(name: string, text: string): void {
    writeFileSync(join(this.#tools, name), text)
    chmodSync(join(this.#tools, name), 0o755)
  }
}

function environmentIn(text: string): Readonly<Record<string, string>> {
  const entries = text.split('\0').filter((entry) => entry.includes('='))
  return Object.fromEntries(
    entries.map((entry) => [entry.slice(0, entry.indexOf('=')), entry.slice(entry.indexOf('=') + 1)]),
  )
}

/** The curl behind this one on the PATH, with its head of the answer written beside; a stream (-N) is cut off. */
function curlTool(answers: string): string {
  return `#!/bin/bash
real=$(type -ap curl | sed -n 2p)
case " $* " in *" -D "*|*" --dump-header "*) echo 'curl -D: the test needs it itself' >&2; exit 2;; esac
case " $* " in *" -N "*) "$real" -D "$(mktemp '${answers}/'$(date +%s%N).XXXX)" --max-time ${STREAM_SECONDS} "$@"
  code=$?; [ $code = 28 ] && exit 0; exit $code;; esac
exec "$real" -D "$(mktemp '${answers}/'$(date +%s%N).XXXX)" --max-time 30 "$@"
`
}

/** Only what package.json hands to the commands of the gateway; anything else has to be on the list of what is not run. */
function npmTool(cli: string): string {
  return `#!/bin/bash
[ "$1" = run ] && shift || { echo "npm $*: not run by the test" >&2; exit 2; }
[ "$1" = -s ] && shift
command=$1; shift
[ "\${1:-}" = -- ] && shift
case $command in ingest|analyse|key|admin|verify|release) exec '${process.execPath}' '${cli}' "$command" "$@";; esac
echo "npm run $command: not run by the test" >&2; exit 2
`
}
