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
  ['client.at(', /^(\d{4}-\d\d-\d\d 5 -?\d\.\d+(e-\d+)?\n){3}$/],
  [
    'client.releases.download(',
    /^(valid|not signed|not checked: .*) data\/forex\/\S+ \['\d{4}.parquet', .*'\]\n$/,
  ],
  ['except NotFoundError', /^not_found 404 \S+ No asset has the slug .*\n$/],
  [
    'client.operations.forex(',
    /^\{'date': '\d{4}-\d\d-\d\d', 'rate': [\d.]+\} Cost\(charged=1, .*\)\nBitcoin \(\)\n$/,
  ],
  ['yf.Ticker(', /^\(\d\d, 3\) True\nOpen High Low Close Volume Dividends Stock Splits America\/New_York\n$/],
  ['yf.to_zipline_csvdir(', /^\['csvdir\/daily\/AAPL.csv', 'csvdir\/daily\/MSFT.csv'\]\n$/],
  ['import backtrader', /^\d\d \d+\.\d+\n$/],
  ['import vectorbt', /^\d+ -?\d\.\d+\n$/],
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

/** As `runsInPython`. The package that it is for may warn. */
export function runsWithItsWarnings(world: GuideWorld, { text, ...block }: GuideBlock): Promise<void> {
  return runsInPython(world, {
    ...block,
    text: `import warnings\nwarnings.simplefilter("default")\n${text}`,
  })
}

export async function runsInPython(world: GuideWorld, { text }: GuideBlock): Promise<void> {
  const installed = new InstalledPythonClient()
  await installed.install()
  const env = { MARKET_DATA_GATEWAY_URL: world.gateway.url, MARKET_DATA_GATEWAY_KEY: world.key('pro') }
  const expected = PRINTED.filter(([part]) => text.includes(part))
  expect(expected.length).toBe(1)
  expect(await installed.start(text, { env })).toMatch(expected[0]?.[1] ?? /^$/)
}

/** The program needs no package, and prints a price. */
export async function runsInPlainPython(world: GuideWorld, block: GuideBlock): Promise<void> {
  const { out } = await world.run(block, `python3 - <<'EOF'\n${world.adapted(block)}EOF`)
  expect(out.trim()).toMatch(/^\d+\.\d+$/)
}

/** The guide's model that reads ahead never loses, and the same one by publication does. */
export async function losesOnlyByPublication(world: GuideWorld, block: GuideBlock): Promise<void> {
  const { out } = await world.run(block, `python3 - <<'EOF'\n${world.adapted(block)}EOF`)
  const [ahead, published] = [...out.matchAll(/worst day ([+-][\d.]+)%/g)].map(([, worst]) => Number(worst))
  expect(ahead).toBe(0)
  expect(published).toBeLessThan(0)
}
