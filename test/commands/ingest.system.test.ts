import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { strToU8, zipSync } from 'fflate'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runIngest } from '../../src/commands/ingest/run.js'
import { seedWorld } from '../../src/ingest/seed/seed-world.js'
import { openDatabase } from '../../src/platform/database/database.js'
import { copyEmbeddedWorld, SEEDED_AT } from '../support/database/database.js'
import { runCommand } from '../support/processes/run-command.js'
import { type Printed, runScript } from '../support/processes/run-script.js'

let home: string
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'mdg-ingest-'))
  for (const name of ['data', 'masters']) await copyEmbeddedWorld('empty', join(home, name))
})
afterAll(() => rm(home, { recursive: true, force: true }))

function ingest(...args: readonly string[]): Promise<Printed> {
  return ingestIn({ DATA_DIR: join(home, 'data') }, ...args)
}

function ingestIn(own: Readonly<Record<string, string>>, ...args: readonly string[]): Promise<Printed> {
  return runCommand(runIngest, args, environment(own))
}

/** The real command, in a process of its own. */
function startIngest(...args: readonly string[]): Promise<Printed> {
  return runScript('src/commands/ingest.ts', args, environment({ DATA_DIR: join(home, 'data') }))
}

function environment(own: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const { DATABASE_URL: _, ...env } = process.env
  return { ...env, NODE_ENV: 'development', ...own }
}

