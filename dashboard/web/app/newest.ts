/** Sets a value of a map with a maximum size: the oldest value is removed. */
export function keepNewest<K, V>(map: Map<K, V>, most: number, key: K, value: V): void {
  map.delete(key)
  map.set(key, value)
  for (const oldest of map.keys()) {
    if (map.size <= most) return
    map.delete(oldest)
  }
}
