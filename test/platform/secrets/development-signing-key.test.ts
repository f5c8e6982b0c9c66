import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { loadConfig } from '../../../src/config.js'
import {
  makeDevelopmentSigningKey,
  readDevelopmentSigningKey,
} from '../../../src/platform/secrets/development-signing-key.js'
import { OWN_SECRETS } from '../../support/app/secrets.js'

let dataDir: string
let path: string
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'mdg-signing-'))
  path = join(dataDir, 'dev-signing-key.pem')
})
afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

describe('the signing key of development', () => {
  it('is a file for its owner only, which later processes read', async () => {
    expect(readDevelopmentSigningKey(dataDir)).toBeNull()
    const made = await makeDevelopmentSigningKey(dataDir)
    expect((statSync(path).mode & 0o777).toString(8)).toBe('600')
    expect(readDevelopmentSigningKey(dataDir)?.keyId).toBe(made.keyId)
    expect(loadConfig({ DATA_DIR: dataDir }).signingKey?.keyId).toBe(made.keyId)
  })

  it('is not read where the file is a link or holds something else, and replaces both', async () => {
    const elsewhere = join(dataDir, 'elsewhere.pem')
    await makeDevelopmentSigningKey(dataDir)
    writeFileSync(elsewhere, readFileSync(path))
    rmSync(path)
    symlinkSync(elsewhere, path)
    expect(readDevelopmentSigningKey(dataDir)).toBeNull()
    const kept = readFileSync(elsewhere, 'utf8')
    const made = await makeDevelopmentSigningKey(dataDir)
    expect(readFileSync(elsewhere, 'utf8')).toBe(kept)
    expect(readDevelopmentSigningKey(dataDir)?.keyId).toBe(made.keyId)
    writeFileSync(path, 'null')
    chmodSync(path, 0o644)
    expect(readDevelopmentSigningKey(dataDir)).toBeNull()
    await makeDevelopmentSigningKey(dataDir)
    expect((statSync(path).mode & 0o777).toString(8)).toBe('600')
  })

  it('signs nothing in production, on PostgreSQL, in tests, or where SIGNING_KEY is set', async () => {
    const made = await makeDevelopmentSigningKey(dataDir)
    const keyIdOf = (env: NodeJS.ProcessEnv) => loadConfig({ DATA_DIR: dataDir, ...env }).signingKey?.keyId
    const onPostgres = { DATABASE_URL: 'postgresql://reader@127.0.0.1/other', ...OWN_SECRETS }
    expect(keyIdOf({ NODE_ENV: 'production', ...onPostgres })).toBeUndefined()
    expect(keyIdOf(onPostgres)).toBeUndefined()
    expect(keyIdOf({ NODE_ENV: 'test' })).toBeUndefined()
    const other = keyIdOf({ SIGNING_KEY: Buffer.alloc(32, 7).toString('base64url') })
    expect([other, other === made.keyId]).toEqual([expect.any(String), false])
  })
})
