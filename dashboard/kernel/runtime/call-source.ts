import { AsyncLocalStorage } from 'node:async_hooks'

/** The source of a change: the name of an API token, and the address of the client. */
export interface CallSource {
  token: string | null
  address: string | null
}

interface CurrentCall extends CallSource {
  /** The signed-in user; a call without authentication, such as a login, has none. */
  user_id: number | undefined
  /** Whether the call has been answered: what it left running does not have its source. */
  isOver: boolean
}

const UNKNOWN: CallSource = { token: null, address: null }
const calls = new AsyncLocalStorage<CurrentCall>()

/** Answers a call, so that its entries of the activity have its source. */
export async function withCallSource<T>(
  call: Omit<CurrentCall, 'isOver'>,
  answer: () => T | Promise<T>,
): Promise<T> {
  const current = { ...call, isOver: false }
  try {
    return await calls.run(current, answer)
  } finally {
    current.isOver = true
  }
}

/** Returns the source of a change by this user, if the change is a part of the call that is answered. */
export function sourceOf(user_id: number | null | undefined): CallSource {
  const call = calls.getStore()
  if (!call || call.isOver) return UNKNOWN
  if (call.user_id !== undefined && call.user_id !== user_id) return UNKNOWN
  return { token: call.token, address: call.address }
}
