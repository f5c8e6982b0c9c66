/** Makes a value once for each object, and lets go of it with the object. */
export function oncePer<Key extends object, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const values = new WeakMap<Key, Value>()
  return (key) => {
    const known = values.get(key)
    if (known !== undefined) return known
    const value = make(key)
    values.set(key, value)
    return value
  }
}
