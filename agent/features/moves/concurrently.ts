import type { Progress } from '#agent/kernel/steps/command.ts'

/** Runs the work, and waits for the other work. If both fail, it throws the work's reason. */
export async function* concurrently<R>(work: Progress<R>, other: Promise<unknown>): Progress<R> {
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
