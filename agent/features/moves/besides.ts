import type { Progress } from '#agent/kernel/steps/command.ts'

/**
 * The work, and then the end of what runs at the same time, which the caller awaits for its result.
 * If both fail, the reason is that of the work.
 */
export async function* besides<R>(work: Progress<R>, other: Promise<unknown>): Progress<R> {
  const end = other.then(
    () => undefined,
    () => undefined,
  )
  try {
    return yield* work
  } finally {
    await end
  }
}
