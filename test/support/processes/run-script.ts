import { spawn } from 'node:child_process'
import { resolve } from 'node:path'
import { compiled } from './compiled.js'

const ROOT = resolve(import.meta.dirname, '../../..')

export interface Printed {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/** Runs a script of the project to its end, in a process of its own that starts in the project's directory. */
export async function runScript(
  file: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<Printed> {
  const child = spawn(process.execPath, [await compiled(file), ...args], { cwd: ROOT, env })
  let out = ''
  let err = ''
  child.stdout.on('data', (chunk: Buffer) => {
    out += chunk.toString()
  })
  child.stderr.on('data', (chunk: Buffer) => {
    err += chunk.toString()
  })
  const code = await new Promise<number | null>((done) => child.on('close', done))
  return { code, out, err }
}
