import { expect, it } from 'vitest'
import { bindPorts, definePort } from '../../../src/platform/request/ports.js'

interface Speaker {
  say(): string
}
const english = definePort<Speaker>('english')
const french = definePort<Speaker>('french')

it('gives each port its bound implementation', () => {
  const ports = bindPorts([
    { port: english, implementation: { say: () => 'hello' } },
    { port: french, implementation: { say: () => 'bonjour' } },
  ])
  expect(ports.get(english).say()).toBe('hello')
  expect(ports.get(french).say()).toBe('bonjour')
})

it('finds a port by its name, so that two modules may define the same', () => {
  const ports = bindPorts([{ port: english, implementation: { say: () => 'hello' } }])
  expect(ports.get(definePort<Speaker>('english')).say()).toBe('hello')
})

it('throws for an unbound port, naming it, and distinguishes null from not bound', () => {
  const nothing = definePort<Speaker | null>('nothing')
  const ports = bindPorts([{ port: nothing, implementation: null }])
  expect(ports.get(nothing)).toBeNull()
  expect(() => ports.get(french)).toThrow('port french is not bound')
})
