import { expect, it } from 'vitest'
import { bindPorts, definePort } from '../../../src/platform/request/ports.js'

interface Speaker {
  say(): string
}
const english = definePort<Speaker>('english')
const french = definePort<Speaker>('french')

it('gives each port the implementation that was bound to it', () => {
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

it('throws for a port that was not bound, naming it, and knows null from not bound', () => {
  const nothing = definePort<Speaker | null>('nothing')
  const ports = bindPorts([{ port: nothing, implementation: null }])
  expect(ports.get(nothing)).toBeNull()
  expect(() => ports.get(french)).toThrow('port french is not bound')
})
