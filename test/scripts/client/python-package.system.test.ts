import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { clientRoutes } from '../../../scripts/client/documents.js'
import { publishedOperations } from '../../../src/gateway/rest/routes/published-operation.js'
import { VERSION } from '../../../src/platform/version.js'
import { restSchema } from '../../../src/schema.js'
import { isInOrder, SERIES_CASES } from '../../contract/operations/series-cases.js'
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
import inspect, json, pandas
from market_data_gateway import Client, Rows
from market_data_gateway._frames import pandas_frame
def same(cell, value):
    if isinstance(cell, (list, dict)) or isinstance(value, (list, dict)):
        return cell == value
    if value is None:
        return bool(pandas.isna(cell))
    if isinstance(cell, pandas.Timestamp):
        return cell == pandas.Timestamp(value, tz=None if "T" in value else "UTC")
    return bool(cell == value)
client = Client()
found = {}
for name, method in inspect.getmembers(client, inspect.ismethod):
    needed = [each for each in inspect.signature(method).parameters.values() if each.default is each.empty]
    if name.startswith("_") or needed or not str(inspect.signature(method).return_annotation).startswith("Rows"):
        continue
    rows = method(**({"limit": 20} if "limit" in inspect.signature(method).parameters else {}))
    frame = rows.to_pandas()
    empty = pandas_frame([], rows._shape.columns, (0, 0))
    listed = [row for page in rows.pages() for row in rows._rows_of(page.body)]
    found[name] = [len(frame), {key: str(kind) for key, kind in frame.dtypes.items()},
        bool((frame.dtypes[empty.columns] == empty.dtypes).all()) and len(listed) == len(frame),
        [key for key in (listed or [{}])[0] if key not in frame.columns]
        + [key for key in empty.columns for at, row in enumerate(listed) if not same(frame[key][at], row[key])]]
print(json.dumps(found))
`

/** The order and number of the rows of a series, in each way of reading them. */
const SERIES = `
import json
from market_data_gateway import Client
client = Client()
days = lambda **options: client.ohlcv("bitcoin", from_="2025-11-01", to="2026-11-20", **options)
whole = days().to_pandas()
times = [row["ts"] for row in days()]
newest = days(limit=310).to_pandas()
print(json.dumps({
    "rows": len(whole),
    "ordered": [bool(whole.ts.is_monotonic_increasing), times == sorted(times), len(times)],
    "newest": [len(newest), bool((newest.ts.values == whole.ts.values[-310:]).all())],
    "listed": [len(list(days(limit=3))), len(list(client.assets(limit=130))), len(client.candles(asset_class="crypto", limit=7).to_pandas())],
    "labels": [sorted(set(whole.slug)), sorted(set(client.stock_prices("AAPL").to_pandas().ticker))],
}))
`

/**
 * Of each series in the variable CASES: the columns of its order and of its names, as rows and as frames; and with a limit that
 * needs several pages. Tables of Polars and of pyarrow where they are installed.
 */
const TABLE = `
import inspect, json, os
from market_data_gateway import Client
client = Client()
def installed(name):
    try:
        return bool(__import__(name))
    except ImportError:
        return False
libraries = [name for name in ("polars", "pyarrow") if installed(name)]
def limited(name, args):
    rows = getattr(client, name)(**args, limit=7)
    rows._page_rows, rows._query = 3, rows._query.replace("limit=7", "limit=3")
    return rows
def tables(rows, columns):
    frame = rows.to_pandas()
    yield "pandas", frame[columns].astype(str).values.tolist(), list(frame.columns), frame.isna()
    if "polars" in libraries:
        frame = rows.to_polars()
        yield "polars", [[str(cell) for cell in row] for row in frame.select(columns).rows()], frame.columns, None
    if "pyarrow" in libraries:
        table = rows.to_arrow()
        yield "pyarrow", [[str(row[name]) for name in columns] for row in table.select(columns).to_pylist()], table.column_names, None
