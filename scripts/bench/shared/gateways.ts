import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { WorldProcess } from '../world-process.js'

/** A compiled gateway and the database that its code created. */
export interface Gateway {
  /** Prefix of its contenders: `before` gives `before-cold`. */
  readonly label: string
  /** dist/main.js. */
  readonly script: string
  readonly world: WorldProcess
}

/** Another checkout whose gateway is measured too. */
export interface Checkout {
  readonly label: string
  readonly directory: string
}

/** The gateway of this tree. */
export const OWN_LABEL = 'gateway'

const LABEL = /^[a-z][a-z0-9]*$/

/** Parses `label=directory`. Throws for the label of another contender and for a checkout that is not compiled. */
export function parseCheckout(text: string, usedLabels: readonly string[]): Checkout {
  const [label = '', ...rest] = text.split('=')
  const directory = resolve(rest.join('='))
  if (!LABEL.test(label) || rest.length === 0) {
    throw new Error(`--gateway: must be label=checkout with a label of small letters and digits; got ${text}`)
  }
  if (usedLabels.includes(label)) throw new Error(`--gateway: ${label} is the name of another contender`)
  requireCompiled(directory)
  return { label, directory }
}

/** The script of a compiled checkout. Otherwise it throws and says how to compile it. */
export function requireCompiled(directory: string): string {
  const script = join(directory, 'dist/main.js')
  if (!existsSync(script)) {
    throw new Error(`${script} is missing: run npm install in ${directory}`)
  }
  return script
}
