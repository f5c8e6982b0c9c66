import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../support/app/app.js'
import { describeInBrowser, type LOOKS, screenshot, type WatchedPage } from '../../support/app/browser.js'
import { quickestDatabase } from '../../support/database/database.js'
import { type Listening, listen } from '../../support/peers/sockets.js'

const LIBRARY = readFileSync(
  join(
    import.meta.dirname,
    '../../../node_modules/lightweight-charts/dist/lightweight-charts.standalone.production.js',
  ),
)

/** Draws what the feed answers: candles where it has the four prices, else a line. */
const PAGE = `<!doctype html><meta charset="utf-8"><title>Chart</title><link rel="icon" href="data:,">
<div id="chart" style="width:800px;height:400px"></div>
<script src="library.js"></script>
<script>
  async function draw({ feed, token, symbol, resolution, before, countback, background }) {
    const ask = async (path, query) =>
      (await fetch(feed + path + '?' + new URLSearchParams({ ...query, token }))).json()
    const { supported_resolutions, supports_search } = await ask('config', {})
    const { ticker, pricescale, errmsg } = await ask('symbols', { symbol })
    if (ticker === undefined) return { errmsg }
    const bars = new Map()
    let to = before
    while (bars.size < countback) {
      const body = await ask('history', { symbol: ticker, resolution, from: to - 1, to, countback: 500 })
      if (body.s === 'error') return { errmsg: body.errmsg }
      if (body.s === 'no_data') {
        if (body.nextTime === undefined) break
        to = body.nextTime + 1
        continue
      }
      body.t.forEach((time, i) => bars.set(time, body.o
        ? { time, open: body.o[i], high: body.h[i], low: body.l[i], close: body.c[i] }
        : { time, value: body.c[i] }))
      to = body.t[0] - 1
    }
    const data = [...bars.values()].sort((a, b) => a.time - b.time)
    const chart = LightweightCharts.createChart('chart', { layout: { background: { color: background } } })
    const isCandles = data[0]?.open !== undefined
    const colors = { up: '#00ff00', down: '#ff0000', line: '#0000ff' }
    const series = isCandles
      ? chart.addSeries(LightweightCharts.CandlestickSeries, {
          upColor: colors.up, downColor: colors.down, borderVisible: false, wickVisible: false })
      : chart.addSeries(LightweightCharts.LineSeries, { color: colors.line, lineWidth: 3 })
    series.applyOptions({ lastValueVisible: false, priceLineVisible: false,
      priceFormat: { type: 'price', minMove: 1 / pricescale, precision: Math.round(Math.log10(pricescale)) } })
    series.setData(data)
    chart.timeScale().fitContent()
    const canvas = chart.takeScreenshot()
    const { data: pixels } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height)
    const drawn = new Set()
    for (let i = 0; i < pixels.length; i += 4)
      for (const [name, color] of Object.entries(colors))
        if ('#' + [0, 1, 2].map((k) => pixels[i + k].toString(16).padStart(2, '0')).join('') === color)
          drawn.add(name)
    return { supports_search, knows: supported_resolutions.includes(resolution), count: data.length,
      first: data[0]?.time, last: data.at(-1)?.time, drawn: [...drawn].sort() }
  }
</script>`

interface Drawn {
  readonly errmsg?: string
  readonly supports_search: boolean
  readonly knows: boolean
  readonly count: number
  readonly first: number
  readonly last: number
  readonly drawn: readonly string[]
}

describeInBrowser('a chart of lightweight-charts over the UDF interface', (openPage) => {
  let app: TestApp
  let token: string
  /** A site of its own, which asks the gateway across origins. */
  let site: Listening
  beforeAll(async () => {
    site = await listen(({ url }, response) => {
      const [type, body] = url === '/' ? ['text/html', PAGE] : ['text/javascript', LIBRARY]
      response.setHeader('content-type', type).end(body)
    })
    app = await startTestApp(quickestDatabase())
    const body = { label: 'chart', url_use: { interfaces: ['udf'], hourly_units: 1_000 } }
    const made = await app.rest<{ raw_key: string }>('/auth/keys', {
      method: 'POST',
      key: await app.newKey({ tier: 'pro' }),
      body,
    })
    token = made.body.raw_key
  })
  afterAll(async () => {
    await Promise.all([site?.close(), app?.close()])
  })

  const DAY = 86_400
  const before = () => app.clock.now().getTime() / 1000

  /** What the page draws of a symbol, the newest bars before the clock of the gateway. */
  async function draw(
    symbol: string,
    { resolution = '1D', countback = 150, scheme = 'light' }: DrawOptions = {},
  ): Promise<Drawn & Pick<WatchedPage, 'complaints'>> {
    const { page, complaints } = await openPage()
    await page.goto(`${site.url}/`)
    const background = scheme === 'light' ? '#ffffff' : '#101418'
    const feed = `${app.url}/compat/udf/`
    const options = { feed, token, symbol, resolution, before: before(), countback, background }
    const drawn = (await page.evaluate(
      // As text: vitest looks for the source of each place in a stack, and the page has none.
      `draw(${JSON.stringify(options)}).catch((error) => ({ errmsg: String(error) }))`,
    )) as Drawn
    await screenshot(page, `udf-${symbol.replace(':', '-')}-${resolution}-${scheme}`)
    return { ...drawn, complaints }
  }

  it.each(['light', 'dark'] as const)('draws candles of an exchange on a %s page', async (scheme) => {
    const { count, first, last, drawn, ...rest } = await draw('BINANCE:BTC', { scheme })
    expect(rest).toEqual({ supports_search: true, knows: true, complaints: [] })
    expect(count).toBeGreaterThanOrEqual(150)
    expect([first % DAY, (last - first) / DAY]).toEqual([0, count - 1])
    expect(drawn).toEqual(['down', 'up'])
  })

  it.each([
    ['CONSENSUS:BTC', '60', ['line']],
    ['ECB:EURUSD', '1D', ['line']],
    ['AAPL', '1D', ['down', 'up']],
  ])('draws %s in steps of %s', async (symbol, resolution, expected) => {
    const { count, drawn, complaints } = await draw(symbol, { resolution })
    expect(count).toBeGreaterThan(100)
    expect([drawn, complaints]).toEqual([expected, []])
  })

  it('goes back to the first bar by the next time of an answer without data', async () => {
    const { count, first } = await draw('ECB:EURUSD', { countback: 100_000 })
    const { body } = await app.rest<{ data: readonly { date: string }[] }>(
      '/v1/forex?from=1999-01-01&quote=USD',
      { key: await app.newKey({ tier: 'pro' }) },
    )
    expect(count).toBeGreaterThan(250)
    expect(new Date(first * 1000).toISOString().slice(0, 10)).toBe(body.data[0]?.date)
  })

  it('shows the error of a symbol that nobody has', async () => {
    const { errmsg, complaints } = await draw('CONSENSUS:NOBODY')
    expect([errmsg, complaints]).toEqual([expect.stringMatching(/unknown_symbol/), []])
  })
})

interface DrawOptions {
  readonly resolution?: string
  readonly countback?: number
  readonly scheme?: (typeof LOOKS)[number]['scheme']
}