found = {}
for name, case in json.loads(os.environ["CASES"]).items():
    args = {"from_" if key == "from" else key: value for key, value in case["args"].items()}
    columns = [key.lstrip("-") for key in case["order"]]
    rows = getattr(client, name)(**args)
    found[name] = {"rows": [[str(row[key]) for key in columns] for row in rows], "tables": {}}
    for library, cells, names, nulls in tables(rows, columns):
        unnamed = [key for key in ("slug", "ticker") if key not in names or (nulls is not None and nulls[key].all())]
        found[name]["tables"][library] = [cells, unnamed]
    if "limit" in inspect.signature(getattr(client, name)).parameters:
        rows = limited(name, args)
        found[name]["limited"] = [[str(row[key]) for key in columns] for row in rows]
        found[name]["limited_tables"] = {library: cells for library, cells, *_ in tables(rows, columns)}
print(json.dumps({"libraries": libraries, "found": found}))
`

/** Days and instants in every form of Python, for arguments of both kinds. */
const DAYS = `
import datetime, json
import numpy, pandas
from market_data_gateway import Client
client = Client()
zone = datetime.timezone(datetime.timedelta(hours=2))
forms = ["2026-11-10", "2026-11-10T02:00:00+02:00", datetime.date(2026, 11, 10), datetime.datetime(2026, 11, 10, 2, 0, tzinfo=zone),
    pandas.Timestamp("2026-11-10"), pandas.Timestamp("2026-11-10", tz="UTC"), numpy.datetime64("2026-11-10"),
    numpy.datetime64("2026-11-10T00:00:00.000000000"), client.forex(quote="USD", from_="2026-11-10").to_pandas().date[0]]
rates = [client.forex(quote="USD", from_=form).to_pandas() for form in forms]
candles = [client.ohlcv("bitcoin", from_=form).to_pandas() for form in forms]
joined = candles[0].merge(rates[0], left_on="ts", right_on="date")
operation = {len(client.operations.forex(quote="USD", from_=form).data["forex"]["data"]) for form in forms}
try:
    client.forex(quote="USD", from_=datetime.datetime(2026, 11, 10, 3))
except ValueError as error:
    refused = str(error)
print(json.dumps([len({len(each) for each in rates}), len({len(each) for each in candles}), len(operation),
    len(joined), len(rates[0]), refused]))
`

/** Daily prices of several classes by slug and ticker. */
const PRICES = `
import json
from market_data_gateway import Client
client = Client()
long = client.prices(["bitcoin", "AAPL", "ETH"], from_="2026-11-10", to="2026-11-18")
wide = client.prices(["bitcoin", "AAPL", "ETH"], from_="2026-11-10", to="2026-11-18", wide=True)
try:
    client.prices(["no-such-asset"])
except ValueError as error:
    refused = str(error)
print(json.dumps([list(long.columns), [str(kind) for kind in long.dtypes], sorted(set(long.ticker)), sorted(set(long.price_source)),
    list(wide.columns), len(wide), str(wide.index.dtype), bool((wide["bitcoin"].dropna().values == long[long.slug == "bitcoin"].price.values).all()),
    long.attrs["is_dev_dataset"], refused]))
