/** What a run of tests leaves out, as the runner states it in the environment. */
interface Turns {
  /** The gate runs a part of what the other tiers run whole. */
  isGate: boolean
  /** It follows from the commit: another commit runs another part. */
  turn: number
}

/** One of equal parts of something that is repeated; `at` counts from 0. */
interface Part {
  at: number
  of: number
}

/** Without a tier, as for a file that a developer runs by hand, everything runs. */
export function turnsOf(env: Record<string, string | undefined>): Turns {
  const turn = Number(env.HOSTING_TURN ?? 0)
  if (!Number.isSafeInteger(turn) || turn < 0)
    throw new Error(`HOSTING_TURN must be a whole number from 0: ${env.HOSTING_TURN}`)
  return { isGate: env.HOSTING_TIER === 'gate', turn }
}

/**
 * Returns all choices, such as Debian releases; in the gate one of them. Subjects have different
 * turns, so that one commit does not test all of them on the same release.
 */
export function inTurn<T>(
  { isGate, turn }: Turns,
  choices: readonly T[],
  subject: string,
): readonly T[] {
  if (!isGate) return choices
  const at = (turn + Bun.hash.crc32(subject)) % choices.length
  return choices.slice(at, at + 1)
}

/** Returns all points of a sweep; in the gate 2 of 10, evenly spread, and at least one. */
export function sampled<T>({ isGate, turn }: Turns, points: readonly T[]): readonly T[] {
  if (!isGate) return points
  const count = Math.ceil(points.length / 5)
  const chosen = Array.from({ length: count }, (_, at) =>
    Math.floor((at * points.length) / count + turn),
  )
  const indices = new Set(chosen.map((index) => index % points.length))
  return points.filter((_, at) => indices.has(at))
}

/** The part of all repetitions that a run does: the first tenth if it is quick, a fifth in the gate. */
export function partOf({ isGate, turn }: Turns, isQuick: boolean): Part {
  if (isQuick) return { at: 0, of: 10 }
  return isGate ? { at: turn % 5, of: 5 } : { at: 0, of: 1 }
}

/** The numbers from 1 to `total` of this part, which are consecutive; at least one. */
export function numbersOf({ at, of }: Part, total: number): number[] {
  const count = Math.ceil(total / of)
  const first = Math.min(at * count, total - count)
  return Array.from({ length: count }, (_, index) => first + index + 1)
}

/** The numbers 1, 1 + `step`, 1 + 2 × `step` … of this part, evenly spread, without an end. */
export function* pointsOf({ at, of }: Part, step: number): Generator<number> {
  for (let point = 1 + step * at; ; point += step * of) yield point
}
