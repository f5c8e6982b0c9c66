import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadConfig } from '../../src/config.js'

const PEPPER = 'p'.repeat(40)
const JWT_KEYS = `k1:${'a'.repeat(43)}`

describe('settings in files', () => {
  let directory: string
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'setting-files-'))
  })
  afterAll(() => rmSync(directory, { recursive: true }))

  const file = (name: string, text: string) => {
    const path = join(directory, name)
    writeFileSync(path, text)
    return path
  }

  it('have the value of the file without its last line break', () => {
    const production = {
      NODE_ENV: 'production',
      DATABASE_URL_FILE: file('url', 'postgresql://u:p@db.example/gateway\r\n'),
      KEY_PEPPER_FILE: file('pepper', `${PEPPER}\n`),
      JWT_KEYS_FILE: file('jwt', JWT_KEYS),
      RPC_URLS_1_FILE: file('rpc', 'https://node.example/secret\n'),
    }
    const config = loadConfig(production)
    expect([config.keyPepper, config.jwtKeys, config.databaseUrl]).toEqual([
      PEPPER,
      JWT_KEYS,
      'postgresql://u:p@db.example/gateway',
    ])
    expect([...config.rpcUrls.values()]).toEqual([['https://node.example/secret']])
  })

  it('come from the credentials of systemd; files of other programs in it are not read', () => {
    const credentials = join(directory, 'credentials')
    mkdirSync(credentials)
    writeFileSync(join(credentials, 'KEY_PEPPER'), `${PEPPER}\n`)
    writeFileSync(join(credentials, 'tls.pem'), 'not ours')
    expect(loadConfig({ CREDENTIALS_DIRECTORY: credentials }).keyPepper).toBe(PEPPER)
    expect(() => loadConfig({ CREDENTIALS_DIRECTORY: credentials, KEY_PEPPER: PEPPER })).toThrow(
      'credential KEY_PEPPER: KEY_PEPPER is set too; remove one of them',
    )
    expect(() => loadConfig({ CREDENTIALS_DIRECTORY: join(directory, 'nowhere') })).toThrow(
      /CREDENTIALS_DIRECTORY: ENOENT/,
    )
  })

  it.each([
    ['is missing', () => join(directory, 'nowhere'), /KEY_PEPPER_FILE: ENOENT/],
    ['is a directory', () => directory, /KEY_PEPPER_FILE: .* is not a file/],
    ['is empty', () => file('empty', '\n'), /KEY_PEPPER_FILE: .* is empty/],
    [
      'is too large',
      () => file('large', 'p'.repeat(65_537)),
      /KEY_PEPPER_FILE: .* has more than 65536 bytes/,
    ],
    [
      'is a pipe that nobody writes to',
      () => {
        const path = join(directory, 'pipe')
        execFileSync('mkfifo', [path])
        return path
      },
      /KEY_PEPPER_FILE: .* is not a file/,
    ],
  ])('stop the start if a file %s', (_, path, message) => {
    expect(() => loadConfig({ KEY_PEPPER_FILE: path() })).toThrow(message)
  })

  it('are checked like variables, without showing them', () => {
    const short = file('short', 'hunter2')
    expect(() => loadConfig({ KEY_PEPPER_FILE: short })).toThrow(/KEY_PEPPER: must be at least 32 characters/)
    expect(() => loadConfig({ KEY_PEPPER_FILE: short })).not.toThrow(/hunter2/)
    expect(() => loadConfig({ KEY_PEPPER_FILE: file('pepper', PEPPER), KEY_PEPPER: PEPPER })).toThrow(
      'KEY_PEPPER_FILE: KEY_PEPPER is set too; remove one of them',
    )
  })

  it('have a suggestion for a misspelled name, and leave variables of other programs alone', () => {
    expect(() => loadConfig({ KEY_PEPER_FILE: '/run/secrets/pepper' })).toThrow(
      'KEY_PEPER_FILE: unknown setting; did you mean KEY_PEPPER_FILE?',
    )
    expect(loadConfig({ SSL_CERT_FILE: '/etc/ssl/cert.pem', ENV_FILE: '.env' }).mode).toBe('development')
  })
})
