/** The interfaces of other services that the gateway offers, by the first segment of their paths below /compat. */
export const COMPAT_INTERFACES = ['cell', 'frankfurter', 'fred', 'openbb', 'sdmx', 'udf'] as const
export type CompatInterfaceName = (typeof COMPAT_INTERFACES)[number]

/** The parameter of the query in which the clients of an interface send their key, where it is not `token`. */
export const KEY_PARAMETERS: Readonly<Partial<Record<CompatInterfaceName, string>>> = { fred: 'api_key' }

export function isCompatInterface(name: string): name is CompatInterfaceName {
  return COMPAT_INTERFACES.some((known) => known === name)
}
