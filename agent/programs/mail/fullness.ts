import type { Waiting } from './store.ts'

/** The limits of one site's waiting mail. */
const MAX_MESSAGES = 1000
const MAX_BYTES = 200 << 20

/** The reason why a queue with these messages accepts no more; undefined: it does. */
export function fullness(messages: readonly Waiting[]): string | undefined {
  const bytes = messages.reduce((sum, { size }) => sum + size, 0)
  if (messages.length < MAX_MESSAGES && bytes < MAX_BYTES) return undefined
  return `the queue of this site is full: ${messages.length} messages wait`
}
