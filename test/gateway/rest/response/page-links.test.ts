import { describe, expect, it } from 'vitest'
import { restApp } from '../rest-app.js'

const { ask } = restApp()

describe('Link', () => {
  it('leads to first, prev, next and last and keeps the query', async () => {
    const response = await ask('/v1/assets?asset_class=crypto&offset=20&limit=10&tier=1')
    const at = (offset: number) => `</v1/assets?asset_class=crypto&tier=1&limit=10&offset=${offset}>`
    expect(response.headers.get('link')).toBe(
      `${at(0)}; rel="first", ${at(10)}; rel="prev", ${at(30)}; rel="next", ${at(40)}; rel="last"`,
    )
  })

  it('uses the default page, and omits prev on the first', async () => {
    const link = (await ask('/v1/assets')).headers.get('link')
    expect(link).toBe(
      '</v1/assets?limit=20&offset=0>; rel="first", </v1/assets?limit=20&offset=20>; rel="next", </v1/assets?limit=20&offset=40>; rel="last"',
    )
  })

  it('is absent from responses without pages', async () => {
    expect((await ask('/v1/thing')).headers.has('link')).toBe(false)
  })
})
