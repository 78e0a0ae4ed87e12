import { useSyncExternalStore } from 'react'

const forget = new Set<() => void>()
let owner: number | undefined

/** State of a page that is kept while other pages are open, until the tab is closed. */
export function sessionState<T>(first: T) {
  let value = first
  const listeners = new Set<() => void>()
  const subscribe = (listener: () => void) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }
  const set = (change: (before: T) => T) => {
    value = change(value)
    for (const listener of listeners) listener()
  }
  forget.add(() => set(() => first))
  const get = () => value
  return { use: () => useSyncExternalStore(subscribe, get), get, set }
}

/** Clears the kept state when another user signs in. */
export function resetStateFor(user_id: number): void {
  if (owner !== undefined && owner !== user_id) for (const each of forget) each()
  owner = user_id
}
