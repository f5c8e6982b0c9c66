import { expect } from 'vitest'
import { InstalledPythonClient } from '../../scripts/client/installed-python-client.js'
import type { GuideBlock } from './blocks.js'
import type { GuideWorld } from './world.js'

// The programs of the guide on Python, run by a Python that has the written package and pandas.

/** What each program prints, by its first line that no other program has. */
const PRINTED: readonly (readonly [part: string, printed: RegExp])[] = [
  [
    'client.bis_series(',
    /^\(\d+, 2\) 1\.\d+ +period +unit +value +known_from known_to\n\d+ +\d{4}-Q\d +%_GDP +[\d.]+ [-\d]{10} [\d:+ ]+ NaT True True\n$/,
  ],
  ['def chosen_assets(', /^(\d{4}-\d\d-\d\d (5 -?\d\.\d+(e-\d+)?|0 nan)\n){4}$/],
  [
    'client.releases.download(',
    /^(valid|not signed|not checked: .*) data\/forex\/\S+ \['\d{4}.parquet', .*'\]\n$/,
  ],
  ['except NotFoundError', /^not_found 404 \S+ No asset has the slug .*\n$/],
  [
    'client.operations.forex(',
    /^\{'date': '\d{4}-\d\d-\d\d', 'rate': [\d.]+\} Cost\(charged=1, .*\)\nBitcoin \(\)\n$/,
  ],
]

/** The commands write the package that is installed, and name the variables that the client reads. */
export async function installsPythonClient(_world: GuideWorld, { text }: GuideBlock): Promise<void> {
  const installed = new InstalledPythonClient()
  await installed.install()
  expect(installed.printed).toContain('/dist/market_data_gateway-')
  expect(text).toMatch(
    /^npm run client -- --python .*\n.*\n.* install \.client-python\/dist\/\*\.whl pandas\n/,
  )
  expect(text).toMatch(/^export MARKET_DATA_GATEWAY_URL=.*\nexport MARKET_DATA_GATEWAY_KEY=/m)
}

export async function runsInPython(world: GuideWorld, { text }: GuideBlock): Promise<void> {
  const installed = new InstalledPythonClient()
  await installed.install()
  const env = { MARKET_DATA_GATEWAY_URL: world.gateway.url, MARKET_DATA_GATEWAY_KEY: world.key('pro') }
  const expected = PRINTED.filter(([part]) => text.includes(part))
  expect(expected.length).toBe(1)
  expect(await installed.start(text, { env })).toMatch(expected[0]?.[1] ?? /^$/)
}
