import type { Progress } from './command.ts'

/** Returns the result of work whose lines nobody reads. */
export async function resultOf<R>(work: Progress<R>): Promise<R> {
  let next = await work.next()
  while (!next.done) next = await work.next()
  return next.value
}
