/** Name and type of a dependency that the application passes to services, e.g. an identifier service. */
export interface Port<T> {
  readonly name: string
  /** Never set: carries the type. */
  readonly type?: T
}

export function definePort<T>(name: string): Port<T> {
  return { name }
}

/** The dependencies of the application, by port. */
export interface Ports {
  get<T>(port: Port<T>): T
}

export interface PortBinding<T> {
  readonly port: Port<T>
  readonly implementation: T
}

/** Throws for a port that is not bound: that is an error in the wiring. */
export function bindPorts(bindings: readonly PortBinding<unknown>[]): Ports {
  const byName = new Map(bindings.map((binding) => [binding.port.name, binding.implementation]))
  return {
    get<T>(port: Port<T>): T {
      if (!byName.has(port.name)) throw new Error(`port ${port.name} is not bound`)
      return byName.get(port.name) as T // bound under the port's own type
    },
  }
}
