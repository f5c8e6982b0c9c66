import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../support/app/app.js'
import { quickestDatabase } from '../../support/database/database.js'
import { InstalledPythonClient, MAY_RUN_PYTHON_CLIENT } from './installed-python-client.js'

/** What every program begins with. Errors of the log are printed, as are exceptions. */
const HEAD = `
import json, logging, sys
from market_data_gateway import ApiError, Client, yf
logging.basicConfig(stream=sys.stdout, format="%(message)s")
def attempt(call):
    try:
        call()
    except (ApiError, ValueError) as error:
        print(type(error).__name__, getattr(error, "message", error))
`

const DAYS = 'start="2026-11-10", end="2026-11-18"'

const DOWNLOAD = `${HEAD}
table = yf.download("aapl, BTC-USD EURUSD=X BTC-USDT@binance", ${DAYS})
grouped = yf.download(["MSFT", "AAPL"], ${DAYS}, group_by="ticker", auto_adjust=False, actions=True)
plain = yf.download("AAPL", ${DAYS}, multi_level_index=False)
hours = yf.download("BTC-USD", start="2026-11-18", end="2026-11-19", interval="1h")
consensus = table.xs("BTC-USD", axis=1, level="Ticker")
print(json.dumps({
    "columns": [list(table.columns.names), sorted(set(table.columns.get_level_values(0))), list(table["Close"].columns)],
    "index": [table.index.name, str(table.index.dtype), str(table.index[0]), str(table.index[-1]), len(table)],
    "stock days": [str(day.date()) for day in table["Close"]["AAPL"].dropna().index],
    "consensus": [int(consensus[name].notna().sum()) for name in ("Open", "High", "Low", "Close", "Volume")],
    "rates": [int(table[name]["EURUSD=X"].notna().sum()) for name in ("Open", "Close", "Volume")],
    "same": [bool((table["Close"]["BTC-USD"].values == [row["vwap_usd"] for row in Client().ohlcv("bitcoin", from_="2026-11-10", to="2026-11-18")]).all()),
        bool((table["Volume"]["BTC-USDT@BINANCE"].values == [row["volume"] for row in Client().exchange_candles("bitcoin", "binance", from_="2026-11-10", to="2026-11-18")]).all()),
        table["Close"]["EURUSD=X"].dropna().tolist() == [row["rate"] for row in Client().forex(quote="USD", from_="2026-11-10", to="2026-11-17")]],
    "grouped": [list(grouped.columns.names), list(grouped.columns)[:8], len(grouped.columns)],
    "plain": [list(plain.columns), list(plain.index) == list(grouped.index)],
    "hours": [hours.index.name, str(hours.index.dtype), len(hours), str(hours.index[0])],
    "attrs": table.attrs["is_dev_dataset"],
}))
`

const HISTORY = `${HEAD}
def described(symbol, **options):
    frame = yf.Ticker(symbol).history(start="2026-08-28", end="2026-09-05", **options)
    return [list(frame.columns), frame.index.name, str(frame.index[0]), str(frame.index[-1])]
frame = yf.Ticker("AAPL").history(start="2026-08-28", end="2026-09-05")
raw = yf.Ticker("AAPL").history(start="2026-08-28", end="2026-09-05", auto_adjust=False)
rows = list(Client().stock_prices("AAPL", from_="2026-08-28", to="2026-09-04", adjust="all"))
print(json.dumps({
    "stock": described("AAPL"), "etf": described("IVV", auto_adjust=False), "crypto": described("ETH-USD", actions=False), "currencies": described("JPY=X"),
    "same": [frame["Close"].tolist() == [row["adjusted_close"] for row in rows], raw["Adj Close"].tolist() == frame["Close"].tolist(),
        raw["Close"].tolist() == [row["close"] for row in rows], raw["Volume"].tolist() == [row["volume"] for row in rows]],
    "open": [frame["Open"].iloc[0], rows[0]["open"] * rows[0]["factor"]],
    "dividends": {str(day.date()): amount for day, amount in frame["Dividends"].items() if amount},
    "periods": [len(yf.Ticker("AAPL").history(period=period, end="2026-11-19")) for period in ("1d", "5d", "1mo")],
    "after": len(yf.Ticker("BTC-USD").history(start="2026-11-01", period="1wk")),
}))
`

