import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CompactSign } from 'jose'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { canonicalJson, contentHash } from '../../../src/core/canonical-json.js'
import {
  InstalledPythonClient,
  isInstalledInPython,
  MAY_RUN_PYTHON_CLIENT,
} from './installed-python-client.js'

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
const FILES: Readonly<Record<string, Buffer>> = {
  '2025.parquet': randomBytes(300_000),
  '2026.parquet': randomBytes(100_000),
}
const { publicKey, privateKey } = generateKeyPairSync('ed25519')
const JWKS = { keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'k1' }] }

interface Manifest {
  readonly dataset: string
  readonly files: readonly { readonly name: string; readonly sha256: string; readonly bytes: number }[]
}

const MANIFEST: Manifest = {
  dataset: 'forex',
  files: Object.entries(FILES).map(([name, bytes]) => ({ name, sha256: sha256(bytes), bytes: bytes.length })),
}

/** What the played gateway says about a release. */
function sealed(manifest: Manifest, signature: string | null | undefined = undefined) {
  const text = canonicalJson(manifest)
  const content_hash = contentHash(manifest)
  const own = sign(null, Buffer.from(text), privateKey).toString('base64url')
  return {
    release_id: `20261120T120000.000Z-${content_hash.slice(7, 19)}`,
    content_hash,
    signature: signature === undefined ? own : signature,
    signing_key_id: signature === null ? null : 'k1',
    manifest,
    canonical_manifest: text,
  }
}

