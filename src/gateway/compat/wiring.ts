import type { Config } from '../../config.js'
import type { Transport } from '../../platform/request/transport.js'
import { type CompatOptions, createCompatTransport } from './compat-transport.js'
import { INTERFACES } from './interfaces.js'

/** The transports of the configured interfaces. */
export function configuredCompat(
  { compat, compatOpen, demoKey }: Pick<Config, 'compat' | 'compatOpen' | 'demoKey'>,
  shared: Pick<CompatOptions, 'rest' | 'operations'>,
): readonly Transport[] {
  return Array.from(compat, (name) =>
    createCompatTransport(name, INTERFACES[name], {
      ...shared,
      visitorKey: compatOpen.has(name) ? demoKey : null,
    }),
  )
}
