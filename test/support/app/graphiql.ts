import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { OF_PAGE } from './browser.js'

export const tabNames = (page: Page) => page.getByRole('tab').allInnerTexts()

/**
 * Opens a tab and waits until GraphiQL has noted that, half a second after the click: until then it runs the text of this
 * tab under the name of the one before, which is an error.
 */
export async function openTab(page: Page, name: string): Promise<void> {
  await page.getByRole('tab', { name }).click()
  const kept = () =>
    page.evaluate(() => {
      const { tabs, activeTabIndex } = JSON.parse(localStorage.getItem('graphiql:tabState') ?? '{"tabs":[]}')
      return tabs[activeTabIndex]?.title
    })
  await expect.poll(kept, OF_PAGE).toBe(name)
}

/** Runs the open tab's operation as a user does; the body that GraphiQL was answered, and the headers that it sent. */
export async function runOpenTab(page: Page, name: string) {
  const [response] = await Promise.all([
    page.waitForResponse((response) => response.request().postData()?.includes(name) === true),
    page.getByRole('button', { name: /^Execute query/ }).click(),
  ])
  const body = (await response.json()) as { data: Record<string, unknown>; errors?: unknown }
  return { ...body, sent: await response.request().allHeaders() }
}
