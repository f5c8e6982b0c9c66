import { expect, it } from 'vitest'
import { SEED_ENTITIES } from '../../../src/ingest/datasets/screening/screening-entities.js'
import { LOOKS, OF_PAGE } from '../../support/app/browser.js'
import { describePages } from '../../support/app/describe-pages.js'
import { expectAccessible, followEntry, tabTo } from '../../support/app/visit.js'

const SANCTIONED = SEED_ENTITIES[35]?.lei ?? ''
const NEVER_LISTED = SEED_ENTITIES[149]?.lei ?? ''
const UNKNOWN = '5493001KJTIIGC8Y1R12'
const WALLET = '0x000000000000000000000000000000000000de01'

describePages('the explorer', ({ open, openPage, expectCallsToWork, url, app }) => {
  it.each(LOOKS)(
    'checks pasted identifiers of all kinds and says what is not known, at $size.width px in the $scheme scheme',
    async (one) => {
      const { page, complaints, look } = await open('/', one)
      await followEntry(page, 'Screening')
      await tabTo(page, 'textbox', 'Identifiers, one per line')
      await page.keyboard.insertText(
        `${SANCTIONED}, ${NEVER_LISTED}\n${UNKNOWN} nonsense\n${WALLET}\nIMO 9187629\nUS0378331005\nRU 1027700132195\n${UNKNOWN.slice(0, 18)}99`,
      )
      await page
        .getByText('4 LEIs, 1 ISIN, 1 IMO number, 1 wallet, 1 registration number', { exact: true })
        .waitFor()
      await page.getByText('no kind of identifier has this form: nonsense.').waitFor()
      await tabTo(page, 'button', 'Check')
      await page.keyboard.press('Enter')
      const row = (lei: string) => page.getByRole('row', { name: new RegExp(`^${lei}`) })
      await row(SANCTIONED).getByText('sanctioned', { exact: true }).waitFor()
      await row(NEVER_LISTED).getByText('mentioned, not sanctioned', { exact: true }).waitFor()
      await row(UNKNOWN).getByText('not found', { exact: true }).waitFor()
      await row(`${UNKNOWN.slice(0, 18)}99`)
        .getByText('not valid', { exact: true })
        .waitFor()
      await row(WALLET).getByText('wallet', { exact: true }).waitFor()
      await row(WALLET).getByText('sanctioned', { exact: true }).waitFor()
      await row('RU 1027700132195').getByText('registration number', { exact: true }).waitFor()
      await row('9187629').getByText('IMO number', { exact: true }).waitFor()
      await row('US0378331005').getByText('ISIN', { exact: true }).waitFor()
      await page.getByText('Not found does not mean clear.').waitFor()
      await expectAccessible(page, `screening-${look}`)
      await page.emulateMedia({ media: 'print' })
      expect(await page.getByRole('button', { name: 'Check' }).isVisible()).toBe(false)
      expect(await row(UNKNOWN).isVisible()).toBe(true)
      expect(complaints).toEqual([])
    },
  )

  it('checks identifiers at the end of a past day', async () => {
    const { page } = await open('/screening')
    await page.getByLabel('Identifiers, one per line').fill(WALLET)
    await page.getByLabel('At the end of a past day, else now').fill('2026-11-20')
    await page.getByRole('button', { name: 'Check' }).click()
    await page.getByText('The results hold at the end of 20 Nov 2026 (UTC).').waitFor()
    await page.getByRole('row', { name: new RegExp(`^${WALLET}`) }).waitFor()
  })

  it('checks no more than 100 identifiers at once', async () => {
    const { page } = await open('/screening')
    await page.getByLabel('Identifiers, one per line').fill(Array(101).fill(UNKNOWN).join('\n'))
    await page.getByText('101 identifiers: remove 1, at most 100 are checked at once.').waitFor()
    expect(await page.getByRole('button', { name: 'Check' }).isDisabled()).toBe(true)
  })

  it.each(LOOKS)(
    'verifies a receipt, and finds a changed answer, at $size.width px in the $scheme scheme',
    async (one) => {
      const { text, headers } = await app().rest('/v1/forex?quote=USD', {
        key: app().pageKey,
        headers: { prefer: 'receipt' },
      })
      const { page, complaints, look } = await open('/receipts', one)
      await tabTo(page, 'textbox', 'Answer, exactly as it came')
      await page.keyboard.insertText(text)
      await tabTo(page, 'textbox', 'Receipt')
      await page.keyboard.insertText(headers.get('x-receipt') ?? '')
      await tabTo(page, 'button', 'Verify')
      await page.keyboard.press('Enter')
      await page.getByText('valid', { exact: true }).waitFor()
      await page.getByText('GET /v1/forex?quote=USD', { exact: true }).waitFor()
      await page.getByText('The same request gives the same answer as of then.').waitFor()
      await expectAccessible(page, `receipts-${look}`)
      await page.getByRole('textbox', { name: /^Answer/ }).fill(text.replace('USD', 'JPY'))
      await page.getByRole('button', { name: 'Verify' }).click()
      await page.getByText('NOT VALID', { exact: true }).waitFor()
      expect(complaints).toEqual([])
    },
  )

  it.each(LOOKS)(
    'shows the catalogue of datasets, the status and the changes of analyses, at $size.width px in the $scheme scheme',
    async (one) => {
      const { page, complaints, look } = await open('/', one)
      await followEntry(page, 'Datasets')
      const rates = page.getByRole('row', { name: /^Exchange rates forex/ })
      await rates.getByRole('cell', { name: /^(Rows:? )?[\d,]{4,}$/ }).waitFor()
      await rates.getByText('Show terms and columns of Exchange rates').click()
      await rates.getByText('Euro reference rate. Unit: quoted currency per EUR.').waitFor()
      await page.getByText('This gateway has published no release.').waitFor()
      await expectAccessible(page, `data-${look}`)
      await followEntry(page, 'Status')
      await page.getByText('No incident is recorded.').waitFor()
      await page.getByRole('img', { name: /^Exchange rates, 90 days: .*nothing recorded on \d+$/ }).waitFor()
      // REST, GraphQL, WebSocket and six compatible interfaces.
      await expect.poll(() => page.getByText('answers', { exact: true }).count(), OF_PAGE).toBe(9)
      await expectAccessible(page, `status-${look}`)
      await followEntry(page, 'Changes')
      await page.getByRole('link', { name: 'after' }).first().waitFor()
      await page.getByRole('button', { name: 'Regime' }).click()
      const entries = page.locator('.entries li')
      await entries.filter({ hasText: 'market context' }).first().waitFor({ state: 'detached' })
      // The text of an entry grows when its figures have been read.
      const newest = () => entries.first().getByRole('link', { name: 'after' }).getAttribute('href')
      const first = await newest()
      await page.getByRole('button', { name: 'Older' }).click()
      await expect.poll(newest).not.toBe(first)
      await page.getByRole('button', { name: 'Newer' }).click()
      await expect.poll(newest).toBe(first)
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
