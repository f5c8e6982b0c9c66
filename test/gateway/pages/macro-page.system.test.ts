import { expect, it } from 'vitest'
import { LOOKS } from '../../support/app/browser.js'
import { describePages } from '../../support/app/describe-pages.js'
import { expectAccessible, followEntry, tabTo } from '../../support/app/visit.js'

const CREDIT = (country: string) => `bis:WS_TC.Q.${country}.P.A.M.770.A`

describePages('the page of macro series', ({ open, expectCallsToWork }) => {
  it.each(LOOKS)('shows a macro series of a country at $size.width px in the $scheme scheme', async (one) => {
    const { page, complaints, look } = await open('/', one)
    await followEntry(page, 'Macro series')
    await page.getByLabel('Country').selectOption('Japan')
    await page.getByRole('button', { name: 'BIS' }).click()
    await page.getByRole('link', { name: 'Japan private debt (total credit)' }).click()
    await page.getByRole('heading', { level: 3, name: 'Japan private debt (total credit)' }).waitFor()
    await page.getByText('% of GDP').first().waitFor()
    await page
      .getByRole('img', { name: /^the value of \d{4}-Q\d by observation\. This gateway learned/ })
      .waitFor()
    await page.getByText('so only basis=observed answers.').waitFor()
    await expectAccessible(page, `macro-${look}`)
    expect(complaints).toEqual([])
  })

  it.each(LOOKS)(
    'opens with key figures and a yield curve at $size.width px in the $scheme scheme',
    async (one) => {
      const { page, complaints, look } = await open('/macro', one)
      const figures = page.getByRole('group', { name: 'Key figures' })
      await figures.getByRole('row', { name: /^US inflation -?\d+\.\d% 2026-10$/ }).waitFor()
      for (const name of ['US', 'Euro area', 'UK', 'Japan', 'Switzerland', 'South Korea'])
        await figures.getByRole('row', { name: new RegExp(`^${name} policy rate [\\d.]+% 2026-`) }).waitFor()
      await figures.getByRole('link', { name: 'US unemployment rate' }).waitFor()
      await page.getByLabel('Day, else the newest').fill('2026-11-15')
      await page.getByLabel('Compared with').fill('2025-01-05')
      // The last days with yields before two Sundays.
      const summary = 'Yields of the curve US Treasury by maturity: % on 2026-11-13, % on 2025-01-03'
      await page.getByRole('img', { name: summary }).waitFor()
      const yields = page.getByRole('group', { name: 'Yields by maturity' })
      await expect.poll(() => yields.getByRole('row').count()).toBe(15)
      await page.getByRole('button', { name: 'Euro area, AAA' }).click()
      await page.getByRole('img', { name: /^Yields of the curve Euro area, AAA/ }).waitFor()
      await expect.poll(() => yields.getByRole('row').last().textContent()).toMatch(/^30Y/)
      await expectAccessible(page, `macro-figures-${look}`)
      expect(complaints).toEqual([])
    },
  )

  it('says that yields of a day are not loaded', async () => {
    const { page } = await open('/macro')
    await page.getByLabel('Day, else the newest').fill('1990-02-01')
    await page.getByLabel('Compared with').fill('1990-02-01')
    await page.getByText('No yields of these days are loaded.').waitFor()
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
    'compares a series with what was known earlier and with other countries, by keyboard alone, at $size.width px in the $scheme scheme',
    async (one) => {
      const { page, complaints, look } = await open(`/macro?series=${encodeURIComponent(CREDIT('US'))}`, one)
      await tabTo(page, 'combobox', 'Compare with values as of')
      await page.keyboard.type('1 Nov')
      const then = '1 Nov 2026, 00:00 UTC'
      await page
        .getByRole('img', {
          name: `US private debt (total credit), 63 observations, with what was known on ${then}`,
        })
        .waitFor()
      await page
        .getByText(`Revised since ${then}: 1 of the 63 observations known then. Added since: 0.`)
        .waitFor()
      const revised = page.getByRole('group', { name: 'Revised observations' })
      await expect.poll(() => revised.getByRole('row').last().textContent()).toBe('2026-Q396.595.8-0.7')
      await page.getByRole('img', { name: /^Germany, United Kingdom, Japan, United States over/ }).waitFor()
      await tabTo(page, 'combobox', 'Another series')
      await page.keyboard.type('France')
      await tabTo(page, 'button', 'Add')
      await page.keyboard.press('Enter')
      await page.getByRole('img', { name: /France over \d+ periods. Unit: % of GDP\.$/ }).waitFor()
      await tabTo(page, 'button', 'Indexed to 100')
      await page.keyboard.press('Enter')
      await page.getByText('The first period in which all series have a value is 100.').waitFor()
      await tabTo(page, 'slider', 'Comparison: choose a point')
      await page.keyboard.press('Home')
      await expect
        .poll(() =>
          page.getByRole('slider', { name: 'Comparison: choose a point' }).getAttribute('aria-valuetext'),
        )
        .toBe('2011-Q1: 100 Germany, 100 United Kingdom, 100 Japan, 100 United States, 100 France')
      await expectAccessible(page, `macro-compared-${look}`)
      expect(complaints).toEqual([])
    },
  )

  it('shows calls that work', async () => {
    const { page, complaints } = await open(
      `/macro?series=${encodeURIComponent(CREDIT('US'))}&as_of=2026-11-15T00:00:00.000Z`,
    )
    await page.getByText(/^Revised since 15 Nov 2026, 00:00 UTC/).waitFor()
    await page.getByRole('img', { name: /^Germany, United Kingdom/ }).waitFor()
    await expectCallsToWork(page)
    expect(complaints).toEqual([])
  })

  it('compares a series with what was known at the beginning of a day', async () => {
    const { page } = await open(`/macro?series=${encodeURIComponent(CREDIT('JP'))}`)
    await page.getByLabel('Or as of a day, 00:00 UTC').fill('2026-11-15')
    await page.getByText(/^Revised since 15 Nov 2026, 00:00 UTC: \d+ of the \d+ observations/).waitFor()
    expect(new URL(page.url()).searchParams.get('as_of')).toBe('2026-11-15T00:00:00.000Z')
    await page.getByLabel('Or as of a day, 00:00 UTC').fill('2020-01-01')
    await page.getByText('No observation of this range was known on 1 Jan 2020, 00:00 UTC.').waitFor()
  })

  it('keeps the countries when another dataset is chosen, and compares series of a central bank', async () => {
    const { page } = await open(
      `/macro?compare=${encodeURIComponent([CREDIT('CH'), CREDIT('SE')].join(','))}`,
    )
    await page.getByRole('img', { name: /^Switzerland, Sweden over/ }).waitFor()
    await page.getByLabel('Dataset').selectOption('Debt service ratios, %, quarterly')
    await page.getByRole('img', { name: /^Switzerland, Sweden over \d+ periods. Unit: %\.$/ }).waitFor()
    await page.getByLabel('Dataset').selectOption('CY2020=100, monthly')
    await page.getByRole('img', { name: /Japan effective exchange rate \(nominal\)/ }).waitFor()
    await page.getByRole('group', { name: 'Range of the comparison' }).waitFor()
    await expectCallsToWork(page)
  })

  it('says why series with negative values are not indexed', async () => {
    const { page } = await open('/macro')
    await page.getByLabel('Dataset').selectOption('Credit-to-GDP gaps, % of GDP, quarterly')
    await page.getByRole('button', { name: 'Indexed to 100' }).click()
    await page.getByText(/These series cannot be indexed/).waitFor()
  })
})
