import type { CompatInterfaceName } from '../../policy/compat-interfaces.js'
import { COMPAT_PREFIX } from '../paths.js'
import type { CompatUse } from './compat-interface.js'
import { INTERFACES } from './interfaces.js'

/** An interface that this gateway serves, for pages and lists of services. */
export interface ServedInterface {
  readonly name: CompatInterfaceName
  readonly title: string
  readonly summary: string
  /** Base path of its addresses. */
  readonly path: string
  /** Whether it answers without a key. */
  readonly isOpen: boolean
  readonly uses: readonly CompatUse[]
}

export function listServedInterfaces(
  served: Iterable<CompatInterfaceName>,
  open: ReadonlySet<CompatInterfaceName>,
): readonly ServedInterface[] {
  return Array.from(served, (name) => {
    const { title, summary, uses } = INTERFACES[name]
    return { name, title, summary, path: `${COMPAT_PREFIX}/${name}`, isOpen: open.has(name), uses }
  })
}