describe.runIf(MAY_RUN_PYTHON_CLIENT)('releases.download of the Python client', { timeout: 120_000 }, () => {
  const installed = new InstalledPythonClient()
  let server: Server
  let answer: ReturnType<typeof sealed>
  let target: string
  let ranges: (string | undefined)[]
  /** Sends a file. The default knows ranges. */
  let sendFile: (bytes: Buffer, request: IncomingMessage, response: ServerResponse) => void
  beforeAll(() => installed.install(), 600_000)
  beforeEach(async () => {
    answer = sealed(MANIFEST)
    ranges = []
    sendFile = sendRange
    target = mkdtempSync(join(tmpdir(), 'python-releases-'))
    server = createServer((request, response) => {
      const path = `/v1/releases/forex/${answer.release_id}`
      if (request.url === path) return response.end(JSON.stringify(answer))
      if (request.url === '/.well-known/jwks.json') return response.end(JSON.stringify(JWKS))
      if (request.url === '/v1/releases?dataset=forex')
        return response.end(JSON.stringify({ data: [{ release_id: answer.release_id }] }))
      const bytes = FILES[request.url?.slice(`${path}/files/`.length) ?? '']
      if (bytes === undefined)
        return response.writeHead(404).end('{"error": "not_found", "message": "no file"}')
      ranges.push(request.headers.range)
      return sendFile(bytes, request, response)
    }).listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
  })
  afterEach(() => {
    server.closeAllConnections()
    rmSync(target, { recursive: true })
  })

  function sendRange(bytes: Buffer, { headers: { range } }: IncomingMessage, response: ServerResponse): void {
    const start = Number(/^bytes=(\d+)-$/.exec(range ?? '')?.[1] ?? 0)
    if (range === undefined) response.writeHead(200, { 'content-length': bytes.length }).end(bytes)
    else {
      const part = bytes.subarray(start)
      const contentRange = `bytes ${start}-${bytes.length - 1}/${bytes.length}`
      response.writeHead(206, { 'content-range': contentRange, 'content-length': part.length }).end(part)
    }
  }

  async function download(options = '', before = ''): Promise<string> {
    const { port } = server.address() as AddressInfo // it listens on a TCP port
    const program = `
${before}
from market_data_gateway import Client, GatewayError
client = Client("http://127.0.0.1:${port}", key="k")
[release] = client.releases.list("forex")
try:
    found = client.releases.download("forex", release["release_id"], ${JSON.stringify(target)}${options})
    print(found.signature, [file.name for file in found.files], found.content_hash == ${JSON.stringify(answer.content_hash)})
except (GatewayError, OSError) as error:
    print(type(error).__name__, error)
`
    return (await installed.start(program)).trim()
  }
  const directory = () => join(target, 'forex', answer.release_id)
  const stored = (name: string) => readFileSync(join(directory(), name))
  const GOOD =
    /^(valid|not checked: the package cryptography is not installed) \['2025.parquet', '2026.parquet'\] True$/

  it('writes files, manifest and seal, and keeps complete files the next time', async () => {
    expect(await download()).toMatch(GOOD)
    expect(readdirSync(directory()).toSorted()).toEqual([
      '2025.parquet',
      '2026.parquet',
      'manifest.json',
      'seal.json',
    ])
    for (const [name, bytes] of Object.entries(FILES)) expect(stored(name).equals(bytes)).toBe(true)
    expect(stored('manifest.json').toString()).toBe(answer.canonical_manifest)
    const { manifest: _, canonical_manifest: __, ...seal } = answer
    expect(JSON.parse(stored('seal.json').toString())).toEqual(seal)
    writeFileSync(join(directory(), '2025.parquet'), 'changed')
    expect(await download()).toMatch(GOOD)
    expect(stored('2025.parquet').equals(FILES['2025.parquet'] ?? Buffer.of())).toBe(true)
    expect(ranges.length).toBe(3)
  })

  it('verifies a receipt, and finds a changed answer, receipt and key', async (context) => {
    if (!isInstalledInPython('cryptography')) context.skip('needs the Python package cryptography')
    const receipted = '{"data":[{"rate":1.1}]}'
    const claims = { body_sha256: sha256(Buffer.from(receipted)), instant: '2026-11-20T12:00:00.000Z' }
    const receipt = await new CompactSign(Buffer.from(JSON.stringify(claims)))
      .setProtectedHeader({ alg: 'EdDSA', kid: 'k1', typ: 'market-data-receipt' })
      .sign(privateKey)
    const program = `
from market_data_gateway import VerificationFailed, verify_receipt
receipt, answer, jwks = ${JSON.stringify(receipt)}, ${JSON.stringify(receipted)}, ${JSON.stringify(JWKS)}
print(verify_receipt(receipt, answer.encode(), jwks)["instant"])
head, payload, signature = receipt.split(".")
for given in [
    (receipt, answer + " ", jwks),
    (".".join([head, payload[:-1], signature]), answer, jwks),
    (".".join([head, payload, signature[::-1]]), answer, jwks),
    (receipt, answer, {"keys": []}),
    ("no receipt", answer, jwks),
]:
    try:
        print(verify_receipt(*given))
    except VerificationFailed as error:
        print(error)
`
    expect((await installed.start(program)).trim().split('\n')).toEqual([
      claims.instant,
      'the answer is not the one that the receipt was given for',
      expect.stringMatching(/^the (text is not a receipt|signature of the receipt is not valid)$/),
      'the signature of the receipt is not valid',
      'the gateway has no key k1 in /.well-known/jwks.json',
      'the text is not a receipt',
    ])
  })

  it('goes on where a connection broke, as often as there is progress', async () => {
    let sent = 0
    sendFile = (bytes, request, response) => {
      // Each connection ends after 60 kB: more often than a request without progress is repeated.
      const start = Number(/\d+/.exec(request.headers.range ?? '0')?.[0])
      if (bytes.length - start <= 60_000) return sendRange(bytes, request, response)
      const status = start === 0 ? 200 : 206
      const contentRange = `bytes ${start}-${bytes.length - 1}/${bytes.length}`
      response.writeHead(status, { 'content-range': contentRange, 'content-length': bytes.length - start })
      response.write(bytes.subarray(start, start + 60_000), () => setTimeout(() => response.destroy(), 50))
      sent += 1
    }
    expect(await download()).toMatch(GOOD)
    expect(sent).toBeGreaterThan(4)
    expect(ranges.filter((range) => range !== undefined).length).toBeGreaterThan(4)
    expect(stored('2025.parquet').equals(FILES['2025.parquet'] ?? Buffer.of())).toBe(true)
  })

  it('begins again once if an earlier part does not fit, and works without ranges', async () => {
    await download()
    rmSync(join(directory(), '2026.parquet'))
    writeFileSync(join(directory(), '2026.parquet.part'), 'of another release')
    expect(await download()).toMatch(GOOD)
    rmSync(join(directory(), '2026.parquet'))
    writeFileSync(join(directory(), '2026.parquet.part'), 'of another release')
    sendFile = (bytes, _request, response) => response.end(bytes)
    expect(await download()).toMatch(GOOD)
    expect(ranges.slice(2)).toEqual(['bytes=18-', undefined, 'bytes=18-'])
  })

  it('follows a redirect to an object store, which does not get the key', async () => {
    const keys: (string | undefined)[] = []
    const store = createServer((request, response) => {
      keys.push(request.headers['x-api-key'] as string | undefined)
      sendRange(FILES[request.url?.slice('/bucket/'.length) ?? ''] ?? Buffer.of(), request, response)
    }).listen(0, '127.0.0.1')
    await new Promise((resolve) => store.once('listening', resolve))
    const { port } = store.address() as AddressInfo // it listens on a TCP port
    sendFile = (bytes, _request, response) => {
      const name = Object.keys(FILES).find((each) => FILES[each] === bytes)
      response.writeHead(302, { location: `http://127.0.0.1:${port}/bucket/${name}` }).end()
    }
    expect(await download()).toMatch(GOOD)
    expect(keys).toEqual([undefined, undefined])
    sendFile = (_bytes, _request, response) =>
      response.writeHead(302, { location: 'file:///etc/passwd' }).end()
    rmSync(join(directory(), '2026.parquet'))
    expect(await download()).toBe('ConnectionFailed The gateway redirected to an address that is not HTTP.')
    store.closeAllConnections()
    store.close()
  })

  it('refuses a file that differs or is longer, and leaves no manifest', async () => {
    sendFile = (bytes, request, response) => sendRange(Buffer.alloc(bytes.length), request, response)
    expect(await download()).toBe('VerificationFailed 2025.parquet does not have the SHA-256 of the manifest')
    sendFile = (bytes, _request, response) => response.end(Buffer.concat([bytes, bytes]))
    expect(await download()).toBe('VerificationFailed 2025.parquet is longer than the manifest says')
    expect(readdirSync(directory())).not.toContain('manifest.json')
  })

  it('refuses a manifest with another hash, another dataset, or names that lead elsewhere', async () => {
    const cited = await download(', content_hash="sha256:0"')
    expect(cited).toMatch(/^VerificationFailed 2026\S+ has the hash sha256:\w+, not sha256:0$/)
    answer = { ...answer, canonical_manifest: answer.canonical_manifest.replace('forex', 'forey') }
    expect(await download()).toMatch(/^VerificationFailed the manifest of \S+ has the hash/)
    answer = sealed({ ...MANIFEST, dataset: 'candles' })
    expect(await download()).toMatch(/^VerificationFailed the manifest of \S+ is of candles, not of forex$/)
    const [file] = MANIFEST.files
    for (const name of ['../x.parquet', '/tmp/x.parquet', 'x.parquet\n', '.parquet']) {
      answer = sealed({ dataset: 'forex', files: [{ sha256: '', bytes: 0, ...file, name }] })
      expect(await download()).toMatch(/^VerificationFailed the manifest names a file /)
    }
    expect(readdirSync(target)).toEqual(['forex'])
  })

  it('checks the signature where cryptography is installed, and says where it was not checked', async () => {
    const hidden = 'import sys; sys.modules["cryptography"] = None'
    expect(await download('', hidden)).toMatch(/^not checked: the package cryptography is not installed \[/)
    answer = sealed(MANIFEST, null)
    expect(await download()).toMatch(/^not signed \[/)
    answer = sealed(MANIFEST, sign(null, Buffer.from('other'), privateKey).toString('base64url'))
    const isChecked =
      (await installed.start(
        'import importlib.util; print(importlib.util.find_spec("cryptography") is not None)',
      )) === 'True\n'
    expect(await download()).toMatch(
      isChecked ? /^VerificationFailed the signature of \S+ is not valid$/ : /^not checked: /,
    )
  })
})
