import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { clientRoutes } from '../../../scripts/client/documents.js'
import { publishedOperations } from '../../../src/gateway/rest/routes/published-operation.js'
import { VERSION } from '../../../src/platform/version.js'
import { restSchema } from '../../../src/schema.js'
import { startTestApp, type TestApp } from '../../support/app/app.js'
import { quickestDatabase } from '../../support/database/database.js'
import { InstalledPythonClient, MAY_RUN_PYTHON_CLIENT } from './installed-python-client.js'

/** Documented parts of the client by name: a method, and what its signature and text say. */
const DESCRIBE = `
import inspect, json
import market_data_gateway as package
from market_data_gateway import Client
from market_data_gateway.operations import PublishedOperations
def described(kind):
    methods = inspect.getmembers(kind, inspect.isfunction)
    return {name: [str(inspect.signature(method)), inspect.getdoc(method)] for name, method in methods}
print(json.dumps({
    "version": package.__version__,
    "routes": described(Client),
    "operations": described(PublishedOperations),
    "codes": sorted(package.ApiError._types),
}))
`

/** The columns of one page of each list that needs no parameter, as pandas knows them, and of an empty page. */
const FRAMES = `
import inspect, json
from market_data_gateway import Client, Rows
from market_data_gateway._frames import pandas_frame
client = Client()
found = {}
for name, method in inspect.getmembers(client, inspect.ismethod):
    needed = [each for each in inspect.signature(method).parameters.values() if each.default is each.empty]
    if name.startswith("_") or needed or not str(inspect.signature(method).return_annotation).startswith("Rows"):
        continue
    rows = method()
    body = rows.first().body
    frame = pandas_frame(rows._rows_of(body), rows._columns, {})
    empty = pandas_frame([], rows._columns, {})
    found[name] = [len(frame), {key: str(kind) for key, kind in frame.dtypes.items()}, bool((frame.dtypes == empty.dtypes).all()),
        [key for key in (rows._rows_of(body) or [{}])[0] if key not in frame.columns]]
print(json.dumps(found))
`

interface Described {
  readonly version: string
  readonly routes: Readonly<Record<string, readonly [signature: string, text: string]>>
  readonly operations: Readonly<Record<string, readonly [signature: string, text: string]>>
  readonly codes: readonly string[]
}

type Frame = readonly [
  rows: number,
  columns: Readonly<Record<string, string>>,
  isSameWhenEmpty: boolean,
  missing: readonly string[],
]

describe.runIf(MAY_RUN_PYTHON_CLIENT)(
  'the package of npm run client -- --python',
  { timeout: 240_000 },
  () => {
    const installed = new InstalledPythonClient()
    let app: TestApp
    let env: Readonly<Record<string, string>>
    beforeAll(async () => {
      ;[app] = await Promise.all([startTestApp(quickestDatabase()), installed.install()])
      const key = await app.newKey({ tier: 'pro' })
      env = { MARKET_DATA_GATEWAY_URL: app.url, MARKET_DATA_GATEWAY_KEY: key }
    }, 600_000)
    afterAll(() => app?.close())

    it('is written with the same bytes by two runs, wheel and source distribution included', async () => {
      const again = join(installed.home, 'again')
      await installed.write(again)
      const bytesOf = (directory: string) =>
        readdirSync(directory, { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile())
          .map((entry) => {
            const path = join(entry.parentPath, entry.name)
            return [path.slice(directory.length), readFileSync(path).toString('base64')] as const
          })
          .toSorted(([a], [b]) => (a < b ? -1 : 1))
      const files = bytesOf(installed.written)
      expect(files.map(([name]) => name)).toContain('/market_data_gateway/py.typed')
      expect(bytesOf(again)).toEqual(files)
      expect(installed.printed).toMatch(/^market-data-gateway [\d.]+ in .*: \d+ files, [\d.]+ kB of Python\n/)
    })

    it.each(['.whl', '.tar.gz'])(
      'installs its %s without an index and needs no other package',
      async (ending) => {
        // The source distribution is built by flit_core, which is a package of the system.
        const environment = `clean${ending}`
        await installed.createEnvironment(environment, ending === '.whl' ? [] : ['--system-site-packages'])
        await installed.installInto(environment, installed.distribution(ending))
        const program = `
import sys
from market_data_gateway import Client
print(Client().asset("bitcoin").body["data"]["ticker"], any(name in sys.modules for name in ("pandas", "numpy", "pyarrow")))`
        expect(await installed.start(program, { env, environment })).toBe('BTC False\n')
      },
    )

    it('has a method for each route and each published operation, with the text of the API', async () => {
      const described = JSON.parse(await installed.start(DESCRIBE)) as Described
      expect(described.version).toBe(VERSION)
      const words = (text: string) => text.replaceAll(/\s+/g, ' ').trim()
      const routes = (await clientRoutes()).filter(
        ({ operation }) => !['release', 'releases'].includes(operation.operationId),
      )
      expect(routes.length).toBeGreaterThan(80)
      for (const { operation } of routes) {
        const [signature = '', text = ''] = described.routes[operation.operationId] ?? []
        expect(words(text)).toContain(words(operation.description))
        for (const { name, description = '' } of operation.parameters ?? []) {
          expect([operation.operationId, signature]).toEqual([
            operation.operationId,
            expect.stringMatching(new RegExp(`\\b${name}_?: `)),
          ])
          expect(words(text)).toContain(words(description))
        }
      }
      const operations = await publishedOperations(restSchema)
      expect(operations.filter(({ name }) => described.operations[name] === undefined)).toEqual([])
      expect(described.operations.forex?.[0]).toMatch(
        /^\(self, \*, quote: 'str', .*from_: 'Optional\[Day\]' = None.*GraphQLAnswer\[types.ForexResult/,
      )
      expect(described.codes).toContain('rate_limit_exceeded')
    })

    it('knows the type of every column of every list, also of an empty one', async () => {
      const frames = JSON.parse(await installed.start(FRAMES, { env })) as Readonly<Record<string, Frame>>
      expect(Object.keys(frames).length).toBeGreaterThan(25)
      for (const [name, [, , isSameWhenEmpty, missing]] of Object.entries(frames))
        expect([name, isSameWhenEmpty, missing]).toEqual([name, true, []])
      expect(frames.candles?.[1]).toEqual({
        asset_id: 'int64',
        slug: 'string',
        ts: 'datetime64[ns, UTC]',
        vwap_usd: 'float64',
        volume_usd: 'float64',
        exchanges_count: 'int64',
        consensus_status: 'string',
      })
      expect(frames.star_dim_assets?.[1]).toMatchObject({ is_current: 'bool', sources_confirmed: 'object' })
      expect(frames.star_dim_dates?.[1]).toMatchObject({ date: expect.stringMatching(/^datetime64\[ns\]$/) })
    })
  },
)
