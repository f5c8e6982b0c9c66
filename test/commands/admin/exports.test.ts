import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runAdmin } from '../../../src/commands/admin/run.js'
import type { Database } from '../../../src/platform/database/database.js'
import { OWN_SECRETS } from '../../support/app/secrets.js'
import { availableDatabases, openTestDatabase } from '../../support/database/database.js'

const ENV = { ...OWN_SECRETS, DATABASE_URL: 'postgresql://127.0.0.1/not-opened' }

describe.each(availableDatabases())('exports on %s', (kind) => {
  let database: Database
  let home: string
  beforeAll(async () => {
    database = await openTestDatabase(kind)
    home = await mkdtemp(join(tmpdir(), 'mdg-exports-'))
  })
  afterAll(async () => {
    await database?.close()
    await rm(home, { recursive: true, force: true })
  })

  async function admin(...args: readonly string[]) {
    const world = { shared: database, signal: new AbortController().signal, directory: home }
    const { code, out, err } = await runAdmin([...args, '--json'], ENV, world)
    return { code, err, json: out === '' ? null : JSON.parse(out) }
  }

  it('write every audit event once, oldest first, with what operators did to the installation', async () => {
    const { json: user } = await admin('users', 'create', '--tier', 'pro', '--email', 'ada@example.org')
    await database.rows(
      `insert into audit_event (event_id, at, action, account_id, actor)
       select gen_random_uuid(), now() - interval '1 day', 'login', $1::uuid, 'self' from generate_series(1, 2500)`,
      [user.account_id],
    )
    expect((await admin('secrets', 'forget', 'KEY_PEPPER')).code).toBe(0)
    const written = await admin('export', 'audit', 'audit.ndjson')
    const path = join(home, 'audit.ndjson')
    expect(written.json).toMatchObject({ file: path })
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    const events = (await readFile(path, 'utf8'))
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(events.length).toBe(written.json.events)
    expect(new Set(events.map(({ event_id }) => event_id)).size).toBe(events.length)
    expect(events.map(({ at }) => at)).toEqual(events.map(({ at }) => at).toSorted())
    expect(events.filter(({ action }) => action === 'login')).toHaveLength(2500)
    expect(events.at(-1)).toMatchObject({
      action: 'secret_forgotten',
      actor: 'operator',
      account_id: null,
      details: { name: 'KEY_PEPPER' },
    })
    const again = await admin('export', 'audit', 'audit.ndjson')
    expect([again.code, again.err]).toEqual([1, expect.stringContaining('exists already: name a new file')])
  })

  it('write what is stored about an account, without secrets and their hashes', async () => {
    const { json: user } = await admin(
      'users',
      'create',
      '--tier',
      'growth',
      '--email',
      'eve@example.org',
      '--label',
      'mine',
    )
    expect((await admin('export', 'account', 'eve@example.org', 'eve.json')).code).toBe(0)
    const text = await readFile(join(home, 'eve.json'), 'utf8')
    expect(JSON.parse(text)).toMatchObject({
      account_id: user.account_id,
      email: 'eve@example.org',
      tier: 'growth',
      keys: [{ label: 'mine', key_prefix: user.raw_key.slice(0, 16) }],
      webhooks: [],
      usage: [],
      audit: expect.arrayContaining([expect.objectContaining({ action: 'key_created' })]),
    })
    const [hashes] = await database.rows<{ digest: string; hash: string | null }>(
      `select encode(digest, 'base64') as digest, password_hash as hash from api_key join account using (account_id) where email = 'eve@example.org'`,
    )
    const digest = Buffer.from(hashes?.digest ?? '', 'base64')
    for (const secret of [
      user.raw_key,
      digest.toString('hex'),
      digest.toString('base64'),
      'digest',
      'password_hash',
      'seed',
    ])
      expect(text).not.toContain(secret)
    const unknown = await admin('export', 'account', 'nobody@example.org', 'nobody.json')
    expect([unknown.code, unknown.err]).toEqual([1, expect.stringContaining('unknown account')])
  })
})
