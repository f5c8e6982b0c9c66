import { expect, it } from 'vitest'
import { LOOKS, OF_PAGE } from '../../support/app/browser.js'
import { describePages } from '../../support/app/describe-pages.js'
import { expectAccessible, tabTo } from '../../support/app/visit.js'

describePages('the page of currencies', ({ open, expectCallsToWork }) => {
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
      await tabTo(page, 'combobox', 'Another currency')
      await page.keyboard.type('NZD')
      await tabTo(page, 'button', 'Add')
      await page.keyboard.press('Enter')
      await page.getByRole('button', { name: 'Remove NZD' }).waitFor()
      await page.getByRole('img', { name: /USD, GBP, JPY, CHF, NZD in EUR/ }).waitFor()
      await expectAccessible(page, `currencies-${look}`)
      expect(new URL(page.url()).searchParams.get('compare')).toBe('USD,GBP,JPY,CHF,NZD')
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
