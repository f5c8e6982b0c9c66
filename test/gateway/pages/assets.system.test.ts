import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestApp } from '../../support/app/app.js'
import { describeInBrowser, LOOKS, OF_PAGE } from '../../support/app/browser.js'
import { expectCallsToWork } from '../../support/app/panel-calls.js'
import { expectAccessible, tabTo, visit } from '../../support/app/visit.js'

describeInBrowser('the pages of assets', (openPage) => {
  let gateway: { readonly url: string; readonly key: string; close(): Promise<void> }
  beforeAll(async () => {
    const app = await startTestApp('pglite', { developmentTier: 'pro' })
    gateway = { url: app.url, key: app.developmentKey ?? '', close: () => app.close() }
  })
  afterAll(() => gateway?.close())

  const open = (path = '/', look?: (typeof LOOKS)[number]) => visit(openPage, gateway.url + path, look)

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
      await page.getByRole('heading', { level: 1, name: 'Bitcoin BTC' }).waitFor()
      await expect.poll(() => page.title()).toBe('Bitcoin (BTC): Market Data Gateway')
      await tabTo(page, 'button', '1 year')
      await page.keyboard.press('Enter')
      await page
        .getByRole('img', { name: /over 364 days/ })
        .first()
        .waitFor()
      await tabTo(page, 'slider', 'Price: choose a point')
      await page.keyboard.press('Home')
      const slider = page.getByRole('slider', { name: 'Price: choose a point' })
      await expect.poll(() => slider.getAttribute('aria-valuetext')).toMatch(/^21 Nov 2025: [\d,.]+ USD$/)
      await expectAccessible(page, `asset-${look}`)
      expect(complaints).toEqual([])
    },
  )

  it.each(LOOKS)('list, filter and sort all assets at $size.width px in the $scheme scheme', async (one) => {
    const { page, complaints, look } = await open('/', one)
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Assets' }).click()
    await page.getByRole('row', { name: /^Bitcoin BTC/ }).waitFor()
    await expectAccessible(page, `assets-${look}`)
    const names = () => page.locator('tbody th a').allTextContents()
    await page.getByRole('button', { name: 'Price, USD' }).click()
    expect((await names())[0]).not.toBe('Bitcoin')
    await page.getByRole('button', { name: 'Price, USD' }).click()
    expect((await names())[0]).toBe('Bitcoin')
    await page.getByLabel('Filter').fill('ethereum')
    expect(await names()).toEqual(['Ethereum', 'Ethereum Classic'])
    await page.getByLabel('Filter').fill('')
    await page.getByRole('button', { name: 'Next' }).click()
    await page.getByText('101–', { exact: false }).waitFor()
    await page.getByRole('button', { name: 'ETFs' }).click()
    await page.getByRole('row', { name: /SPY/ }).waitFor()
    expect(new URL(page.url()).search).toBe('?class=etf')
    expect(complaints).toEqual([])
  })

  it.each([
    ['bitcoin', ['Daily price and volume', 'How the newest daily price was computed', 'On-chain activity']],
    ['apple', ['Listing', 'Fundamentals', 'Dividends', 'Corporate actions']],
    ['spdr-gold-shares', ['Fund', 'Holdings']],
    ['gold', ['Reference price']],
  ])('show of %s what its class has, with calls that work', async (slug, titles) => {
    const { page, complaints } = await open(`/assets/${slug}`)
    for (const title of [...titles, 'Analyses'])
      await page.getByRole('heading', { level: 2, name: title }).waitFor()
    await expect.poll(() => page.getByText('Loading…').count(), OF_PAGE).toBe(0)
    expect(await page.locator('.notice').allTextContents()).toEqual([])
    await expectCallsToWork(page, gateway)
    await expectAccessible(page, `asset-${slug}`)
    expect(complaints).toEqual([])
  })

  it('open a recent search again', async () => {
    const { page } = await open()
    const box = page.getByRole('combobox', { name: 'Search' })
    await box.fill('US0378331005')
    await page.getByRole('option', { name: /Apple/ }).click()
    await page.getByRole('heading', { level: 1, name: /Apple/ }).waitFor()
    await box.focus()
    await page.getByRole('option', { name: /Apple/ }).waitFor()
    await page.keyboard.press('Escape')
    expect(await page.getByRole('listbox').count()).toBe(0)
    await box.fill('no such thing')
    await page.getByText('Nothing matches “no such thing”.').waitFor()
  })
})
