import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { availableDatabases } from '../support/database/database.js'
import { enterWith, type Installation, inDatabase, newInstallation, runAdmin } from './admin-world.js'

describe.each(availableDatabases())('npm run admin on %s', { timeout: 120_000 }, (kind) => {
  let installation: Installation
  beforeAll(async () => {
    installation = await newInstallation(kind)
  })
  afterAll(() => installation.remove())

  it('changes nothing in a blank database before the migration, and says how to migrate', async () => {
    const listed = await runAdmin(installation.env, 'users', 'list')
    expect([listed.code, listed.out]).toEqual([1, ''])
    expect(listed.err).toMatch(
      /^admin: the database lacks 1 migration of this version: run npm run admin -- migrate, or npm start\n$/,
    )
    const migrated = await runAdmin(installation.env, 'migrate')
    expect([migrated.code, migrated.err]).toEqual([0, ''])
    expect(migrated.out).toMatch(/^applied \d{14}_\w+\n/)
    const again = await runAdmin(installation.env, 'migrate', '--json')
    expect(JSON.parse(again.out)).toEqual({ applied: [], waiting: [] })
  })

  it('creates an account on a migrated database with a working key that is shown once', async () => {
    const made = await runAdmin(
      installation.env,
      ...['users', 'create', '--tier', 'growth', '--email', 'Ada@Example.org', '--json'],
    )
    expect([made.code, made.err]).toEqual([0, ''])
    const user = JSON.parse(made.out)
    expect(user).toMatchObject({ email: 'ada@example.org', tier: 'growth', label: 'first key' })
    expect(user.raw_key).toMatch(/^mdg_test_[0-9A-Za-z]{30}_[0-9A-Za-z]{6}$/)
    expect(await enterWith(installation, user.raw_key)).toMatchObject({
      accountId: user.account_id,
      tier: 'growth',
    })
    const listed = await runAdmin(installation.env, 'users', 'list')
    expect([listed.code, listed.err]).toEqual([0, ''])
    expect(listed.out).toMatch(
      new RegExp(
        `^account +e-mail +tier +grants +created +keys\n${user.account_id} {2}ada@example.org {2}growth {2}- +[-0-9T:]{19}Z +1\n\n1 to 1 of 1\n$`,
      ),
    )
  })

  it('answers with one line and code 1 when the database cannot be opened', async () => {
    if (kind === 'postgres') {
      const env = { ...installation.env, DATABASE_URL: 'postgresql://u:hidden@127.0.0.1:1/none' }
      expect(await runAdmin(env, 'users', 'list', '--json')).toEqual({
        code: 1,
        out: '',
        err: 'admin: the database cannot be used: connect ECONNREFUSED 127.0.0.1:1\n',
      })
      return
    }
    const [list, doctor] = await inDatabase(installation, () =>
      Promise.all([
        runAdmin(installation.env, 'users', 'list'),
        runAdmin(installation.env, 'doctor', '--json'),
      ]),
    )
    expect([list.code, list.out]).toEqual([1, ''])
    expect(list.err).toMatch(
      new RegExp(`^admin: The database directory .* is held by process ${process.pid}; [^\n]*\n$`),
    )
    expect([doctor.code, doctor.err]).toEqual([1, ''])
    expect(JSON.parse(doctor.out)).toMatchObject({
      status: 'problem',
      checks: expect.arrayContaining([
        {
          check: 'database',
          status: 'problem',
          message: expect.stringContaining(`is held by process ${process.pid}`),
          advice: expect.stringContaining('try again when it listens'),
        },
      ]),
    })
  })
})
