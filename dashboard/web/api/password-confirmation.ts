import { needsConfirmation } from './wp-login.ts'

/** A call that waits for the password of the dashboard. */
export interface PasswordRequest {
  /** The password is confirmed: the call is made again. */
  done: () => void
  cancel: () => void
}

let current: PasswordRequest | undefined
const listeners = new Set<() => void>()

function show(request: PasswordRequest | undefined): void {
  current = request
  for (const listener of listeners) listener()
}

/** For useSyncExternalStore: the call that waits now. */
export const passwordRequest = {
  subscribe(listener: () => void): () => void {
    listeners.add(listener)
    return () => listeners.delete(listener)
  },
  current: (): PasswordRequest | undefined => current,
}

/**
 * Makes a call that needs the password of the last ten minutes. If it is needed, the user enters it and
 * the call is made again; if the user cancels, the refusal is thrown.
 */
export async function withConfirmation<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!needsConfirmation(error)) throw error
    await new Promise<void>((resolve, reject) => {
      current?.cancel()
      const ended = (end: () => void) => () => {
        show(undefined)
        end()
      }
      show({ done: ended(resolve), cancel: ended(() => reject(error)) })
    })
    return work()
  }
}
