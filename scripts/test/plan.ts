import { createHash } from 'node:crypto'
import { runToEnd } from '#scripts/lib/run.ts'
import {
  committedRecords,
  isAlways,
  type Recorded,
  secondsOf,
  type TestFile,
  testFiles,
} from './files.ts'
import { builds, checks, type Job, testJob } from './jobs.ts'
import { changedSince, type Reach, readReach } from './reach.ts'

/**
 * `quick` needs no root and takes three minutes; `gate` is for each change; `full` is everything;
 * `long` is everything with all repetitions.
 */
export type Mode = 'quick' | 'gate' | 'full' | 'long'

type Wanted = {
  mode: Mode
  turn: number
  /** The part of the full suite to run. */
  shard?: Shard | undefined
  /** The commit that the change is compared with. */
  base?: string | undefined
}

/** Starting a browser, or loading the imports of a test, takes longer than many short files. */
const PROGRAM_SECONDS = 60
const PROGRAMS: Record<string, { programs: number; seconds: number }> = {
  dashboard: { programs: 2, seconds: 130 },
  unit: { programs: 1, seconds: 110 },
}

/** The time of a gate without its last lines; for what no change reaches, less. */
const REACHED_WITHIN_MS = 13 * 60_000
const OTHERS_WITHIN_MS = 11.5 * 60_000

/** Returns everything to run, in order. */
export async function planTests(root: string, wanted: Wanted): Promise<Job[]> {
  const [files, recorded] = await Promise.all([testFiles(root), committedRecords(root)])
  if (wanted.mode === 'quick') return planQuick(files)
  if (wanted.mode === 'gate') {
    const changed = await changedSince(root, wanted.base)
    return planGate(files, recorded, await readReach(root, changed, recorded), wanted.turn)
  }
  return planFull(files, recorded, wanted.shard)
}

/** Returns the checks and the fast parts, without their files that take long. */
export const planQuick = (files: readonly TestFile[]): Job[] => [
  ...whole(files.filter(({ tier }) => tier === 'core')),
  ...checks(),
]

/**
 * Returns what runs at each change, then what the change can reach, in this tier and in the full
 * suite, and then the rest; each in the order of this turn, so that what has no time left now has
 * it next time.
 */
export function planGate(
  files: readonly TestFile[],
  recorded: Recorded,
  reach: Reach,
  turn: number,
): Job[] {
  const order = byTurn(
    files.filter((file) => !isAlways(file)),
    turn,
    ({ path }) => path,
  )
  const reached = new Map(order.map((file) => [file, reach(file)]))
  const optional = (tier: string, isReached: boolean) =>
    order
      .filter((file) => file.tier === tier && (reached.get(file) !== undefined) === isReached)
      .map((file) => ({
        ...testJob([file], secondsOf(file, recorded)),
        within_ms: isReached ? REACHED_WITHIN_MS : OTHERS_WITHIN_MS,
        because: reached.get(file) ?? 'its turn',
      }))
  return [
    ...builds(),
    ...planHere(files.filter(isAlways), recorded),
    ...longestFirst(
      files.filter((file) => isAlways(file) && file.part === 'system'),
      recorded,
    ),
    ...optional('gate', true),
    ...optional('full', true),
    ...optional('gate', false),
    ...optional('full', false),
  ]
}

/** Returns everything, or one part of it: the parts of one commit are the same on every machine. */
export function planFull(
  files: readonly TestFile[],
  recorded: Recorded,
  shard: Shard = { number: 1, of: 1 },
): Job[] {
  const servers = files.filter(({ part }) => part === 'system')
  const jobs = [...planHere(files, recorded), ...longestFirst(servers, recorded)]
  const hand = deal(jobs, shard.of, ({ seconds }) => seconds)[shard.number - 1]
  const mine = new Set(hand?.things)
  return [...builds(), ...jobs.filter((job) => mine.has(job))]
}

