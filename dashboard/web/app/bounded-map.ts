/** Sets a value of a map with a maximum size: the oldest value is removed. */
export function setBounded<K, V>(map: Map<K, V>, max: number, key: K, value: V): void {
  map.delete(key)
  map.set(key, value)
  for (const oldest of map.keys()) {
    if (map.size <= max) return
    map.delete(oldest)
  }
}
