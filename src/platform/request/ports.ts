/** Name and type of something that the application hands to services from outside, e.g. an identifier service. */
export interface Port<T> {
  readonly name: string
  /** Never set: carries the type. */
  readonly type?: T
}

export function definePort<T>(name: string): Port<T> {
  return { name }
}

/** What the application handed in, found by port. */
export interface Ports {
  get<T>(port: Port<T>): T
}

export interface PortBinding<T> {
  readonly port: Port<T>
  readonly implementation: T
}

/** Asking for a port that was not bound is a mistake of the wiring, so it throws. */
export function bindPorts(bindings: readonly PortBinding<unknown>[]): Ports {
  const byName = new Map(bindings.map((binding) => [binding.port.name, binding.implementation]))
  return {
    get<T>(port: Port<T>): T {
      if (!byName.has(port.name)) throw new Error(`port ${port.name} is not bound`)
      return byName.get(port.name) as T // bound under the port's own type
    },
  }
}
