import { createHash } from 'node:crypto'
import { runToEnd } from '../lib/run.ts'

/**
 * Returns a number that follows from the commit: what runs by turns runs in another turn at another
 * commit, and again at the same one. Without a repository it follows from the day.
 */
export async function turnOf(root: string): Promise<number> {
  const { status, stdout } = await runToEnd(['git', 'rev-parse', 'HEAD'], { cwd: root })
  const day = Math.floor(Date.now() / 86_400_000)
  return status === 0 ? Number.parseInt(stdout.slice(0, 7), 16) : day
}

/** In an order that follows from the turn. */
export function byTurn<T>(things: readonly T[], turn: number, nameOf: (thing: T) => string): T[] {
  const rank = (thing: T) =>
    createHash('sha256')
      .update(`${turn} ${nameOf(thing)}`)
      .digest('hex')
  return things.toSorted((one, other) => (rank(one) < rank(other) ? -1 : 1))
}
