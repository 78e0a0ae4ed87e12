import { AsyncLocalStorage } from 'node:async_hooks'
import type { ActivitySource } from '#shared/kernel/values.ts'

/** The source of a change: its kind, the name of an API token, and the address of the client. */
export interface CallSource {
  via: ActivitySource
  token: string | null
  address: string | null
}

interface CurrentCall extends CallSource {
  /** The signed-in user; a call without authentication, such as a login, has none. */
  user_id: number | undefined
  /** Whether the call has been answered: what it left running does not have its source. */
  isOver: boolean
}

const UNKNOWN: CallSource = { via: 'system', token: null, address: null }
const calls = new AsyncLocalStorage<CurrentCall>()
const others = new AsyncLocalStorage<ActivitySource>()

/** Answers a call, so that its entries of the activity have its source. */
export async function withCallSource<T>(
  call: Omit<CurrentCall, 'isOver' | 'via'>,
  answer: () => T | Promise<T>,
): Promise<T> {
  const via = call.token === null ? 'session' : 'token'
  const current: CurrentCall = { ...call, via, isOver: false }
  try {
    return await calls.run(current, answer)
  } finally {
    current.isOver = true
  }
}

/** Runs work that no call starts, so that its entries of the activity have this source. */
export function withSource<T>(via: ActivitySource, work: () => T): T {
  return others.run(via, work)
}

/** Returns the source of a change by this user, if the change is a part of the call that is answered. */
export function sourceOf(user_id: number | null | undefined): CallSource {
  const call = calls.getStore()
  const isOwn = call && !call.isOver && (call.user_id === undefined || call.user_id === user_id)
  if (!isOwn) return { ...UNKNOWN, via: others.getStore() ?? UNKNOWN.via }
  return { via: call.via, token: call.token, address: call.address }
}
