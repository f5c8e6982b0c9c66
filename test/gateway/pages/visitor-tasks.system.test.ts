import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { SEED_ENTITIES } from '../../../src/ingest/datasets/screening/screening-entities.js'
import { LOOKS, OF_PAGE } from '../../support/app/browser.js'
import { describePages } from '../../support/app/describe-pages.js'
import { expectAccessible, tabTo } from '../../support/app/visit.js'

const SANCTIONED = SEED_ENTITIES[35]?.lei ?? ''
const NEVER_LISTED = SEED_ENTITIES[149]?.lei ?? ''

/** How a visitor works with a page. */
interface Hands {
  /** Searches for a text and opens the result. */
  search(text: string, result: RegExp): Promise<void>
  press(role: 'button' | 'link', name: string): Promise<void>
  choose(list: string, option: string): Promise<void>
  write(box: string, text: string): Promise<void>
}

/** Shows a page to axe and to the reader of the screenshots. */
type Look = (name: string) => Promise<void>

const withPointer = (page: Page): Hands => ({
  search: async (text, result) => {
    await page.getByRole('combobox', { name: 'Search' }).fill(text)
    await page.getByRole('option', { name: result }).first().click()
  },
  press: (role, name) => page.getByRole(role, { name, exact: true }).first().click(),
  choose: async (list, option) => {
    await page.getByRole('combobox', { name: list, exact: true }).selectOption(option)
  },
  write: (box, text) => page.getByRole('textbox', { name: box, exact: true }).fill(text),
})

const withKeyboard = (page: Page): Hands => ({
  search: async (text, result) => {
    await page.keyboard.press('/')
    expect(await page.evaluate('document.activeElement?.ariaLabel')).toBe('Search')
    await page.keyboard.insertText(text)
    const option = page.getByRole('option', { name: result }).first()
    await option.waitFor()
    while ((await option.getAttribute('aria-selected')) !== 'true') await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
  },
  press: async (role, name) => {
    await tabTo(page, role, name)
    await page.keyboard.press('Enter')
  },
  choose: async (list, option) => {
    await tabTo(page, 'combobox', list)
    await page.keyboard.type(option)
  },
  write: async (box, text) => {
    await tabTo(page, 'textbox', box)
    await page.keyboard.press('Control+A')
    await page.keyboard.insertText(text)
  },
})

/** Each starts at the page at hand and ends with the answer on the screen. */
const TASKS: Readonly<Record<string, (page: Page, hands: Hands, look: Look) => Promise<void>>> = {
  'finds an asset by its name, its ticker and its ISIN': async (page, hands, look) => {
    const heading = (name: string) => page.getByRole('heading', { level: 1, name, exact: true })
    await hands.search('bitc', /^Bitcoin crypto, BTC/)
    await heading('Bitcoin BTC').waitFor()
    await page.getByRole('img', { name: /^Price of Bitcoin over \d+ hours/ }).waitFor()
    await settle(page)
    await look('asset-by-name')
    await hands.search('ETH', /^Ethereum crypto, ETH/)
    await heading('Ethereum ETH').waitFor()
    await page
      .locator('.asset-figures .headline')
      .getByText(/^[\d,.]+$/)
      .waitFor()
    await hands.search('US0378331005', /^Apple/)
    await heading('Apple Inc. AAPL').waitFor()
  },

  'compares currencies': async (page, hands, look) => {
    await hands.search('yen', /^Yen JPY/)
    await page.getByRole('heading', { name: 'JPY for 1 EUR', exact: true }).waitFor()
    await page
      .getByRole('region', { name: 'Convert' })
      .getByText(/^1 EUR is [\d.]+ JPY on/)
      .waitFor()
    await hands.choose('Another currency', 'SEK: Swedish Krona')
    await hands.press('button', 'Add')
    await page
      .getByRole('img', { name: /^Value of USD, GBP, JPY, CHF, SEK in EUR over \d+ days .* first day 100$/ })
      .waitFor()
    await settle(page)
    await look('currencies')
  },

  'looks at a macro series, and at what was known of it earlier': async (page, hands, look) => {
    await hands.search('japan total credit', /^Japan private debt/)
    await page.getByRole('heading', { level: 3, name: 'Japan private debt (total credit)' }).waitFor()
    await page.getByRole('group', { name: 'Newest observations and their revisions' }).waitFor()
    await hands.choose('Compare with values as of', '1 Nov 2026, 00:00 UTC')
    await page
      .getByRole('img', {
        name: /^Japan private debt \(total credit\), \d+ observations, with what was known on 1 Nov 2026/,
      })
      .waitFor()
    await settle(page)
    await look('macro-series')
  },

  'screens an LEI, and others': async (page, hands, look) => {
    const result = (lei: string) => page.getByRole('row', { name: new RegExp(`^${lei}`) })
    await hands.search(SANCTIONED, new RegExp(`^Screen ${SANCTIONED}`))
    await result(SANCTIONED).getByText('sanctioned', { exact: true }).waitFor()
    await hands.write('Identifiers, one per line', `${SANCTIONED} ${NEVER_LISTED}`)
    await hands.press('button', 'Check')
    await result(NEVER_LISTED).getByText('mentioned, not sanctioned', { exact: true }).waitFor()
    await settle(page)
    await look('screening')
  },

  'sees a stock and an ETF': async (page, hands, look) => {
    await hands.search('appl', /^Apple Inc\. stock, AAPL/)
    await page.getByRole('img', { name: /^Price of Apple Inc\. over \d+ days;/ }).waitFor()
    await hands.press('link', 'Prices')
    const price = page.getByRole('region', { name: 'Daily price', exact: true })
    await price.getByRole('img', { name: /^Close of Apple Inc\. on \d+ days/ }).waitFor()
    await hands.press('button', 'Adjusted for splits')
    await price.getByRole('img', { name: /^Adjusted close of Apple Inc\. on \d+ days/ }).waitFor()
    await settle(page)
    await look('stock')
    await hands.press('link', 'Fundamentals')
    await page.getByRole('group', { name: 'AAOIFI ratios' }).waitFor()
    await hands.search('IVV', /^iShares Core S&P 500/)
    await hands.press('link', 'Holdings')
    await page.getByRole('img', { name: /^Treemap of \d+ weights/ }).waitFor()
    await settle(page)
    await look('etf')
  },
}

describePages('a visitor without a query', ({ open }) => {
  for (const [task, perform] of Object.entries(TASKS))
    it.each(LOOKS)(`${task}, by search and clicks, at $size.width px in the $scheme scheme`, async (one) => {
      const { page, complaints, look } = await open('/', one)
      await perform(page, withPointer(page), (name) => expectAccessible(page, `task-${name}-${look}`))
      expect(complaints).toEqual([])
    })

  it('does all of this by keyboard alone, one after the other', async () => {
    const { page, complaints } = await open('/')
    for (const perform of Object.values(TASKS))
      await perform(page, withKeyboard(page), () => Promise.resolve())
    expect(complaints).toEqual([])
  })
})

/** Waits until every panel has its answer. */
async function settle(page: Page): Promise<void> {
  await expect.poll(() => page.getByText('Loading…').count(), OF_PAGE).toBe(0)
}
