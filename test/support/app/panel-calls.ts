import type { Page } from 'playwright-core'
import { expect } from 'vitest'

/** Opens what every panel shows of its calls, and runs each query and each REST call as it is shown. */
export async function expectCallsToWork(
  page: Page,
  gateway: { readonly url: string; readonly key: string },
): Promise<void> {
  for (const summary of await page.locator('.calls summary').all()) await summary.click()
  const panels = await page.locator('.calls').all()
  expect(panels.length).toBeGreaterThan(0)
  for (const panel of panels) {
    const text = (name: string) => panel.getByRole('group', { name: `Code: ${name}` }).locator('code')
    const query = await text('query').textContent()
    const variables = (await text('variables').count()) > 0 ? await text('variables').textContent() : '{}'
    const response = await fetch(`${gateway.url}/graphql`, {
      method: 'POST',
      headers: { 'x-api-key': gateway.key, 'content-type': 'application/json' },
      body: JSON.stringify({ query, variables: JSON.parse(variables ?? '') }),
    })
    const { errors } = (await response.json()) as { errors?: unknown }
    expect([response.status, errors], query ?? '').toEqual([200, undefined])
    const commands = (await text('REST call').allTextContents()).flatMap((lines) => lines.split('\n'))
    for (const command of commands) expect(await statusOf(command, gateway), command).toBe(200)
  }
}

/** The status of a command line of curl as the portal writes it. */
async function statusOf(command: string, { key }: { readonly key: string }): Promise<number> {
  const url = /'(http[^']+)'$/.exec(command)?.[1] ?? ''
  const body = / -d '([^']+)'/.exec(command)?.[1]
  const response = await fetch(url, {
    headers: { 'x-api-key': key, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { method: 'POST', body }),
  })
  await response.arrayBuffer()
  return response.status
}
