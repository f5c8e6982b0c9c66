import { describe, expect, it } from 'vitest'
import { FreeWork } from '../../../../src/gateway/graphql/run/free-work.js'
import { Introspections } from '../../../../src/gateway/graphql/run/introspection.js'
import type { RequestContext } from '../../../../src/platform/request/request-context.js'
import { ANONYMOUS } from '../../../../src/policy/principal.js'

const NOW = new Date('2026-11-20T12:00:00Z')

/** All that is asked of a context: who the caller is, and when. */
const from = (origin: string) => ({ principal: ANONYMOUS, clientAddress: origin, now: NOW }) as RequestContext

const asked = (text: string, variables: Readonly<Record<string, unknown>> | null = null) => ({
  text,
  operationName: null,
  variables,
})

describe('introspection', () => {
  /** Each answer takes 100 ms of a clock of its own. */
  const start = (limits: { maxBytes?: number; msPerCaller?: number; msInAll?: number } = {}) => {
    const clock = { ms: 0 }
    let made = 0
    const { maxBytes, ...times } = limits
    const introspections = new Introspections(new FreeWork({ ...times, nowMs: () => clock.ms }), maxBytes)
    const ask = async (
      text: string,
      origin = 'a',
      variables: Readonly<Record<string, unknown>> | null = null,
    ) => {
      const answer = await introspections.answer(asked(text, variables), from(origin), () => {
        made += 1
        clock.ms += 100
        return { data: { text } }
      })
      return String(answer)
    }
    return { clock, ask, made: () => made }
  }

  it('is answered once for each text, even for simultaneous requests', async () => {
    const { ask, made } = start()
    const answers = await Promise.all(Array.from({ length: 250 }, (_, n) => ask('{ a }', `caller ${n}`)))
    expect([new Set(answers), made()]).toEqual([new Set(['{"text":"{ a }"}']), 1])
    await ask('{ b }')
    await ask('{ a }', 'a', { name: 'Asset' })
    expect(made()).toBe(3)
  })

  it('yields the event loop between two answers', async () => {
    const { ask, made } = start()
    const all = [ask('{ a }'), ask('{ b }'), ask('{ c }')]
    const seen: number[] = []
    for (let turn = 0; turn < 5; turn++) {
      await new Promise(setImmediate)
      seen.push(made())
    }
    await Promise.all(all)
    for (const [at, count] of seen.entries()) expect(count - (seen[at - 1] ?? 0)).toBeLessThanOrEqual(1)
    expect(made()).toBe(3)
  })

  it('is refused to a caller whose texts have used the time of a minute', async () => {
    const { ask, clock } = start({ msPerCaller: 300 })
    for (const text of ['{ a }', '{ b }', '{ c }']) await ask(text)
    await expect(ask('{ d }')).rejects.toMatchObject({
      code: 'rate_limit_exceeded',
      retryAfter: NOW.getTime() / 1000 + 60,
    })
    await expect(ask('{ a }')).rejects.toMatchObject({ code: 'rate_limit_exceeded' })
    expect(await ask('{ d }', 'another caller')).toBe('{"text":"{ d }"}')
    clock.ms += 60_000
    expect(await ask('{ e }')).toBe('{"text":"{ e }"}')
  })

  it('counts known answers by their bytes, each in an iteration of the event loop', async () => {
    const { ask, made } = start({ msPerCaller: 110 })
    const large = `{ ${'a'.repeat(500_000)} }`
    await ask(large, 'another caller')
    let answered = 0
    const all = Array.from({ length: 22 }, () => ask(large).then(() => (answered += 1)))
    const seen: number[] = []
    for (let turn = 0; turn < 22; turn++) {
      await new Promise(setImmediate)
      seen.push(answered)
    }
    await Promise.all(all)
    for (const [at, count] of seen.entries()) expect(count - (seen[at - 1] ?? 0)).toBeLessThanOrEqual(1)
    expect(made()).toBe(1)
    await expect(ask(large)).rejects.toMatchObject({ code: 'rate_limit_exceeded' })
  })

  it('is refused to all after it has used its share of the time of the process', async () => {
    const { ask } = start({ msPerCaller: 300, msInAll: 500 })
    for (let n = 0; n < 5; n++) await ask(`{ a${n} }`, `caller ${n}`)
    await expect(ask('{ b }', 'another caller')).rejects.toMatchObject({ code: 'service_unavailable' })
  })

  it('bounds stored answers by bytes', async () => {
    const { ask, made } = start({ maxBytes: 10_000 })
    for (const text of ['a', 'b', 'c', 'd', 'a']) await ask(`{ ${text.repeat(1_000)} }`)
    // Of four that take 4.5 kB each, two are kept.
    expect(made()).toBe(5)
  })

  it('stores no answer with errors', async () => {
    const introspections = new Introspections(new FreeWork())
    const failed = { errors: [], data: null }
    for (let time = 0; time < 2; time++)
      expect(await introspections.answer(asked('{ a }'), from('a'), () => failed)).toBe(failed)
  })
})
