import { expect, it } from 'vitest'
import { SEED_ENTITIES } from '../../../src/ingest/datasets/screening/screening-entities.js'
import { LOOKS, OF_PAGE, screenshot } from '../../support/app/browser.js'
import { describePages } from '../../support/app/describe-pages.js'
import { expectAccessible, followEntry, tabTo } from '../../support/app/visit.js'

describePages('the pages of assets', ({ open, expectCallsToWork, url }) => {
  it.each(LOOKS)(
    'lead a visitor from the overview to the price of an asset a year ago, by keyboard alone, at $size.width px in the $scheme scheme',
    async (one) => {
      const { page, complaints, look } = await open('/', one)
      await page.keyboard.press('/')
      expect(await page.evaluate('document.activeElement?.ariaLabel')).toBe('Search')
      await page.keyboard.type('bitc')
      await page.getByRole('option', { name: /Bitcoin crypto, BTC/ }).waitFor()
      await expectAccessible(page, `search-${look}`)
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { level: 1, name: /^Bitcoin BTC/ }).waitFor()
      await expect.poll(() => page.title()).toBe('Bitcoin (BTC): Market Data Gateway')
      await tabTo(page, 'button', '1 year')
      await page.keyboard.press('Enter')
      await page
        .getByRole('img', { name: /over 364 days/ })
        .first()
        .waitFor()
      await tabTo(page, 'slider', 'Price: choose a point')
      await page.keyboard.press('Home')
      const slider = page.getByRole('slider', { name: 'Price: choose a point', exact: true })
      await expect.poll(() => slider.getAttribute('aria-valuetext')).toMatch(/^21 Nov 2025: [\d,.]+ USD$/)
      await expectAccessible(page, `asset-${look}`)
      expect(complaints).toEqual([])
    },
  )

  it.each(LOOKS)('list, filter and sort all assets at $size.width px in the $scheme scheme', async (one) => {
    const { page, complaints, look } = await open('/', one)
    await followEntry(page, 'Assets')
    await page.getByRole('row', { name: /^Bitcoin BTC/ }).waitFor()
    await expectAccessible(page, `assets-${look}`)
    const names = () => page.locator('tbody th a').allTextContents()
    await page.getByRole('button', { name: 'Price, USD' }).click()
    await page.getByRole('columnheader', { name: 'Price, USD', exact: false }).waitFor()
    await expect.poll(async () => (await names()).slice(0, 2), OF_PAGE).toEqual(['Bitcoin', 'yearn.finance'])
    await page.getByRole('button', { name: 'Price, USD' }).click()
    await expect.poll(async () => (await names())[0], OF_PAGE).not.toBe('Bitcoin')
    await page.getByRole('button', { name: 'Asset ' }).click()
    await page.getByLabel('Filter').fill('ethereum')
    await expect.poll(names, OF_PAGE).toEqual(['Ethereum', 'Ethereum Classic'])
    expect(new URL(page.url()).searchParams.get('order')).toBe('name')
    await page.getByLabel('Filter').fill('')
    await expect.poll(async () => (await names()).length, OF_PAGE).toBe(40)
    await page.getByRole('button', { name: 'Next' }).click()
    await page.getByText('41–', { exact: false }).waitFor()
    await page.getByRole('button', { name: 'ETFs' }).click()
    await page.getByRole('row', { name: /SPY/ }).waitFor()
    expect(new URL(page.url()).searchParams.get('class')).toBe('etf')
    expect(complaints).toEqual([])
  })

  it('sort all stocks by a figure of twelve months, by keyboard alone, and keep that in the address', async () => {
    const { page, complaints } = await open('/assets?class=stock')
    const figures = (column: string) =>
      page
        .locator(`td[data-name="${column} 12 m, USD"]`)
        .evaluateAll((cells) => cells.map((cell) => cell.textContent))
    const headings = page.getByRole('columnheader')
    await page.getByRole('row', { name: /^Apple Inc\. AAPL/ }).waitFor()
    await tabTo(page, 'button', 'Revenue 12 m, USD')
    await page.keyboard.press('Enter')
    await expect.poll(() => figures('Revenue').then(areDescending), OF_PAGE).toBe(true)
    expect(await page.locator('tbody th').count()).toBe(40)
    expect(new URL(page.url()).searchParams.get('order')).toBe('-revenue_usd')
    await expectCallsToWork(page)
    await page.reload()
    await expect.poll(() => figures('Revenue').then(areDescending), OF_PAGE).toBe(true)
    expect(await headings.getByText('Revenue').locator('..').getAttribute('aria-sort')).toBe('descending')
    await tabTo(page, 'button', 'Net income 12 m, USD')
    await page.keyboard.press('Enter')
    await expect.poll(() => figures('Net income').then(areDescending), OF_PAGE).toBe(true)
    await expectAccessible(page, 'stocks-by-figure')
    // The gateway sorts all stocks, not those that a filter finds.
    await page.getByLabel('Filter').fill('apple')
    await expect.poll(() => page.locator('tbody th a').allTextContents(), OF_PAGE).toEqual(['Apple Inc.'])
    expect(await page.getByRole('button', { name: /12 m, USD/ }).count()).toBe(0)
    expect(complaints).toEqual([])
  })

  it.each([
    ['bitcoin', '', ['Price', 'Figures', 'Headlines', 'Events']],
    ['bitcoin', 'prices', ['Price on one exchange', 'Hourly price beside the daily one']],
    ['bitcoin', 'fundamentals', ['Fees and revenue', 'On-chain activity']],
    ['bitcoin', 'analyses', ['Analyses', 'Difference between two analyses']],
    ['bitcoin', 'evidence', ['How the newest daily price was computed']],
    ['apple', '', ['Price', 'Listing']],
    ['apple', 'prices', ['Daily price', 'Dividends', 'Corporate actions']],
    ['apple', 'fundamentals', ['Fundamentals']],
    ['apple', 'holders', ['Held by']],
    ['spdr-gold-shares', '', ['Price', 'Fund']],
    ['spdr-gold-shares', 'holdings', ['Holdings']],
    ['gold', '', ['Price', 'Figures']],
  ])('show of %s, section "%s", what its class has, with calls that work', async (slug, section, titles) => {
    const { page, complaints } = await open(`/assets/${slug}${section === '' ? '' : `?section=${section}`}`)
    for (const title of titles)
      await page.getByRole('heading', { level: 2, name: title, exact: true }).waitFor()
    await expect.poll(() => page.getByText('Loading…').count(), OF_PAGE).toBe(0)
    expect(await page.locator('.notice').allTextContents()).toEqual([])
    await page.locator('.asset-figures .sparkline').waitFor()
    await expectCallsToWork(page)
    await expectAccessible(page, `asset-${slug}-${section}`)
    expect(complaints).toEqual([])
  })

  it.each(LOOKS)(
    'compare the price with that of another asset, and zoom by dragging, at $size.width px in the $scheme scheme',
    async (one) => {
      const { page, complaints, look } = await open('/assets/bitcoin', one)
      await tabTo(page, 'button', '1 year')
      await page.keyboard.press('Enter')
      const form = page.getByRole('searchbox', { name: 'Compare with' })
      await form.focus()
      await page.keyboard.type('AAPL')
      await page.keyboard.press('Enter')
      const chart = page.getByRole('img', { name: 'Prices of Bitcoin and Apple Inc., indexed to 100' })
      await chart.waitFor()
      expect(new URL(page.url()).searchParams.get('compare')).toBe('AAPL')
      const point = page.getByRole('slider', { name: 'Price: choose a point' })
      await point.press('Home')
      expect(await point.getAttribute('aria-valuetext')).toMatch(/: 100 Bitcoin, 100 Apple Inc\.$/)
      await point.press('ArrowRight')
      expect(await point.getAttribute('aria-valuenow')).toBe('1')
      await chart.scrollIntoViewIfNeeded()
      const { x, y, width, height } = (await chart.boundingBox()) ?? expect.fail()
      await page.mouse.move(x + 0.4 * width, y + height / 3)
      await page.mouse.down()
      await page.mouse.move(x + 0.7 * width, y + height / 3, { steps: 5 })
      await page.mouse.up()
      await expectAccessible(page, `compared-${look}`)
      await page.getByRole('button', { name: 'Show the whole range' }).click()
      expect(await page.getByRole('button', { name: 'Show the whole range' }).count()).toBe(0)
      await page.getByRole('button', { name: 'Remove' }).click()
      await page.getByRole('img', { name: /^Price of Bitcoin over 364 days/ }).waitFor()
      expect(complaints).toEqual([])
    },
  )

  it('say which text names no asset to compare with', async () => {
    const { page } = await open('/assets/gold?compare=%23%23%23')
    await page.getByText('No asset matches “###”. Write a name, a ticker or an ISIN.').waitFor()
  })

  it('keep each section in the history, and show requests in several languages, by keyboard alone', async () => {
    const { page, complaints } = await open('/assets/apple')
    await tabTo(page, 'link', 'Fundamentals')
    await page.keyboard.press('Enter')
    await page.getByRole('region', { name: 'Fundamentals' }).waitFor()
    expect(new URL(page.url()).search).toBe('?section=fundamentals')
    await tabTo(page, 'link', 'API')
    await page.keyboard.press('Enter')
    await page.getByText('/v1/stocks/AAPL/fundamentals?mic=XNAS').first().waitFor()
    await tabTo(page, 'button', 'Python')
    await page.keyboard.press('Enter')
    await page.getByText('from urllib.request import Request, urlopen').first().waitFor()
    await expectAccessible(page, 'asset-api')
    await page.goBack()
    await page.getByRole('region', { name: 'Fundamentals' }).waitFor()
    await page.goBack()
    await page.getByRole('region', { name: 'Listing' }).waitFor()
    expect(complaints).toEqual([])
  })

  it.each(LOOKS)(
    'show the holdings of an ETF as tiles and beside an earlier report, by keyboard alone, at $size.width px in the $scheme scheme',
    async (one) => {
      const { page, complaints, look } = await open('/assets/ishares-core-sp-500?section=holdings', one)
      const panel = page.getByRole('region', { name: 'Holdings' })
      await panel.getByRole('img', { name: /^Treemap of 39 weights; the largest holding is / }).waitFor()
      await tabTo(page, 'combobox', 'Compare with the report of')
      await page.keyboard.press('ArrowDown')
      await panel.getByText('Reported for 19 Nov 2026, compared with the report for 31 Oct 2026.').waitFor()
      await tabTo(page, 'slider', 'Treemap: choose a tile')
      await page.keyboard.press('End')
      const slider = panel.getByRole('slider', { name: 'Treemap: choose a tile' })
      await expect.poll(() => slider.getAttribute('aria-valuetext')).toMatch(/: 0\.\d\d%$/)
      expect(await panel.locator('.treemap .chosen').count()).toBe(1)
      await tabTo(page, 'button', 'Change, points')
      await page.keyboard.press('Enter')
      await expect
        .poll(() => panel.getByRole('row').nth(1).getByRole('cell').nth(3).textContent())
        .toMatch(/^-0\.\d+$/)
      await expectAccessible(page, `holdings-${look}`)
      const choice = panel.getByLabel('Compare with the report of')
      expect(await choice.getByRole('option').allTextContents()).toEqual(['No comparison', '31 Oct 2026'])
      await choice.selectOption('No comparison')
      await panel.getByText('Reported for 19 Nov 2026.').waitFor()
      expect(complaints).toEqual([])
    },
  )

  it('show calls of a comparison of two reports that work', async () => {
    const { page } = await open('/assets/ishares-core-sp-500?section=holdings')
    const panel = page.getByRole('region', { name: 'Holdings' })
    await panel.getByLabel('Compare with the report of').selectOption('2026-10-31')
    await panel.getByText('compared with the report for 31 Oct 2026').waitFor()
    await expectCallsToWork(page)
  })

  it('print a comparison of two reports without controls and within the width of a page', async () => {
    const { page } = await open('/assets/ishares-core-sp-500?section=holdings')
    const panel = page.getByRole('region', { name: 'Holdings' })
    await panel.getByLabel('Compare with the report of').selectOption('2026-10-31')
    await panel.getByRole('button', { name: 'Change, points' }).waitFor()
    await page.setViewportSize({ width: 800, height: 1100 })
    await page.emulateMedia({ media: 'print' })
    for (const control of await panel.locator('input, select, button.plain').all())
      expect(await control.isVisible()).toBe(false)
    expect(await panel.getByText('Change, points').isVisible()).toBe(true)
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(800)
  })

  it('leave short positions out of the tiles and say so', async () => {
    const { page } = await open('/assets/vanguard-total-stock-market?section=holdings')
    await page.getByText('The treemap leaves out 1 short position with a negative weight.').waitFor()
  })

  it('show the ratios of a stock with their bounds and the figures behind them', async () => {
    const { page } = await open('/assets/apple?section=fundamentals')
    const ratios = page.getByRole('group', { name: 'AAOIFI ratios' })
    const row = ratios.getByRole('row', { name: /^Debt to market value/ })
    await row.getByText(/^total debt: [\d.]+bn USD \(\d{4}-12-31, 10-K\)$/).waitFor()
    await row.getByText('below 33%').waitFor()
    expect(await ratios.getByRole('row').count()).toBe(4)
  })

  it.each(LOOKS)(
    'adjust the daily price of a stock and list the dividends behind it, at $size.width px in the $scheme scheme',
    async (one) => {
      const { page, complaints, look } = await open('/assets/apple?section=prices', one)
      const panel = page.getByRole('region', { name: 'Daily price', exact: true })
      await panel
        .getByRole('img', { name: /^Close of Apple Inc. on \d+ days; [\d.]+ USD on 19 Nov 2026$/ })
        .waitFor()
      await panel.getByRole('button', { name: 'Adjusted for splits and dividends' }).click()
      await panel.getByRole('img', { name: /^Adjusted close of Apple Inc. on \d+ days/ }).waitFor()
      await panel.getByRole('row', { name: /dividend [\d.]+ USD 0\.99/ }).waitFor()
      await panel.scrollIntoViewIfNeeded()
      await expectAccessible(page, `listed-prices-${look}`)
      expect(complaints).toEqual([])
    },
  )

  it('compare the daily price of a crypto asset with the hours of its day', async () => {
    const { page } = await open('/assets/bitcoin?section=prices')
    const panel = page.getByRole('region', { name: 'Hourly price beside the daily one' })
    await panel
      .getByRole('img', { name: /^Hourly price of Bitcoin over \d+ hours, with the daily price of 7 days$/ })
      .waitFor()
    const row = panel.getByRole('row', { name: /^19 Nov 2026/ })
    const [daily, lowest, highest] = (await row.getByRole('cell').allTextContents()).map((text) =>
      Number(text.replace(',', '')),
    )
    expect(lowest).toBeLessThan(highest ?? 0)
    expect(Math.abs((daily ?? 0) / (lowest ?? 0) - 1)).toBeLessThan(0.1)
    await panel.getByRole('button', { name: '2 days' }).click()
    await panel.getByRole('img', { name: /with the daily price of 2 days$/ }).waitFor()
  })

  it('name the figures that differ between two analyses that the visitor chooses', async () => {
    const { page } = await open('/assets/bitcoin?section=analyses')
    const panel = page.getByRole('region', { name: 'Difference between two analyses' })
    await panel.getByText(/^The analyses of .* differ in \d+ figures?\. Main reason: /).waitFor()
    const first = panel.getByLabel('First analysis')
    const oldest = (await first.locator('option').last().textContent()) ?? ''
    await first.selectOption(oldest)
    await panel.getByText(`The analyses of ${oldest} and`).waitFor()
    await panel.getByRole('row', { name: /^price usd .* new data$/ }).waitFor()
    expect(await panel.getByLabel('Second analysis').locator('option').last().isDisabled()).toBe(true)
  })

  it('say what the changes of an analysis compare, where they differ from those in the head', async () => {
    const { page } = await open('/assets/bitcoin?section=analyses')
    const panel = page.getByRole('region', { name: 'Analyses', exact: true })
    const note = panel.getByText('the head of this page compares hourly prices')
    expect(await note.textContent()).toContain('Changes over 7 days compare daily means')
    await panel.getByRole('button', { name: 'Regime' }).click()
    await panel.getByText('Prices and changes are those of daily means').waitFor()
    await panel.getByRole('button', { name: 'Halal analysis' }).click()
    await expect.poll(() => note.count(), OF_PAGE).toBe(0)
    await page.goto(url('/assets/apple?section=analyses'))
    await panel
      .getByText(/closed at .* over 7 days/)
      .first()
      .waitFor()
    expect(await note.count()).toBe(0)
  })

  it('name the exchanges behind a price as people do, with signed differences', async () => {
    const { page } = await open('/assets/bitcoin?section=evidence')
    const row = page.getByRole('row', { name: /^Binance / })
    expect(await row.locator('td').nth(3).textContent()).toMatch(/^[+−]\d\.\d{3}%$/)
  })

  it('show first how the price of a commodity has changed, then its unit', async () => {
    const { page } = await open('/assets?class=commodity')
    await page.getByRole('row', { name: /^Gold XAU/ }).waitFor()
    expect(await page.getByRole('columnheader').allTextContents()).toEqual([
      expect.stringMatching(/^Asset/),
      ...['Price, USD', '1 month', '1 year', '12 months', 'Month', 'Per'],
    ])
  })

  it('show of a commodity its month, what it compares with and its range', async () => {
    const { page } = await open('/assets/gold')
    const facts = page.getByRole('region', { name: 'Figures', exact: true }).locator('.facts > div')
    await expect
      .poll(() => facts.allTextContents(), OF_PAGE)
      .toEqual([
        expect.stringMatching(/^Average of the month[\d,]+\.\d\d$/),
        'UnitUSD per troy ounce',
        'Month2026-10',
        expect.stringMatching(/^Change over 1 month[+−][\d.]+%$/),
        expect.stringMatching(/^Change over 1 year[+−][\d.]+%$/),
        expect.stringMatching(/^Highest of 5 years[\d,]+\.\d\d in 202\d-\d\d$/),
        expect.stringMatching(/^Lowest of 5 years[\d,]+\.\d\d in 202\d-\d\d$/),
      ])
  })

  it('lead from the LEI of a company to its screening', async () => {
    const lei = SEED_ENTITIES[35]?.lei ?? ''
    const { page, complaints } = await open('/')
    await page.getByRole('combobox', { name: 'Search' }).fill(lei.toLowerCase())
    await page.getByRole('option', { name: `Screen ${lei}` }).click()
    await page.getByRole('row', { name: lei }).waitFor()
    expect(new URL(page.url()).search).toBe(`?lei=${lei}`)
    expect(complaints).toEqual([])
  })

  it('lead from a mistyped name of a company to its page and its screening, and from its LEI to both', async () => {
    const { page, complaints } = await open('/')
    const box = page.getByRole('combobox', { name: 'Search' })
    for (const text of ['aple', 'HWUPKR0MPOU8FGXBT394']) {
      await box.fill(text)
      await page.getByRole('option', { name: /^Screen Apple Inc\./ }).waitFor()
      expect(await page.getByRole('option', { name: /^Screen / }).count()).toBe(1)
      await page.getByRole('option', { name: /^Apple Inc\./ }).waitFor()
    }
    await page.getByRole('option', { name: /^Screen Apple Inc\./ }).click()
    await page.getByRole('row', { name: 'HWUPKR0MPOU8FGXBT394' }).waitFor()
    expect(complaints).toEqual([])
  })

  it('open a recent search again', async () => {
    const { page } = await open()
    const box = page.getByRole('combobox', { name: 'Search' })
    await box.fill('US0378331005')
    await page.getByRole('option', { name: /^Apple Inc\. stock/ }).click()
    await page.getByRole('heading', { level: 1, name: /Apple/ }).waitFor()
    await box.focus()
    await page.getByRole('option', { name: /^Apple Inc\. stock/ }).waitFor()
    await page.keyboard.press('Escape')
    expect(await page.getByRole('listbox').count()).toBe(0)
    await box.fill('no such thing')
    await page.getByText('Nothing matches “no such thing”.').waitFor()
  })

  it('lead from "who holds apple" to the ETFs that hold it, and from a pair to its conversion', async () => {
    const { page, complaints } = await open('/')
    const box = page.getByRole('combobox', { name: 'Search' })
    await box.fill('who holds apple')
    await page.getByRole('option', { name: /^ETFs that hold Apple Inc\./ }).click()
    const panel = page.getByRole('region', { name: 'Held by' })
    await panel.getByText('14 ETFs hold this stock.').waitFor()
    await panel.getByRole('link', { name: /Invesco QQQ/ }).waitFor()
    await screenshot(page, 'held-by')
    await box.fill('250 EUR in USD')
    await page.getByRole('option', { name: /^250 EUR = 290\.75 USD/ }).click()
    const converter = page.getByRole('region', { name: 'Convert' })
    await converter.getByText('290.75').waitFor()
    const amount = converter.getByRole('textbox', { name: 'Amount in EUR' })
    await amount.fill('1,250')
    await converter.getByText('Write the amount without commas').waitFor()
    await amount.fill('1250.50')
    await converter.getByText('1,454.3315').waitFor()
    await page.getByRole('combobox', { name: /^To/ }).selectOption('JPY')
    await converter.getByText(/^1 EUR is [\d.]+ JPY on/).waitFor()
    expect(await converter.getByRole('textbox').inputValue()).toBe('1250.50')
    await screenshot(page, 'converter')
    expect(complaints).toEqual([])
  })
})

/** Whether figures such as `1.580tn` and `–` go down, with those that are missing at the end. */
function areDescending(texts: readonly (string | null)[]): boolean {
  const UNITS: Readonly<Record<string, number>> = { k: 1e3, m: 1e6, bn: 1e9, tn: 1e12 }
  const values = texts.map((text) => {
    const [, number, unit = ''] = /^(-?[\d.]+)(\w*)$/.exec(text ?? '') ?? []
    return number === undefined ? -Infinity : Number(number) * (UNITS[unit] ?? 1)
  })
  return values.length > 1 && values.every((value, at) => at === 0 || value <= (values[at - 1] ?? 0))
}
