import type { Page } from 'playwright-core'

export const tabNames = (page: Page) => page.getByRole('tab').allInnerTexts()

/** Runs the open tab's operation as a user does; the body that GraphiQL was answered. */
export async function runOpenTab(page: Page, name: string) {
  const answered = page.waitForResponse((response) => response.request().postData()?.includes(name) === true)
  await page.getByRole('button', { name: /^Execute query/ }).click()
  return (await (await answered).json()) as { data: Record<string, unknown>; errors?: unknown }
}
