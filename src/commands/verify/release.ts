import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import type { CommandCall } from '../../control/command-call.js'
import { checkRelease, type ReleaseCheck } from '../../domains/releases/check-release.js'
import { downloadRelease, type ReleaseAddress } from '../../domains/releases/download-release.js'
import { DEFAULT_PRICES } from '../../domains/releases/recompute-prices.js'
import { createHttpClient } from '../../platform/http-client/http-client.js'
import { commandLine } from '../../platform/installation/command-line.js'
import { createLogger } from '../../platform/logger.js'
import { VERSION } from '../../platform/version.js'
import type { CommandWorld } from '../command-world.js'
import { checkReport } from './check-report.js'
import { readKeySet, readOwnKeys } from './read-key-set.js'

const HELP = `Usage: ${commandLine('verify')} release DIRECTORY|URL [--key KEY] [--jwks FILE|URL] [--prices NUMBER|all] [--json]

  DIRECTORY  a release: manifest.json, seal.json and the files that the manifest names
  URL        of a release at a gateway, https://HOST/v1/releases/DATASET/RELEASE, or of a directory that a web server shows;
             its files are downloaded into the directory for temporary files, and removed
  --key      key of the gateway, with the scope bulk:read
  --jwks     key set for the signature, a file or URL such as https://HOST/.well-known/jwks.json; an unsigned release then
             fails. Default: SIGNING_KEY
  --prices   candles: how many consensus prices are computed again from their sources (default: ${DEFAULT_PRICES})
  --json     prints JSON

Exit code 0: unchanged, 1: changed, 2: not checked.
`

/**
 * Runs `verify release`, which checks manifest, signature, files, row counts and a sample of prices. It needs no gateway and no database. Returns
 * 0 if all pass, else 1. Throws if the release cannot be read.
 */
export async function verifyRelease(call: CommandCall, { env }: CommandWorld): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...call.args],
    options: {
      jwks: { type: 'string' },
      key: { type: 'string' },
      prices: { type: 'string' },
      json: { type: 'boolean' },
      help: { type: 'boolean' },
    },
    allowPositionals: true,
  })
  if (values.help) {
    call.out(HELP)
    return 0
  }
  const [what, ...rest] = positionals
  if (what === undefined || rest.length > 0) throw new Error(`give one directory or URL\n\n${HELP}`)
  const base = call.directory ?? process.cwd()
  const { jwks, key = null } = values
  const keys = jwks === undefined ? readOwnKeys(env) : await readKeySet(jwks, base)
  const options = { keys, mustBeSigned: jwks !== undefined, prices: parsePrices(values.prices) }
  const results = /^https?:/.test(what)
    ? await checkDownloaded({ url: what, key }, options)
    : await checkRelease(await realpath(resolve(base, what)), options)
  return checkReport(call, `release ${what}`, { release: what }, results, values.json === true)
}

async function checkDownloaded(
  address: ReleaseAddress,
  options: Parameters<typeof checkRelease>[1],
): Promise<readonly ReleaseCheck[]> {
  const directory = await mkdtemp(join(tmpdir(), 'mdg-verify-'))
  try {
    const http = createHttpClient({
      log: createLogger('silent'), // standard output contains only the result
      userAgent: `market-data-gateway/${VERSION}`,
    })
    return await checkRelease(await downloadRelease(http, address, directory), options)
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

function parsePrices(text: string | undefined): number {
  if (text === undefined) return DEFAULT_PRICES
  if (text === 'all') return Number.MAX_SAFE_INTEGER
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new Error(`--prices must be a whole number or all; got ${JSON.stringify(text.slice(0, 40))}`)
}
