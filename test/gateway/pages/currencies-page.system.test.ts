import { expect, it } from 'vitest'
import { LOOKS, OF_PAGE } from '../../support/app/browser.js'
import { describePages } from '../../support/app/describe-pages.js'
import { expectAccessible, tabTo } from '../../support/app/visit.js'

describePages('the page of currencies', ({ open, expectCallsToWork }) => {
  it.each(LOOKS)(
    'converts an amount and compares currencies, by keyboard alone, at $size.width px in the $scheme scheme',
    async (one) => {
      const { page, complaints, look } = await open('/', one)
      if (await page.getByRole('button', { name: 'Menu', exact: true }).isVisible()) {
        await tabTo(page, 'button', 'Menu')
        await page.keyboard.press('Enter')
      }
      await tabTo(page, 'link', 'Currencies')
      await page.keyboard.press('Enter')
      await tabTo(page, 'combobox', 'To')
      await page.keyboard.type('GBP')
      await page.getByRole('heading', { name: 'GBP for 1 EUR', exact: true }).waitFor()
      await tabTo(page, 'textbox', 'Amount in EUR')
      await page.keyboard.press('Control+A')
      await page.keyboard.type('250')
      await page.keyboard.press('Enter')
      await page
        .getByRole('region', { name: 'Convert' })
        .getByText(/^1 EUR is 0\.[78]\d* GBP on/)
        .waitFor()
      await expect.poll(() => page.locator('.headline strong').textContent()).toMatch(/^2[01]\d/)
      await tabTo(page, 'combobox', 'Another currency')
      await page.keyboard.type('NZD')
      await tabTo(page, 'button', 'Add')
      await page.keyboard.press('Enter')
      await page.getByRole('button', { name: 'Remove NZD' }).waitFor()
      await page.getByRole('img', { name: /USD, GBP, JPY, CHF, NZD in EUR/ }).waitFor()
      const days = page.getByRole('region', { name: 'Publication days' })
      await tabTo(page, 'button', 'Previous month')
      await page.keyboard.press('Enter')
      await days.getByText(/^October 2026: 22 days with reference rates/).waitFor()
      expect(await page.evaluate('document.activeElement?.textContent')).toBe('Previous month')
      await expectAccessible(page, `currencies-${look}`)
      expect(new URL(page.url()).searchParams.get('compare')).toBe('USD,GBP,JPY,CHF,NZD')
      expect(complaints).toEqual([])
    },
  )

  it('shows on which days of a month rates were published, and why other weekdays have none', async () => {
    const { page } = await open('/currencies')
    const days = page.getByRole('region', { name: 'Publication days' })
    await days.getByText(/^November 2026: 14 days with reference rates/).waitFor()
    await days.getByLabel('Month').fill('2026-04')
    await days.getByText(/^April 2026: 20 days with reference rates/).waitFor()
    await days.getByText('Weekdays on which TARGET is closed: 3 Apr 2026, 6 Apr 2026.').waitFor()
    const cells = await days.getByRole('row').nth(1).getByRole('cell').allTextContents()
    expect(cells.map((text) => text.replace(/[01]\.\d+$/, ' rate'))).toEqual([
      '',
      '',
      '1 rate',
      '2 rate',
      '3closed',
      '4no rates',
      '5no rates',
    ])
    await days.getByLabel('Month').fill('1999-01')
    await days
      .getByText('Working days without rates in the data: 20, from 4 Jan 1999 to 29 Jan 1999.')
      .waitFor()
    await days.getByText('Weekdays on which TARGET is closed: 1 Jan 1999.').waitFor()
    expect(await days.getByRole('button', { name: 'Previous month' }).isDisabled()).toBe(true)
  })

  it.each(LOOKS)(
    'draws what was known of a rate when, by both bases, at $size.width px in the $scheme scheme',
    async (one) => {
      const { page, complaints, look } = await open('/currencies?to=JPY', one)
      const known = page.getByRole('region', { name: 'What was known when' })
      // A Saturday.
      await known.getByLabel('Day of the rate, else the newest').fill('2026-11-14')
      await known.getByRole('heading', { name: 'JPY for 1 EUR on 13 Nov 2026' }).waitFor()
      const drawing = known.getByRole('img', { name: /^the rate of 13 Nov 2026 by both bases\./ })
      await drawing.waitFor()
      expect(await drawing.getAttribute('aria-label')).toContain(
        'counts as published from 13 Nov 2026, 15:00 UTC. This gateway learned it on',
      )
      expect(
        await known
          .getByRole('group', { name: /^Versions of/ })
          .getByRole('row')
          .count(),
      ).toBeGreaterThan(1)
      await expectAccessible(page, `currencies-known-${look}`)
      expect(complaints).toEqual([])
    },
  )

  it('shows calls that work', async () => {
    const { page, complaints } = await open('/currencies')
    await page.locator('.calls').first().waitFor()
    await expect.poll(() => page.getByText('Loading…').count(), OF_PAGE).toBe(0)
    await expectCallsToWork(page)
    expect(complaints).toEqual([])
  })
})