/** A split after the range, one within it, a dividend before a weekend, and one in another currency. */
const ACTIONS = `${HEAD}
import pandas
from market_data_gateway._yf_rows import with_actions
def action(kind, day, **members):
    return {"action_type": kind, "ex_date": day, "ratio": None, "amount": None, "currency": None, "factor": None, **members}
actions = [action("split", "2026-03-02", ratio=2.0, factor=0.5), action("dividend", "2026-01-09", amount=0.5, currency="EUR", factor=None),
    action("reverse_split", "2026-01-08", ratio=0.1, factor=10.0), action("dividend", "2026-01-03", amount=0.25, currency="USD", factor=0.99)]
days = pandas.to_datetime(["2026-01-02", "2026-01-05", "2026-01-08", "2026-01-09"], utc=True)
rows = with_actions(pandas.DataFrame({"date": days, "currency": "USD", "actions": [actions, [], [], []]}))
print(rows[["split_factor", "dividend", "split"]].T.to_json(orient="values"))
`

const REFUSED = `${HEAD}
print(yf.download(["NOPE", "AAPL"], ${DAYS})["Close"].notna().sum().to_dict())
print(len(yf.Ticker("BTC-USD@binance").history(${DAYS})), len(yf.Ticker("EURXXX=X").history(${DAYS})))
attempt(lambda: yf.download("AAPL", ${DAYS}, interval="5m"))
attempt(lambda: yf.download("AAPL", ${DAYS}, interval="1h"))
attempt(lambda: yf.download("AAPL", ${DAYS}, period="1y"))
attempt(lambda: yf.download("AAPL", period="fortnight"))
attempt(lambda: yf.download("AAPL", ${DAYS}, prepost=True))
`

/** A gateway on which no exchange trades ethereum: it refuses the whole list of assets. */
const UNTRADED = `${HEAD}
from market_data_gateway import NotFoundError
class WithoutEthereum(Client):
    def candles(self, *, slugs, **options):
        if "ethereum" in slugs:
            raise NotFoundError("ethereum has no candles", code="not_found", status=404)
        return super().candles(slugs=slugs, **options)
table = yf.download(["BTC-USD", "ETH-USD", "SOL-USD"], ${DAYS}, client=WithoutEthereum())
print(table["Close"].notna().sum().to_dict())
`

const ZIPLINE = `${HEAD}
import tempfile
from pathlib import Path
with tempfile.TemporaryDirectory() as folder:
    files = yf.to_zipline_csvdir(folder, "AAPL BTC-USDT@binance", start="2026-08-31", end="2026-09-03")
    print([str(file.relative_to(folder)) for file in files])
    print(files[0].read_text())
    attempt(lambda: yf.to_zipline_csvdir(folder, "MSFT BTC-USD NOPE", ${DAYS}))
    print(sorted(file.name for file in Path(folder, "daily").iterdir()))
`

