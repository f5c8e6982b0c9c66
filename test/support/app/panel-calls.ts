import type { Page } from 'playwright-core'
import { expect } from 'vitest'

/** Opens the API control of every panel, and runs the query that it opens in GraphiQL and the command that it copies. */
export async function expectCallsToWork(
  page: Page,
  gateway: { readonly url: string; readonly key: string },
): Promise<void> {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  for (const summary of await page.locator('.calls summary').all()) await summary.click()
  const panels = await page.locator('.calls').all()
  expect(panels.length).toBeGreaterThan(0)
  for (const panel of panels) {
    const href = (await panel.getByRole('link', { name: 'Open in GraphiQL' }).getAttribute('href')) ?? ''
    const { searchParams } = new URL(href, gateway.url)
    const query = searchParams.get('query')
    const response = await fetch(`${gateway.url}/graphql`, {
      method: 'POST',
      headers: { 'x-api-key': gateway.key, 'content-type': 'application/json' },
      body: JSON.stringify({ query, variables: JSON.parse(searchParams.get('variables') ?? '') }),
    })
    const { errors } = (await response.json()) as { errors?: unknown }
    expect([response.status, errors], query ?? '').toEqual([200, undefined])
    await panel.getByRole('button', { name: 'Copy curl' }).click()
    await panel.getByRole('button', { name: 'Copied' }).waitFor()
    const copied = (await page.evaluate('navigator.clipboard.readText()')) as string
    for (const command of copied.split(/^(?=curl )/m))
      expect(await statusOf(command.trim(), gateway), command).toBe(200)
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
