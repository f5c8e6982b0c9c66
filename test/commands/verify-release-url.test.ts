import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { runRelease } from '../../src/commands/release/run.js'
import { runVerify } from '../../src/commands/verify/run.js'
import { parseSigningKey, publicKeySet } from '../../src/platform/secrets/signing.js'
import { copyEmbeddedWorld } from '../support/database/database.js'
import { runCommand } from '../support/processes/run-command.js'

const SEED = 'nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A'
const KEY = 'mdg_test_key'

let home: string
let env: NodeJS.ProcessEnv
let releaseId: string
let server: Server
let url: string
/** Answers instead of the web server; true: it answered. */
let intercept: (path: string, request: IncomingMessage, response: ServerResponse) => boolean
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'mdg-verify-url-'))
  await copyEmbeddedWorld('seeded', join(home, 'data'))
  env = {
    DATA_DIR: join(home, 'data'),
    SIGNING_KEY: SEED,
    RELEASES_LOCATION: join(home, 'releases'),
    TMPDIR: home,
  }
  await writeFile(join(home, 'jwks.json'), JSON.stringify(publicKeySet([parseSigningKey(SEED)])))
  await runCommand(runRelease, ['--dataset', 'forex'], env)
  releaseId = readdirSync(join(home, 'releases', 'forex'))[0] ?? expect.fail('nothing was written')
  server = createServer((request, response) => {
    const path = new URL(request.url ?? '', 'http://localhost').pathname
    if (!intercept(path, request, response)) answerWith(response, join(home, 'releases', path))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
beforeEach(() => {
  intercept = () => false
})
afterAll(async () => {
  server.closeAllConnections()
  server.close()
  await rm(home, { recursive: true, force: true })
})

function answerWith(response: ServerResponse, path: string): void {
  if (existsSync(path)) response.end(readFileSync(path))
  else response.writeHead(404).end('not found')
}

/** As the gateway answers: the manifest with its seal, and files for the key. */
function answerAsGateway(path: string, request: IncomingMessage, response: ServerResponse): boolean {
  const directory = join(home, 'releases', 'forex', releaseId)
  const read = (name: string) => readFileSync(join(directory, name), 'utf8')
  const [, name] = /\/files\/([^/]+)$/.exec(path) ?? []
  if (path === `/v1/releases/forex/${releaseId}`) {
    const seal = JSON.parse(read('seal.json')) as object
    response.end(JSON.stringify({ ...seal, canonical_manifest: read('manifest.json') }))
  } else if (request.headers['x-api-key'] !== KEY) response.writeHead(403).end()
  else answerWith(response, join(directory, name ?? ''))
  return true
}

const verify = (place: string, ...args: string[]) =>
  runCommand(runVerify, ['release', place, '--jwks', join(home, 'jwks.json'), ...args], env)
const failed = (out: string) =>
  (
    JSON.parse(out) as { readonly checks: readonly { readonly check: string; readonly passed: boolean }[] }
  ).checks
    .filter(({ passed }) => !passed)
    .map(({ check }) => check)

describe('verify release URL', () => {
  it('checks a directory on a web server, and leaves no file behind', async () => {
    const address = `${url}/forex/${releaseId}`
    const checked = await verify(address)
    expect(checked).toMatchObject({ code: 0, err: '' })
    expect(checked.out).toContain(`release ${address}\n  manifest      ok\n`)
    expect(checked.out).toMatch(/files {9}ok\n {2}rows {10}ok\n[\s\S]*unchanged\n$/)
    expect(
      readdirSync(tmpdir()).filter((name) => name.startsWith('mdg-verify-') && !home.endsWith(name)),
    ).toEqual([])
  })

  it('checks a release of a gateway with a key', async () => {
    intercept = answerAsGateway
    const address = `${url}/v1/releases/forex/${releaseId}`
    expect(await verify(address, '--key', KEY)).toMatchObject({ code: 0, err: '' })
    const refused = await verify(address)
    expect(refused.code).toBe(2)
    expect(refused.err).toMatch(
      /the server answered 403; files of a gateway need --key with the scope bulk:read\n$/,
    )
  })

  it('finds a file that is missing, changed or longer', async () => {
    const address = `${url}/forex/${releaseId}`
    const answers: Readonly<Record<string, (response: ServerResponse) => void>> = {
      missing: (response) => response.writeHead(404).end('not found'),
      changed: (response) => response.end('x'),
      longer: (response) => response.end(Buffer.alloc(2 ** 20)),
    }
    for (const answer of Object.values(answers)) {
      intercept = (path, _, response) => {
        if (!path.endsWith('2026.parquet')) return false
        answer(response)
        return true
      }
      const { code, out } = await verify(address, '--json')
      expect([code, failed(out)]).toEqual([1, ['files']])
    }
  })

  it('does not check what is not there or does not answer', async () => {
    expect(await verify(`${url}/forex/none`)).toMatchObject({
      code: 2,
      err: `${url}/forex/none: there is no release\n`,
    })
    expect((await verify('http://127.0.0.1:1/forex/none')).code).toBe(2)
    intercept = (_, __, response) => {
      response.end('{}')
      return true
    }
    expect((await verify(`${url}/forex/${releaseId}`)).code).toBe(2)
  })
})
