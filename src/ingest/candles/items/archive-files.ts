import { readFile, stat } from 'node:fs/promises'
import { sha256Hex } from '../../../core/canonical-json.js'
import type { HttpClient } from '../../../platform/http-client/http-client.js'
import { UpstreamError } from '../../../platform/http-client/upstream-error.js'
import { IngestError } from '../../feed.js'

/**
 * Answers requests for bulk files from files on disk. `paths`: by the name of the file. One without a checksum file beside it
 * proves itself.
 */
export function archiveFiles(paths: ReadonlyMap<string, string>): HttpClient {
  return {
    request: async ({ url, maxBytes }) => {
      const name = url.slice(url.lastIndexOf('/') + 1)
      const path = paths.get(name.replace(/\.CHECKSUM$/, ''))
      if (path === undefined) return answer(404, new Uint8Array())
      const zip = await readBounded(path, maxBytes)
      if (zip === null) throw new IngestError(`${path} cannot be read: the file does not exist`)
      if (!name.endsWith('.CHECKSUM')) return answer(200, zip)
      const stated = await readBounded(`${path}.CHECKSUM`, maxBytes)
      return answer(200, stated ?? new TextEncoder().encode(sha256Hex(zip)))
    },
  }
}

function answer(status: number, body: Uint8Array) {
  return { status, headers: new Headers(), body }
}

/** Null if the file does not exist. */
async function readBounded(path: string, maxBytes: number): Promise<Uint8Array | null> {
  const facts = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw new IngestError(`${path} cannot be read: ${error.message}`, { cause: error })
  })
  if (facts === null) return null
  if (facts.size > maxBytes) throw new UpstreamError('too_large', `${path} has more than ${maxBytes} bytes`)
  return readFile(path)
}
