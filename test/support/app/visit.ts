import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { LOOKS, screenshot, violations, type WatchedPage } from './browser.js'

/** One size and colour scheme of `LOOKS`. */
type Look = (typeof LOOKS)[number]

/** Opens a page in a size and a colour scheme. `look` names both. */
export async function visit(
  openPage: () => Promise<WatchedPage>,
  url: string,
  { size, scheme }: Look = LOOKS[0] ?? expect.fail(),
) {
  const { page, complaints } = await openPage()
  await page.setViewportSize(size)
  await page.emulateMedia({ colorScheme: scheme })
  await page.goto(url)
  // The script of the page is loaded after the document.
  await page.getByRole('combobox', { name: 'Search', exact: true }).waitFor()
  return { page, complaints, look: `${size.width}-${scheme}` }
}

/** Checks that axe finds nothing and that the page does not scroll sideways. */
export async function expectAccessible(page: Page, name: string): Promise<void> {
  await screenshot(page, name)
  expect(await violations(page), name).toEqual([])
  const widths = await page.evaluate('[document.documentElement.scrollWidth, innerWidth]')
  const [scrolled, shown] = widths as [number, number]
  expect(scrolled, `${name} scrolls sideways`).toBe(shown)
}

/** Presses Tab until a control has the focus, as a visitor without a pointer does. */
export async function tabTo(
  page: Page,
  role: 'button' | 'combobox' | 'link' | 'slider' | 'textbox',
  name: string,
): Promise<void> {
  const control = page.getByRole(role, { name, exact: true })
  await control.first().waitFor()
  for (let pressed = 0; pressed < 80; pressed++) {
    if ((await control.and(page.locator(':focus')).count()) > 0) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`Tab does not reach ${name}`)
}

/** Follows an entry of the header, on a phone after the button that shows the entries; else a link of the footer. */
export async function followEntry(page: Page, name: string): Promise<void> {
  const menu = page.getByRole('button', { name: 'Menu', exact: true })
  const isInFooter =
    (await page.getByRole('navigation', { name: 'More' }).getByText(name, { exact: true }).count()) > 0
  if (!isInFooter && (await menu.isVisible())) await menu.click()
  const nav = page.getByRole('navigation', { name: isInFooter ? 'More' : 'Main' })
  await nav.getByRole('link', { name, exact: true }).click()
}
