import { NoParams, reading } from '#shared/kernel/reading.ts'
import { KeyList, KnownKeys } from './keys.ts'

/** The keys of the dashboard that an agent accepts. */
export const keysReading = reading({
  at: 'GET /keys',
  params: NoParams,
  answer: KnownKeys,
  timeout_ms: 'contact',
})

/** Replaces the keys. */
export const newKeysReading = reading({
  at: 'POST /keys',
  params: KeyList,
  answer: KnownKeys,
  is_once: true,
})
