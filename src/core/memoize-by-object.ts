/** Makes a value once for each object, and keeps it no longer than the object. */
export function memoizeByObject<Key extends object, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const values = new WeakMap<Key, Value>()
  return (key) => {
    const known = values.get(key)
    if (known !== undefined) return known
    const value = make(key)
    values.set(key, value)
    return value
  }
}
