import { describe, expect, it } from 'vitest'
import { runAdmin } from '../../../src/commands/admin/run.js'

describe('the command line', () => {
  const line = async (...args: readonly string[]) => {
    const { code, out, err } = await runAdmin(args, { DATABASE_URL: 'postgresql://127.0.0.1:1/never-asked' })
    expect([code, out]).toEqual([1, ''])
    return err
  }

  it.each([
    [[], 'name a command (see --help)'],
    [['users'], 'users needs a second word: list, show, create, set-tier, set-contract, delete (see --help)'],
    [['user', 'list'], 'unknown command "user list"; did you mean users list? (see --help)'],
    [['docter'], 'unknown command "docter"; did you mean doctor? (see --help)'],
    [['quux'], 'unknown command "quux" (see --help)'],
    [['users', 'list', '--teir', 'pro'], '--teir is not an option; did you mean --tier? (see --help)'],
    [['users', 'list', '--days', '3'], '--days is not an option of users list (see --help)'],
    [['users', 'list', '--tier'], "Option '--tier <value>' argument missing (see --help)"],
    [['users', 'list', '--tier', 'por'], 'unknown tier "por"; did you mean pro? (see --help)'],
    [
      ['users', 'list', '--limit', '1001'],
      '--limit must be a whole number from 1 to 1000; got "1001" (see --help)',
    ],
    [['users', 'show'], 'users show needs <account> (see --help)'],
    [['users', 'show', 'a@b.org', 'x'], 'users show does not expect "x" (see --help)'],
    [['users', 'show', 'ada'], '"ada" is neither an account id (a UUID) nor an e-mail address (see --help)'],
    [['users', 'create'], 'users create needs --tier (see --help)'],
    [['users', 'create', '--tier', 'pro', '--email', 'x'], '"x" is not an e-mail address (see --help)'],
    [
      ['users', 'set-contract', 'a@b.org', '--month', '5'],
      'users set-contract needs --month and --hour, or only --clear (see --help)',
    ],
    [
      ['users', 'set-contract', 'a@b.org', '--month', '5', '--hour', '6'],
      '--hour must not exceed --month (see --help)',
    ],
    [['keys', 'revoke', '7'], '"7" is not a key id, which is a UUID (see --help)'],
    [['keys', 'create', 'a@b.org', '--label', ''], 'label: must have 1 to 100 visible characters'],
    [['grants', 'add', 'a@b.org', 'admn'], 'unknown scope "admn"; did you mean admin? (see --help)'],
  ])('refuses %j in one line, without a database query', async (args, message) => {
    expect(await line(...args)).toBe(`admin: ${message}\n`)
  })

  it('prints help for all commands, for a group and for each command', async () => {
    const help = async (...args: readonly string[]) => (await runAdmin([...args, '--help'], {})).out
    const all = await help()
    const usages = [...all.matchAll(/^ {2}([a-z]+(?: [a-z][a-z-]+)?)(?= |$)/gm)].map(([, name]) => name ?? '')
    expect(usages).toHaveLength(30)
    for (const name of usages) {
      expect(await help(...name.split(' '))).toMatch(new RegExp(`^Usage: npm run admin -- ${name}`))
    }
    expect((await help('keys')).match(/^ {2}keys /gm)).toHaveLength(3)
    expect(await help('users', 'create')).toContain('--tier TIER  free, starter, growth, pro, enterprise\n')
  })

  it('prints the published limits without a database', async () => {
    const { out } = await runAdmin(['tiers', '--json'], {})
    const { tiers, scopes } = JSON.parse(out)
    expect(tiers[0]).toEqual({
      tier: 'free',
      month: 10_000,
      hour: 14,
      discover_day: 50,
      by_contract: false,
      scopes: ['keys:manage'],
    })
    const growth = [
      'keys:manage',
      'ai:read',
      'ohlcv:intraday',
      'macro:read',
      'instruments:read',
      'fundamentals:read',
      'etf:read',
      'onchain:read',
      'screening:read',
      'history:full',
    ]
    expect(tiers[2].scopes).toEqual([...growth, 'ai:lineage', 'bulk:read'])
    expect(scopes.map(({ scope }: { scope: string }) => scope)).toEqual([
      ...growth,
      ...['ai:lineage', 'bulk:read', 'star:read', 'admin'],
    ])
    expect(scopes.at(-2)).toEqual({ scope: 'star:read', from: 'pro', opens: expect.any(String) })
    expect((await runAdmin(['tiers'], {})).out).toMatch(/^growth +500000 +1389 +- +12$/m)
  })

  it('reports an invalid configuration in one line', async () => {
    const { err } = await runAdmin(['users', 'list'], { PORT: 'x', LOG_LEVEL: 'loud' })
    expect(err).toMatch(/^admin: The configuration has errors: PORT: [^\n]*; LOG_LEVEL: [^\n]*\n$/)
  })
})
