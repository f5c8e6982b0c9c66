import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { z } from 'zod'
import { loadConfig } from '../../config.js'
import type { CommandCall } from '../../control/command-call.js'
import type { Snapshot } from '../../domains/analysis/model.js'
import { loadPreviousHashes } from '../../domains/analysis/snapshots/proof-store.js'
import { loadSnapshotsById } from '../../domains/analysis/snapshots/snapshot-store.js'
import type { Queries } from '../../platform/database/database.js'
import { commandLine } from '../../platform/installation/command-line.js'
import { snapshotKeySet } from '../../platform/installation/snapshot-key-set.js'
import type { PublicKey } from '../../platform/secrets/signing.js'
import { type CommandWorld, withStoredData } from '../command-world.js'
import { checkReport } from './check-report.js'
import { isSnapshotId } from './needs-database.js'
import { readKeySet, readOwnKeys } from './read-key-set.js'
import { checkSnapshot, SnapshotRecord } from './snapshot-checks.js'

export const SNAPSHOT_HELP = `Usage: ${commandLine('verify')} snapshot UUID|FILE [options]

  UUID    a snapshot of the gateway at --url, else of the configured database
  FILE    JSON from GraphQL: a snapshot with snapshot_id, generated_at and immutability { content_text, content_hash,
          sequence, chain_hash, previous_chain_hash, signature, signing_key_id }, or a whole response with it
  --jwks  key set for the signature, a file or URL; an unsigned snapshot then fails. Default: the key set of the
          gateway at --url, else the keys of the configured database for a UUID, and SIGNING_KEY for a file
  --url   URL of a gateway; needs --key with the scope ai:read
  --json  prints JSON

Exit code 0: unchanged, 1: changed, 2: not checked.
`

interface Gateway {
  readonly url: string
  readonly key: string
}

/**
 * Runs `verify snapshot`, which checks canonical form, content hash, chain hash and signature. Returns 0 if all pass, else 1.
 * Throws if the snapshot is not available.
 */
export async function verifySnapshot(call: CommandCall, world: CommandWorld): Promise<number> {
  const { values, positionals } = readOptions(call.args)
  if (values.help) {
    call.out(SNAPSHOT_HELP)
    return 0
  }
  const [what, ...rest] = positionals
  if (what === undefined || rest.length > 0) throw new Error(`give one UUID or file\n\n${SNAPSHOT_HELP}`)
  const { url, key, jwks } = values
  if ((url === undefined) !== (key === undefined)) throw new Error('give both --url and --key, or neither')
  const gateway = url === undefined || key === undefined ? null : { url, key }
  const directory = call.directory ?? process.cwd()
  const places = { gateway, world, directory }
  const record = await readRecord(what, places)
  const keys = await readKeys(what, jwks, places)
  const results = checkSnapshot(record, keys, jwks !== undefined)
  const { snapshot_id } = record
  return checkReport(call, `snapshot ${snapshot_id}`, { snapshot_id }, results, values.json === true)
}

function readOptions(args: readonly string[]) {
  const text = { type: 'string' } as const
  const flag = { type: 'boolean' } as const
  return parseArgs({
    args: [...args],
    options: { jwks: text, url: text, key: text, json: flag, help: flag },
    allowPositionals: true,
  })
}

/** The sources of a record and of keys. */
interface Places {
  readonly gateway: Gateway | null
  readonly world: CommandWorld
  /** Directory for relative paths. */
  readonly directory: string
}

async function readRecord(what: string, { gateway, world, directory }: Places): Promise<SnapshotRecord> {
  if (!isSnapshotId(what)) return parseRecord(JSON.parse(await readFile(resolve(directory, what), 'utf8')))
  if (gateway !== null) return askedRecord(what, gateway)
  return withStoredData(world, (database) => storedRecord(what, database))
}

/** The snapshot, or a response with the snapshot as its only root field. */
function parseRecord(json: unknown): SnapshotRecord {
  const answer = typeof json === 'object' && json !== null && 'data' in json ? json.data : null
  const inner = typeof answer === 'object' && answer !== null ? Object.values(answer)[0] : json
  const parsed = SnapshotRecord.safeParse(inner)
  if (parsed.success) return parsed.data
  const faults = parsed.error.issues.map(({ path, message }) => `  - ${path.join('.')}: ${message}`)
  throw new Error(`this snapshot cannot be checked:\n${faults.join('\n')}`)
}

async function storedRecord(snapshotId: string, queries: Queries): Promise<SnapshotRecord> {
  const [snapshot] = (await loadSnapshotsById(queries.prisma, [snapshotId], null)).values()
  if (snapshot === undefined) throw new Error(`unknown snapshot ${snapshotId}`)
  const previous = await loadPreviousHashes(queries, [snapshotId])
  return recordOf(snapshot, previous.get(snapshot.snapshotId) ?? null)
}

function recordOf(snapshot: Snapshot, previousChainHash: string | null): SnapshotRecord {
  return {
    snapshot_id: snapshot.snapshotId,
    generated_at: snapshot.generatedAt.toISOString(),
    content: snapshot.content,
    immutability: {
      content_text: snapshot.contentText,
      content_hash: snapshot.contentHash,
      sequence: snapshot.sequence,
      chain_hash: snapshot.chainHash,
      previous_chain_hash: previousChainHash,
      signature: snapshot.signature,
      signing_key_id: snapshot.signingKeyId,
    },
  }
}

/** The document whose response has the format of the file. */
export const SNAPSHOT_QUERY = `query ($id: String!) {
  ai_analysis_snapshot(snapshot_id: $id) {
    snapshot_id generated_at content
    immutability {
      content_text content_hash sequence chain_hash previous_chain_hash signature signing_key_id
    }
  }
}`

async function askedRecord(id: string, { url, key }: Gateway): Promise<SnapshotRecord> {
  const response = await fetch(new URL('/graphql', url), {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': key },
    body: JSON.stringify({ query: SNAPSHOT_QUERY, variables: { id } }),
  })
  const answer = z.object({ errors: z.array(z.object({ message: z.string() })).optional() })
  const json: unknown = await response.json()
  const message = answer.safeParse(json).data?.errors?.[0]?.message
  if (message !== undefined) throw new Error(message)
  return parseRecord(json)
}

async function readKeys(
  what: string,
  jwks: string | undefined,
  { gateway, world, directory }: Places,
): Promise<readonly PublicKey[]> {
  const place = jwks ?? (gateway === null ? null : new URL('/.well-known/jwks.json', gateway.url).href)
  if (place === null) {
    // Checking a file needs no database.
    if (!isSnapshotId(what)) return readOwnKeys(world.env)
    const config = loadConfig(world.env)
    return withStoredData(world, (database) => snapshotKeySet(config, database)).then(({ keys }) => keys)
  }
  return readKeySet(place, directory)
}
