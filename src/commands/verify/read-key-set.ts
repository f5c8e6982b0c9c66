import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { loadConfig } from '../../config.js'
import { type PublicKey, publicKeySet } from '../../platform/secrets/signing.js'
import { parseKeySet } from './snapshot-checks.js'

/** Reads a key set from a URL, or from a file whose path may be relative to the directory. */
export async function readKeySet(place: string, directory: string): Promise<readonly PublicKey[]> {
  const text = /^https?:/.test(place)
    ? await (await fetch(place)).text()
    : await readFile(resolve(directory, place), 'utf8')
  return parseKeySet(JSON.parse(text))
}

/** The public key of SIGNING_KEY; none without it. */
export function readOwnKeys(env: NodeJS.ProcessEnv): readonly PublicKey[] {
  const { signingKey } = loadConfig(env)
  return publicKeySet(signingKey === null ? [] : [signingKey]).keys
}