`

type Cells = readonly (readonly string[])[]

interface Tabled {
  readonly libraries: readonly string[]
  readonly found: Readonly<
    Record<
      string,
      {
        readonly rows: Cells
        readonly tables: Readonly<Record<string, readonly [cells: Cells, unnamed: readonly string[]]>>
        readonly limited?: Cells
        readonly limited_tables?: Readonly<Record<string, Cells>>
      }
    >
  >
}

/** Series whose rows are of no asset, or of many protocols. */
const OF_NO_ASSET = /^(forex|bis|boj|bok|macro|commodity|calendar|star_dim_dates|star_fact_protocol)/

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

    it('gives series in time order over all pages, at most `limit` rows, with the slug or ticker of the path', async () => {
      const found = JSON.parse(await installed.start(SERIES, { env }))
      expect(found.rows).toBeGreaterThan(350)
      expect(found).toEqual({
        rows: found.rows,
        ordered: [true, true, found.rows],
        newest: [310, true],
        listed: [3, 130, 7],
        labels: [['bitcoin'], ['AAPL']],
      })
    })

    it('gives every series in time order, up to `limit` over all pages, with slug and ticker, as rows and tables', async () => {
      const cases = JSON.stringify(SERIES_CASES)
      const { found } = JSON.parse(await installed.start(TABLE, { env: { ...env, CASES: cases } })) as Tabled
      expect(Object.keys(found)).toEqual(Object.keys(SERIES_CASES))
      for (const [name, { rows, tables, limited, limited_tables: limitedTables = {} }] of Object.entries(
        found,
      )) {
        const { order } = SERIES_CASES[name] ?? expect.fail(name)
        const inOrder = (cells: Cells) =>
          isInOrder(
            cells.map((row) =>
              Object.fromEntries(row.map((cell, at) => [order[at]?.replace(/^-/, ''), cell])),
            ),
            order,
          )
        expect([name, inOrder(rows), rows.length > 1]).toEqual([name, true, true])
        for (const [library, [cells, unnamed]] of Object.entries(tables)) {
          expect([name, library, inOrder(cells), cells.length]).toEqual([name, library, true, rows.length])
          if (!OF_NO_ASSET.test(name)) expect([name, library, unnamed]).toEqual([name, library, []])
        }
        const isNewestFirst = name === 'ohlcv' || name === 'exchange_candles'
        const kept = isNewestFirst ? rows.slice(-7) : rows.slice(0, 7)
        if (limited !== undefined) expect([name, limited]).toEqual([name, kept])
        for (const [library, cells] of Object.entries(limitedTables)) {
          const all = tables[library]?.[0] ?? []
          expect([name, library, cells]).toEqual([
            name,
            library,
            isNewestFirst ? all.slice(-7) : all.slice(0, 7),
          ])
        }
      }
    })

    it('takes days and instants in every form, and days and instants of its frames can be joined', async () => {
      const found = JSON.parse(await installed.start(DAYS, { env }))
      expect(found.slice(0, 3)).toEqual([1, 1, 1])
      expect(found[3]).toBeGreaterThan(0)
      expect(found[3]).toBe(found[4])
      expect(found[5]).toBe('give 2026-11-10 03:00:00 a time zone, such as tzinfo=timezone.utc')
    })

    it('gives daily prices of coins and stocks in one frame, by slug or ticker, long or wide', async () => {
      const found = JSON.parse(await installed.start(PRICES, { env }))
      expect(found).toEqual([
        ['slug', 'ticker', 'date', 'price', 'currency', 'price_source'],
        ['string', 'string', 'datetime64[ns, UTC]', 'float64', 'string', 'string'],
        ['AAPL', 'BTC', 'ETH'],
        ['close', 'consensus_vwap'],
        [expect.any(String), 'bitcoin', 'ethereum'],
        expect.any(Number),
        'datetime64[ns, UTC]',
        true,
        true,
        "no asset has the slug or ticker 'no-such-asset'",
      ])
    })

    it('has the cells of JSON in every column of every list, and the same types if it is empty', async () => {
      const frames = JSON.parse(await installed.start(FRAMES, { env })) as Readonly<Record<string, Frame>>
      expect(Object.keys(frames).length).toBeGreaterThan(25)
      for (const [name, [, , isSameWhenEmpty, missing]] of Object.entries(frames))
        expect([name, isSameWhenEmpty, missing]).toEqual([name, true, []])
      expect(frames.candles?.[1]).toEqual({
        asset_id: 'int64',
        slug: 'string',
        ticker: 'string',
        ts: 'datetime64[ns, UTC]',
        vwap_usd: 'float64',
        volume_usd: 'float64',
        exchanges_count: 'int64',
        consensus_status: 'string',
      })
      expect(frames.star_dim_assets?.[1]).toMatchObject({ is_current: 'bool', sources_confirmed: 'object' })
      expect(frames.star_dim_dates?.[1]).toMatchObject({ date: 'datetime64[ns, UTC]' })
    })
  },
)
