import { expect, it } from 'vitest'
import { SEED_ENTITIES } from '../../../src/ingest/datasets/screening/screening-entities.js'
import { LOOKS, OF_PAGE } from '../../support/app/browser.js'
import { describePages } from '../../support/app/describe-pages.js'
import { expectAccessible, tabTo } from '../../support/app/visit.js'

const SANCTIONED = SEED_ENTITIES[35]?.lei ?? ''
const NEVER_LISTED = SEED_ENTITIES[149]?.lei ?? ''
const UNKNOWN = '5493001KJTIIGC8Y1R12'

describePages('the explorer', ({ open, openPage, expectCallsToWork, url }) => {
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

  it.each(['/assets', '/data', '/changes'])('shows at %s calls that work', async (path) => {
    const { page, complaints } = await openPage()
    await page.goto(url(path))
    await page.locator('.calls').first().waitFor()
    await expect.poll(() => page.getByText('Loading…').count(), OF_PAGE).toBe(0)
    await expectCallsToWork(page)
    expect(complaints).toEqual([])
  })
})