describe('npm run ingest', { timeout: 120_000 }, () => {
  it('lists the feeds in its help', async () => {
    const { code, out, err } = await startIngest('--help')
    expect([code, err]).toEqual([0, ''])
    expect(out).toContain('Usage: npm run ingest -- <feed> [--file PATH ...] [--whole] [--json]')
    expect(out).toMatch(/ecb-history {4}Euro reference rates of every day since 4 January 1999/)
    expect(out).toMatch(/ecb-daily {6}Euro reference rates of the last 30 days/)
    expect(out).toMatch(/reference {6}Assets and primary listings that ship with the gateway/)
    expect(out).toMatch(
      /instruments {4}Your own assets[^\n]*\n {17}header: slug, and optionally asset_id, ticker/,
    )
  })

  it.each([
    [[], 'ingest: give the name of a feed (see --help)\n'],
    [['ecb-dayly'], 'ingest: feed "ecb-dayly" does not exist; did you mean ecb-daily?\n'],
    [['ecb-daily', 'ecb-history'], 'ingest: give only one feed; got ecb-daily ecb-history (see --help)\n'],
    [
      ['candles', '--venue', 'kracken'],
      'ingest: unknown venue "kracken"; did you mean kraken? (see --help)\n',
    ],
    [
      ['candles', '--from', 'yesterday'],
      'ingest: --from must be an instant such as 2026-11-20T12:00Z; got "yesterday" (see --help)\n',
    ],
    [['bok'], 'ingest: bok is off; set BOK_API_KEY, or give a file by --file\n'],
    [['supplies'], 'ingest: supplies needs one file: --file PATH (see --help)\n'],
    [
      ['supply-tokens'],
      'ingest: supply-tokens is not configured: set RPC_URLS_1 (Ethereum), RPC_URLS_10, RPC_URLS_42161 … to JSON-RPC addresses\n',
    ],
    [
      ['address-snapshots'],
      'ingest: address-snapshots is not configured: set RPC_URLS_1 (Ethereum), RPC_URLS_56 …\n',
    ],
    [
      ['address-snapshots', '--file', 'x'],
      'ingest: address-snapshots has only the option --json (see --help)\n',
    ],
    [['instruments'], 'ingest: instruments needs one file: --file PATH (see --help)\n'],
    [
      ['instruments', '--file', 'own.csv', '--again'],
      'ingest: --asset, --venue, --from, --to and --again are for candles (see --help)\n',
    ],
    [
      ['supply-tokens', '--again'],
      'ingest: --asset, --venue, --from, --to and --again are for candles (see --help)\n',
    ],
    [
      ['candles-archive', '--from', '2025-01-01'],
      'ingest: give one asset, such as --asset bitcoin (see --help)\n',
    ],
    [
      ['candles-archive', '--asset', 'bitcoin', '--venue', 'kraken', '--from', '2025-01-01'],
      'ingest: --venue must be binance for bulk files; got "kraken" (see --help)\n',
    ],
    [
      ['candles-archive', '--asset', 'bitcoin'],
      'ingest: give either days (--from, --to) or files (--file) (see --help)\n',
    ],
    [
      ['ecb-daily', '--asset', 'bitcoin'],
      'ingest: --asset, --venue, --from, --to and --again are for candles (see --help)\n',
    ],
  ])('refuses %j in one line', async (args, message) => {
    expect(await ingest(...args)).toEqual({ code: 1, out: '', err: message })
  })

  it('loads a file, reports counts and rejections, and changes nothing the second time', async () => {
    const file = join(home, 'rates.csv')
    await writeFile(file, 'Date,USD,JPY,\n2026-03-05,1.1618,183.03,\n2026-03-04,1.1649,-183.02,\n')
    const first = await startIngest('ecb-history', '--file', file)
    expect([first.code, first.err]).toEqual([0, ''])
    expect(first.out).toMatch(
      /^ecb-history: 4 rows read: 3 added, 0 revised, 0 unchanged, 1 rejected, 0 absent \(\d+\.\d s\)\n {2}rejected line 3, JPY: "-183.02" is negative, but a rate is above zero\n$/,
    )
    const second = JSON.parse((await ingest('ecb-history', '--file', file, '--json')).out)
    expect(second).toMatchObject({
      read: 4,
      rows: 3,
      added: 0,
      revised: 0,
      unchanged: 3,
      rejected: 1,
      absent: 0,
    })
  })

  it('names a missing file, a broken body and the process that uses the directory, each in one line', async () => {
    expect(await startIngest('ecb-daily', '--file', '/nowhere.csv')).toEqual({
      code: 1,
      out: '',
      err: 'ingest: /nowhere.csv cannot be read: the file does not exist\n',
    })
    const page = join(home, 'page.html')
    await writeFile(page, '<!doctype html>')
    expect(await ingest('ecb-daily', '--file', page)).toEqual({
      code: 1,
      out: '',
      err: 'ingest: nothing was written: the body is HTML or XML, not CSV\n',
    })
    const holder = await openDatabase({ kind: 'embedded', directory: join(home, 'data') })
    const { code, err } = await startIngest('ecb-daily', '--file', page).finally(() => holder.close())
    expect(code).toBe(1)
    expect(err).toMatch(new RegExp(`^ingest: .* is held by process ${process.pid}; [^\\n]*\\n$`))
  })

  it('fills the masters of an empty database and adds the operator’s assets', async () => {
    const env = { DATA_DIR: join(home, 'masters') }
    const first = await ingestIn(env, 'reference')
    expect([first.code, first.err]).toEqual([0, ''])
    expect(first.out).toMatch(/^reference: 148 rows read: 148 added, 0 revised, 0 unchanged, 0 rejected/)
    const file = join(home, 'own.csv')
    await writeFile(file, 'slug,name,isin\nbitcoin,Own,\napple,Own,US0378331006\n')
    const { code, out } = await ingestIn(env, 'instruments', '--file', file)
    expect(code).toBe(0)
    expect(out).toMatch(/^instruments: 2 rows read: 0 added, 1 revised, 0 unchanged, 1 rejected, 0 absent/)
    expect(out).toContain(
      'rejected line 3, "apple": isin "US0378331006" is not an ISIN: the check digit does not',
    )
  })

  it('makes candles of old days from bulk files of Binance, and changes nothing the second time', async () => {
    const database = await openDatabase({ kind: 'embedded', directory: join(home, 'data') })
    await seedWorld(database, SEEDED_AT, ['instruments']).finally(() => database.close())
    const file = join(home, 'BTCUSDT-1m-2025-01-01.zip')
    const start = Date.parse('2025-01-01T00:00:00Z') * 1000
    const row = `${start},100,110,90,105,2,${start + 59_999_999},204,3,1,100,0\n`
    await writeFile(file, zipSync({ 'BTCUSDT-1m-2025-01-01.csv': strToU8(row) }))
    const first = await ingest('candles-archive', '--asset', 'bitcoin', '--file', file)
    expect([first.code, first.err]).toEqual([
      0,
      expect.stringMatching(
        /^2025-01-01 bitcoin: 1 of 1 \(100 %\), [\d,]+ a minute, less than 1 min left\n$/,
      ),
    ])
    expect(first.out).toMatch(
      /^Windows of assets: 1, of which 0 were already complete\n[\s\S]*candles: 2 added, 0 revised, 0 unchanged/,
    )
    expect(first.out).toContain('A candle has a price only with three venues')
    const second = await ingest('candles-archive', '--asset', 'bitcoin', '--file', file)
    expect(second.out).toMatch(/^Windows of assets: 1, of which 1 were already complete\n/)
    expect(await ingest('candles-archive', '--asset', 'ethereum', '--file', file)).toMatchObject({
      code: 1,
      err: 'ingest: BTCUSDT-1m-2025-01-01.zip is about BTCUSDT, not ETHUSDT\n',
    })
  })

  it('reads a list from its two files, and refuses several files for a feed of one file', async () => {
    const [list, comments] = [join(home, 'sdn.csv'), join(home, 'sdn_comments.csv')]
    const rest = Array(7).fill('-0- ').join()
    await writeFile(list, `1,MADE-UP BANK,-0- ,GLOMAG,${rest},"Legal Enti"\r\n\u001a`)
    await writeFile(
      comments,
      '1,"ty Number 253400WSS48YWMBUA687; Legal Entity Number 253400WSS48YWMBUA688"\r\n\u001a',
    )
    const { code, out, err } = await ingest('ofac', '--file', list, '--file', comments)
    expect([code, err]).toEqual([0, ''])
    expect(out).toMatch(/^ofac: 3 rows read: 1 added, 0 revised, 0 unchanged, 1 rejected, 1 absent/)
    expect(out).toContain('rejected sdn.csv, line 1: the LEI "253400WSS48YWMBUA687" is not an LEI')
    expect(await ingest('ofac', '--file', list)).toMatchObject({
      code: 1,
      err: 'ingest: nothing was written: sdn_comments.csv has no rows, so identifiers in its remarks would be missed\n',
    })
    expect(await ingest('ecb-daily', '--file', list, '--file', comments)).toMatchObject({
      code: 1,
      err: `ingest: ecb-daily needs one file; got ${list} ${comments} (see --help)\n`,
    })
  })
})
