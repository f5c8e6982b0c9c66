import type { IncomingMessage } from 'node:http'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'

/** The body of a response, decompressed. Rejects where the connection ends before it. */
export function receivedText(response: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    response.on('data', (chunk: Buffer) => chunks.push(chunk))
    response.on('error', reject)
    response.on('end', () => {
      try {
        resolve(decoded(Buffer.concat(chunks), response.headers['content-encoding']))
      } catch (error) {
        reject(error)
      }
    })
  })
}

function decoded(bytes: Buffer, coding: string | undefined): string {
  if (bytes.length === 0 || coding === undefined) return bytes.toString()
  if (coding === 'gzip') return gunzipSync(bytes).toString()
  if (coding === 'br') return brotliDecompressSync(bytes).toString()
  throw new Error(`the content coding is ${coding}`)
}
