import { spawnSync } from 'node:child_process'

/** A Node.js that runs servers. */
export interface NodeBinary {
  /** Suffix of the names of its contenders; null for the Node.js that runs the benchmark. */
  readonly label: string | null
  readonly path: string
  /** E.g. v24.9.0. */
  readonly version: string
}

export const OWN_NODE: NodeBinary = { label: null, path: process.execPath, version: process.version }

const LABEL = /^[A-Za-z0-9.]+$/

/** Parses `label=path`. Throws for a program that is not Node.js. */
export function parseNode(text: string): NodeBinary {
  const [label = '', ...rest] = text.split('=')
  const path = rest.join('=')
  if (!LABEL.test(label) || path === '') throw new Error(`--node: must be label=path; got ${text}`)
  const { status, stdout } = spawnSync(path, ['--version'], { encoding: 'utf8' })
  const version = status === 0 ? stdout.trim() : ''
  if (!/^v\d/.test(version)) throw new Error(`--node: ${path} is not Node.js`)
  return { label, path, version }
}
