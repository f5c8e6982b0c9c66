import { afterAll, beforeAll, expect, it } from 'vitest'
import { SEED_ENTITIES } from '../../../src/ingest/datasets/screening/screening-entities.js'
import { startTestApp } from '../../support/app/app.js'
import { describeInBrowser, LOOKS, OF_PAGE } from '../../support/app/browser.js'
import { expectCallsToWork } from '../../support/app/panel-calls.js'
import { expectAccessible, tabTo, visit } from '../../support/app/visit.js'

const SANCTIONED = SEED_ENTITIES[35]?.lei ?? ''
const NEVER_LISTED = SEED_ENTITIES[149]?.lei ?? ''
const UNKNOWN = '5493001KJTIIGC8Y1R12'

describeInBrowser('the explorer', (openPage) => {
  let gateway: { readonly url: string; readonly key: string; close(): Promise<void> }
  beforeAll(async () => {
    const app = await startTestApp('pglite', { developmentTier: 'pro' })
    gateway = { url: app.url, key: app.developmentKey ?? '', close: () => app.close() }
  })
  afterAll(() => gateway?.close())

  const open = (path = '/', look?: (typeof LOOKS)[number]) => visit(openPage, gateway.url + path, look)

  it.each(LOOKS)(
    'converts an amount and compares currencies, by keyboard alone, at $size.width px in the $scheme scheme',
    async (one) => {
      const { page, complaints, look } = await open('/', one)
      await tabTo(page, 'link', 'Currencies')
      await page.keyboard.press('Enter')
      await tabTo(page, 'combobox', 'To')
      await page.keyboard.type('GBP')
      await page.getByRole('heading', { name: 'GBP for 1 EUR' }).waitFor()
      await tabTo(page, 'textbox', 'Amount in EUR')
      await page.keyboard.press('Control+A')
      await page.keyboard.type('250')
      await page.keyboard.press('Enter')
      await page
        .getByRole('region', { name: 'Convert' })
        .getByText(/^1 EUR is 0\.[78]\d* GBP on/)
        .waitFor()
      await expect.poll(() => page.locator('.headline strong').textContent()).toMatch(/^2[01]\d/)
      await tabTo(page, 'combobox', 'Add')
      await page.keyboard.type('NOK')
      await page.getByRole('button', { name: 'Remove NOK' }).waitFor()
      await page.getByRole('img', { name: /USD, GBP, JPY, CHF, NOK in EUR/ }).waitFor()
      await expectAccessible(page, `currencies-${look}`)
      expect(new URL(page.url()).searchParams.get('compare')).toBe('USD,GBP,JPY,CHF,NOK')
      expect(complaints).toEqual([])
    },
  )

  it.each(LOOKS)('shows a macro series of a country at $size.width px in the $scheme scheme', async (one) => {
    const { page, complaints, look } = await open('/', one)
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Macro series' }).click()
    await page.getByLabel('Country').selectOption('Japan')
    await page.getByRole('button', { name: 'BIS' }).click()
    await page.getByRole('link', { name: 'Japan: Total credit' }).click()
    await page.getByRole('heading', { level: 3, name: 'Japan: Total credit' }).waitFor()
    await page.getByText('% of GDP').first().waitFor()
    await expectAccessible(page, `macro-${look}`)
    expect(complaints).toEqual([])
  })

  it('finds series of Japan and Korea by search', async () => {
    const { page } = await open()
    for (const provider of ['Bank of Japan', 'Bank of Korea']) {
      await page.getByRole('combobox', { name: 'Search' }).fill(provider)
      await page.getByRole('option', { name: provider }).first().click()
      await page.getByRole('group', { name: 'Newest observations and their revisions' }).waitFor()
    }
  })

  it.each(LOOKS)(
    'screens pasted LEIs and says what is not known, at $size.width px in the $scheme scheme',
    async (one) => {
      const { page, complaints, look } = await open('/', one)
      await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Screening' }).click()
      await tabTo(page, 'textbox', 'LEIs, separated by spaces, commas or new lines')
      await page.keyboard.insertText(`${SANCTIONED}, ${NEVER_LISTED}\n${UNKNOWN} nonsense`)
      await tabTo(page, 'button', 'Check')
      await page.keyboard.press('Enter')
      const row = (lei: string) => page.getByRole('row', { name: new RegExp(`^${lei}`) })
      await row(SANCTIONED).getByText('sanctioned', { exact: true }).waitFor()
      await row(NEVER_LISTED).getByText('not sanctioned', { exact: true }).waitFor()
      await row(UNKNOWN).getByText('not screened', { exact: true }).waitFor()
      await row('nonsense').getByText('not a valid LEI', { exact: true }).waitFor()
      await page.getByText('Not screened does not mean clear.').waitFor()
      await expectAccessible(page, `screening-${look}`)
      await page.emulateMedia({ media: 'print' })
      expect(await page.getByRole('button', { name: 'Check' }).isVisible()).toBe(false)
      expect(await row(UNKNOWN).isVisible()).toBe(true)
      expect(complaints).toEqual([])
    },
  )

  it('checks no more than 50 LEIs at once', async () => {
    const { page } = await open('/screening')
    await page.getByRole('textbox', { name: /LEIs/ }).fill(Array(51).fill(UNKNOWN).join(' '))
    await page.getByText('51 LEIs: remove 1, at most 50 are checked at once.').waitFor()
    expect(await page.getByRole('button', { name: 'Check' }).isDisabled()).toBe(true)
  })

  it.each(LOOKS)(
    'says which datasets are late and lists the changes of analyses, at $size.width px in the $scheme scheme',
    async (one) => {
      const { page, complaints, look } = await open('/', one)
      const main = page.getByRole('navigation', { name: 'Main' })
      await main.getByRole('link', { name: 'Data freshness' }).click()
      await page.getByText('empty, because nothing has been loaded yet.').waitFor()
      await expectAccessible(page, `data-${look}`)
      await main.getByRole('link', { name: 'Changes' }).click()
      await page.getByRole('link', { name: 'after' }).first().waitFor()
      await page.getByRole('button', { name: 'Regime' }).click()
      await expect.poll(() => page.locator('.entries li').allTextContents()).not.toContain('market context')
      const first = await page.locator('.entries li').first().textContent()
      await page.getByRole('button', { name: 'Older' }).click()
      await expect.poll(() => page.locator('.entries li').first().textContent()).not.toBe(first)
      await page.getByRole('button', { name: 'Newer' }).click()
      await expect.poll(() => page.locator('.entries li').first().textContent()).toBe(first)
      await expectAccessible(page, `changes-${look}`)
      expect(complaints).toEqual([])
    },
  )

  it.each(['/assets', '/currencies', '/macro?series=bis%3AWS_TC%3AQ.US.P.A.M.770.A', '/data', '/changes'])(
    'shows at %s calls that work',
    async (path) => {
      const { page, complaints } = await openPage()
      await page.goto(gateway.url + path)
      await page.locator('.calls').first().waitFor()
      await expect.poll(() => page.getByText('Loading…').count(), OF_PAGE).toBe(0)
      await expectCallsToWork(page, gateway)
      expect(complaints).toEqual([])
    },
  )
})
