import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { WorldProcess } from '../world-process.js'

/** A compiled gateway and the database that its own code made. */
export interface Gateway {
  /** Prefix of its contenders: `before` has `before-cold`. */
  readonly label: string
  /** dist/main.js. */
  readonly script: string
  readonly world: WorldProcess
}

/** A checkout whose gateway is measured beside this one. */
export interface Checkout {
  readonly label: string
  readonly directory: string
}

/** This tree's gateway. */
export const OWN_LABEL = 'gateway'

const LABEL = /^[a-z][a-z0-9]*$/

/** Reads `label=directory`; throws Error for a label that names another contender and for a checkout not compiled. */
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

/** The script of a compiled checkout; throws Error that says how to compile it. */
export function requireCompiled(directory: string): string {
  const script = join(directory, 'dist/main.js')
  if (!existsSync(script)) {
    throw new Error(`${script} is missing: run npm install in ${directory}`)
  }
  return script
}
