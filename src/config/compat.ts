import {
  COMPAT_INTERFACES,
  type CompatInterfaceName,
  isCompatInterface,
} from '../policy/compat-interfaces.js'

/** The compatible interfaces that a setting names: `all`, `none`, or names separated by commas; null for other texts. */
export function parseCompatInterfaces(text: string): ReadonlySet<CompatInterfaceName> | null {
  if (text.trim() === 'all') return new Set(COMPAT_INTERFACES)
  if (text.trim() === 'none') return new Set()
  const names = text.split(',').map((name) => name.trim())
  return names.every(isCompatInterface) ? new Set(names) : null
}
