import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'

/** What a gateway is started with and asked with; see World. */
export interface WorldDescription {
  readonly databaseUrl: string
  readonly apiKey: string
  readonly backendPid: number
  readonly serverVersion: string
  readonly secrets: Readonly<Record<string, string>>
}

export interface WorldProcess extends WorldDescription {
  drop(): Promise<void>
}

const MAKER = resolve(import.meta.dirname, 'make-world.ts')

/**
 * Makes the world of a checkout with the code of that checkout, so that migrations, seed and keys are those its
 * gateway knows. Throws Error with what the maker wrote.
 */
export async function startWorld(checkout: string, serverUrl: string): Promise<WorldProcess> {
  const args = ['--import', 'tsx', MAKER, checkout, serverUrl]
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'pipe'] })
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text
  })
  for await (const line of createInterface(child.stdout)) {
    const description = JSON.parse(line) as WorldDescription // written by make-world.ts
    return { ...description, drop: () => drop(child, () => errors) }
  }
  throw new Error(`the world of ${checkout} could not be made:\n${errors}`)
}

async function drop(child: ChildProcess, errors: () => string): Promise<void> {
  if (child.exitCode === null) {
    const ended = once(child, 'exit')
    child.stdin?.end()
    await ended
  }
  if (child.exitCode !== 0) throw new Error(`a database may be left behind:\n${errors()}`)
}