describe.runIf(MAY_RUN_PYTHON_CLIENT)('market_data_gateway.yf', { timeout: 120_000 }, () => {
  const installed = new InstalledPythonClient()
  let app: TestApp
  let env: Readonly<Record<string, string>>
  beforeAll(async () => {
    ;[app] = await Promise.all([startTestApp(quickestDatabase()), installed.install()])
    env = await environment('pro')
  }, 600_000)
  afterAll(() => app?.close())

  const environment = async (tier: 'free' | 'pro') => ({
    MARKET_DATA_GATEWAY_URL: app.url,
    MARKET_DATA_GATEWAY_KEY: await app.newKey({ tier }),
  })
  const json = async (program: string) => JSON.parse(await installed.start(program, { env }))
  const lines = async (program: string) => (await installed.start(program, { env })).trim().split('\n')

  it('downloads stocks, crypto assets and currencies in the columns and with the index of yfinance', async () => {
    const found = await json(DOWNLOAD)
    expect(found).toEqual({
      columns: [
        ['Price', 'Ticker'],
        ['Close', 'High', 'Low', 'Open', 'Volume'],
        ['AAPL', 'BTC-USD', 'BTC-USDT@BINANCE', 'EURUSD=X'],
      ],
      index: ['Date', 'datetime64[ns]', '2026-11-10 00:00:00', '2026-11-17 00:00:00', 8],
      'stock days': ['10', '11', '12', '13', '16', '17'].map((day) => `2026-11-${day}`),
      consensus: [0, 0, 0, 8, 8],
      rates: [0, 6, 0],
      same: [true, true, true],
      grouped: [
        ['Ticker', 'Price'],
        ['Open', 'High', 'Low', 'Close', 'Adj Close', 'Volume', 'Dividends', 'Stock Splits'].map((price) => [
          'MSFT',
          price,
        ]),
        16,
      ],
      plain: [['Close', 'High', 'Low', 'Open', 'Volume'], true],
      hours: ['Datetime', 'datetime64[ns, UTC]', 24, '2026-11-18 00:00:00+00:00'],
      attrs: true,
    })
  })

  it('gives the history of a symbol with dividends and splits, in the time zone of its market', async () => {
    const found = await json(HISTORY)
    const prices = ['Open', 'High', 'Low', 'Close']
    const actions = ['Dividends', 'Stock Splits']
    const [first, last] = ['2026-08-28 00:00:00', '2026-09-04 00:00:00']
    expect(found).toEqual({
      stock: [[...prices, 'Volume', ...actions], 'Date', `${first}-04:00`, `${last}-04:00`],
      etf: [[...prices, 'Adj Close', 'Volume', ...actions], 'Date', `${first}-04:00`, `${last}-04:00`],
      crypto: [[...prices, 'Volume'], 'Date', `${first}+00:00`, `${last}+00:00`],
      currencies: [[...prices, 'Volume', ...actions], 'Date', `${first}+01:00`, `${last}+01:00`],
      same: [true, true, true, true],
      open: [found.open[1], found.open[1]],
      dividends: { '2026-09-01': expect.any(Number) },
      periods: [1, 5, expect.any(Number)],
      after: 7,
    })
  })

  it('places actions on the day of trading that they begin on, and leaves a dividend in another currency open', async () => {
    expect(await json(ACTIONS)).toEqual([
      [5, 5, 0.5, 0.5],
      [0, 0.25, 0, null],
      [0, 0, 0.1, 0],
    ])
  })

  it('logs why a symbol has no prices, and raises what it does not have', async () => {
    expect(await lines(REFUSED)).toEqual([
      'NOPE: no stock, ETF or crypto asset has this symbol',
      "{'AAPL': 6, 'NOPE': 0}",
      'BTC-USD@BINANCE: binance is not paid in USD: use BTC-USDT@binance',
      'EURXXX=X: quote: must be a currency that the European Central Bank quotes; got XXX',
      '0 0',
      "ValueError interval must be 1h or 1d; got '5m'",
      "ValueError interval must be 1d for AAPL; got '1h'",
      'ValueError give at most two of start, end and period',
      "ValueError period must be max, ytd, or a number with d, wk, mo or y, such as 6mo; got 'fortnight'",
      'ValueError prepost must be False: the gateway has no such prices',
    ])
  })

  it('gives the other crypto assets if one of them has no prices', async () => {
    expect(await lines(UNTRADED)).toEqual([
      'ETH-USD: ethereum has no candles',
      "{'BTC-USD': 8, 'ETH-USD': 0, 'SOL-USD': 8}",
    ])
  })

  it('raises the limits of a tier with the text of the gateway', async () => {
    const program = `${HEAD}
attempt(lambda: yf.download("AAPL", ${DAYS}))
attempt(lambda: yf.download("BTC-USD", start="2025-01-01"))`
    const printed = await installed.start(program, { env: await environment('free') })
    expect(printed).toMatch(
      /^ForbiddenError .*instruments:read.*\nForbiddenError Candles from before .* need the scope history:full: .*\n$/,
    )
  })

  it('writes the files of zipline, and none if a day has no open, high or low', async () => {
    const [written, ...rest] = await lines(ZIPLINE)
    expect(written).toBe("['daily/AAPL.csv', 'daily/BTC-USDT@BINANCE.csv']")
    expect(rest.slice(0, 4)).toEqual([
      'date,open,high,low,close,volume,dividend,split',
      expect.stringMatching(/^2026-08-31(,[\d.]+){4},\d+\.0,0\.0,1\.0$/),
      expect.stringMatching(/^2026-09-01(,[\d.]+){4},\d+\.0,0\.\d+,1\.0$/),
      expect.stringMatching(/^2026-09-02(,[\d.]+){4},\d+\.0,0\.0,1\.0$/),
    ])
    expect(rest.slice(5)).toEqual([
      'ValueError NOPE: no stock, ETF or crypto asset has this symbol; BTC-USD: 8 of 8 days have no open, high, low',
      "['AAPL.csv', 'BTC-USDT@BINANCE.csv']",
    ])
  })
})