/** Returns all that needs this machine alone, without the lab. */
function planHere(files: readonly TestFile[], recorded: Recorded): Job[] {
  const of = (part: string) => files.filter((file) => file.part === part)
  return [
    ...whole(files),
    ...longestFirst(of('simulation'), recorded),
    ...together(of('browser'), recorded),
    ...together(of('contract'), recorded),
    ...checks(),
  ]
}

/** Whether the seconds of the files of a part play no role. */
export const isPlannedWhole = (part: string) => part in PROGRAMS

/** Returns the fast parts as few programs. Neighbours, which are often alike, part. */
function whole(files: readonly TestFile[]): Job[] {
  return Object.entries(PROGRAMS).flatMap(([part, { programs, seconds }]) => {
    const mine = files.filter((file) => file.part === part)
    const hands = Array.from({ length: programs }, (_, hand) =>
      mine.filter((_, at) => at % programs === hand),
    )
    return hands.filter((hand) => hand.length > 0).map((hand) => testJob(hand, seconds))
  })
}

/** Returns one program for each file, so that a crash or a hang costs one file. */
const longestFirst = (files: readonly TestFile[], recorded: Recorded): Job[] =>
  files
    .map((file) => testJob([file], secondsOf(file, recorded)))
    .sort((one, other) => other.seconds - one.seconds)

/** Puts long files into programs of their own, and short ones into programs of about a minute. */
function together(files: readonly TestFile[], recorded: Recorded): Job[] {
  const seconds = (file: TestFile) => secondsOf(file, recorded)
  const sum = files.reduce((all, file) => all + seconds(file), 0)
  return deal(files, Math.ceil(sum / PROGRAM_SECONDS), seconds)
    .filter(({ things }) => things.length > 0)
    .map((hand) => testJob(hand.things, hand.seconds))
    .sort((one, other) => other.seconds - one.seconds)
}

/** A shard is one of several parts of the jobs, numbered from 1 on. */
type Shard = { number: number; of: number }

/** Reads a part such as `2/4`. Throws for anything that names no part. */
export function readShard(text: string): Shard {
  const [, number, of] = text.match(/^(\d+)\/(\d+)$/)?.map(Number) ?? []
  if (!number || !of || number > of) {
    throw new Error(`--shard must be a number of a part and of all parts, such as 2/4, not ${text}`)
  }
  return { number, of }
}

/**
 * Deals things into `count` hands of about the same number of seconds: the longest first, each into
 * the hand that has the fewest. Equal input gives equal hands, on every machine.
 */
function deal<T>(things: readonly T[], count: number, secondsOf: (thing: T) => number) {
  const hands = Array.from({ length: count }, () => ({ things: [] as T[], seconds: 0 }))
  for (const thing of things.toSorted((one, other) => secondsOf(other) - secondsOf(one))) {
    const least = hands.reduce((best, hand) => (hand.seconds < best.seconds ? hand : best))
    least.things.push(thing)
    least.seconds += secondsOf(thing)
  }
  return hands
}

/**
 * Returns a number that follows from the commit: what runs by turns runs in another turn at another
 * commit, and again at the same one. Without a repository it follows from the day.
 */
export async function turnOf(root: string): Promise<number> {
  const { status, stdout } = await runToEnd(['git', 'rev-parse', 'HEAD'], { cwd: root })
  const day = Math.floor(Date.now() / 86_400_000)
  return status === 0 ? Number.parseInt(stdout.slice(0, 7), 16) : day
}

/** Returns the things in an order that follows from the turn. */
function byTurn<T>(things: readonly T[], turn: number, nameOf: (thing: T) => string): T[] {
  const rank = (thing: T) =>
    createHash('sha256')
      .update(`${turn} ${nameOf(thing)}`)
      .digest('hex')
  return things.toSorted((one, other) => (rank(one) < rank(other) ? -1 : 1))
}
