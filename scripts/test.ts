import { chmod, mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { cacheFolder } from './lib/cache.ts'
import { fail } from './lib/fail.ts'
import { judged, plannedAgain, type Verdict } from './test/again.ts'
import { idleSince, watchLoad } from './test/cost.ts'
import { type Recorded, writeRecorded } from './test/files.ts'
import { commandsOf, type Outcome, type RunOptions, runJob, runLogged } from './test/job.ts'
import type { Job } from './test/jobs.ts'
import type { Case } from './test/junit.ts'
import { paceOf } from './test/pace.ts'
import { isPlannedWhole, type Mode, planTests, readShard, turnOf } from './test/plan.ts'
import {
  count,
  describeCost,
  describeLeftOut,
  describeOutcome,
  describeSum,
  type Stage,
} from './test/report.ts'

const ROOT = join(import.meta.dir, '..')
const KEPT_RUNS = 5
const INTERRUPTED = { file: '', name: 'all', status: 'failed', reason: 'interrupted' } as const
const LEFT_OUT_OF_QUICK =
  'Left out by --quick: simulation, contract, browser and system tests, the longest files of the others (their first line is // tier: gate), and nine of ten repetitions.'

const OPTIONS = {
  quick: { type: 'boolean', default: false },
  full: { type: 'boolean', default: false },
  long: { type: 'boolean', default: false },
  shard: { type: 'string' },
  base: { type: 'string' },
  record: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const

const HELP = `Usage: sh scripts/test.sh [option…]

  (none)             the gate of a change: checks, unit and contract tests, and those browser and system
                     tests that the change can reach, in 15 minutes
  --quick            checks and the fast tests, in 3 minutes; its last lines say what it leaves out
  --full             every test
  --full --shard 1/4 a part of every test, balanced by their seconds
  --long             every test, with all repetitions; also with --shard
  --base COMMIT      the commit that the change is compared with; default: where the branch left
                     origin/main; without one, everything counts as changed
  --record           store the seconds and the commands of each file in tests/recorded.json

HOSTING_SEED=N repeats the random inputs of a run. One file: see .github/CONTRIBUTING.md.`

/** Runs the tests and prints the results; exit status 1 if one failed or none passed. */
async function main(): Promise<void> {
  const { values } = parseArgs({ options: OPTIONS })
  if (values.help) {
    console.log(HELP)
    return
  }
  const mode = (['quick', 'full', 'long'] as const).find((name) => values[name]) ?? 'gate'
  if (values.shard && mode !== 'full' && mode !== 'long') {
    throw new Error('--shard is a part of the full suite: use it with --full or --long')
  }
  const interrupted = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.on(name, () => interrupted.abort())
  }
  const turn = await turnOf(ROOT)
  const seed = process.env.HOSTING_SEED ?? String(Math.floor(Math.random() * 2 ** 31))
  const folder = await logFolder()
  console.log(`Tier: ${mode}, turn ${turn}, seed ${seed}. Logs: ${folder}`)
  const shard = values.shard ? readShard(values.shard) : undefined
  const jobs = await planTests(ROOT, { mode, turn, shard, base: values.base })
  const memory = await folderInMemory()
  const env = environment(mode, turn, seed)
  const options = { root: ROOT, folder, memory, signal: interrupted.signal, env }
  await run(jobs, options, mode, values.record).finally(
    () => memory && rm(memory, { recursive: true, force: true }),
  )
}

async function run(
  jobs: Parameters<typeof runStages>[0],
  options: RunOptions,
  mode: Mode,
  record: boolean,
) {
  const unwatch = watchLoad()
  const { outcomes, stages, leftOut } = await runStages(jobs, options)
  const verdicts: [Case, Verdict][] = []
  const second = plannedAgain(outcomes)
  for (const outcome of outcomes) {
    const job = second.get(outcome)
    const again = job && !options.signal.aborted ? await runShown(job, options) : undefined
    verdicts.push(...judged(outcome, again))
  }
  unwatch()
  const cases = outcomes.flatMap((outcome) => outcome.cases)
  if (options.signal.aborted) {
    cases.push(INTERRUPTED)
    verdicts.push([INTERRUPTED, 'fails'])
  }
  if (record) await writeRecorded(ROOT, await measured(outcomes, options.folder))
  console.log(describeCost(stages, outcomes))
  if (mode === 'quick') console.log(`\n${LEFT_OUT_OF_QUICK}`)
  console.log(describeLeftOut(leftOut))
  console.log(describeSum(cases, verdicts))
  const { passed, failed } = count(cases, verdicts)
  process.exit(failed > 0 || passed === 0 ? 1 : 0)
}

/** Returns what tells the tests what to repeat and to choose, and from which seed random inputs follow. */
function environment(mode: Mode, turn: number, seed: string): Record<string, string> {
  return {
    HOSTING_TIER: mode === 'quick' ? 'gate' : mode,
    HOSTING_TURN: String(turn),
    HOSTING_SEED: seed,
    ...(mode === 'quick' && { HOSTING_QUICK: '1' }),
    ...(mode === 'long' && { HOSTING_LONG: '1' }),
  }
}

/**
 * Returns the seconds of each passed file, and the commands that its hosts ran. The fast parts are
 * planned as a whole, so their files have none.
 */
async function measured(outcomes: readonly Outcome[], folder: string): Promise<Recorded> {
  const found: Recorded = {}
  for (const { job, cases, seconds } of outcomes) {
    if (isPlannedWhole(job.part)) continue
    if (cases.some(({ status }) => status === 'failed')) continue
    const text = await readFile(commandsOf(folder, job), 'utf8').catch(() => '')
    const commands = [...new Set(text.split('\n').filter(Boolean))].sort()
    for (const [path, time] of Object.entries(seconds)) {
      found[path] = {
        seconds: Math.ceil(time),
        ...(job.part === 'system' && { commands }),
      }
    }
  }
  return found
}

/** Makes a folder of this run; those of the last few runs stay. */
async function logFolder(): Promise<string> {
  const all = join(await cacheFolder(), 'tests')
  await mkdir(all, { recursive: true })
  const old = (await readdir(all)).sort().slice(0, -KEPT_RUNS)
  for (const name of old) await rm(join(all, name), { recursive: true, force: true })
  const folder = join(all, `${new Date().toISOString().replace(/[:.]/g, '')}-${process.pid}`)
  await mkdir(folder)
  return folder
}

/** Returns a folder in memory on Linux: files in it never reach a disk. */
async function folderInMemory(): Promise<string | undefined> {
  const folder = await mkdtemp('/dev/shm/hosting-control-').catch(() => undefined)
  // Like the folder for temporary files: some programs of the tests run as nobody.
  if (folder) await chmod(folder, 0o1777)
  return folder
}

/** Tests that need only this machine run first; the lab's servers start after all of them. */
const stageOf = ({ part, within_ms }: Job) => (part === 'system' || within_ms ? 'servers' : 'here')

/**
 * Most files wait much of their time, so there are more lanes than cores; fewer if servers boot, or
 * while the lab is prepared. The long files of the full suite leave no core idle with one more, and
 * what has a limit of its own, like the scan of a site, would reach it beside many others.
 */
function lanesOf(stage: string, beside: boolean, tier: string | undefined): number {
  if (stage === 'servers') return availableParallelism() + (tier === 'gate' ? 2 : 1)
  return availableParallelism() + (beside ? 1 : 4)
}

/**
 * Runs stage after stage. The lab is prepared during the first one, which does not use its network
 * and disk. `leftOut` are the jobs that could not end in their time.
 */
async function runStages(jobs: readonly Job[], options: RunOptions) {
  const began_ms = performance.now()
  const ready = jobs.some(({ part }) => part === 'system') ? prepareLab(options) : undefined
  const outcomes: Outcome[] = []
  const leftOut: Job[] = []
  const stages: Stage[] = []
  const runLane = async (queue: Job[]) => {
    for (let job = queue.shift(); job; job = queue.shift()) {
      if (options.signal.aborted) return
      const takes_ms = 1000 * job.seconds * paceOf(outcomes, job.part)
      const end_ms = performance.now() - began_ms + takes_ms
      if (end_ms > (job.within_ms ?? Number.POSITIVE_INFINITY)) leftOut.push(job)
      else outcomes.push(await runShown(job, options))
    }
  }
  for (const name of new Set(jobs.map(stageOf))) {
    if (name === 'servers') await ready
    const start_ms = performance.now()
    const idle = idleSince()
    const queue = jobs.filter((job) => stageOf(job) === name)
    const laneCount = lanesOf(name, ready !== undefined, options.env.HOSTING_TIER)
    const lanes = Array.from({ length: laneCount }, () => runLane(queue))
    await Promise.all(lanes)
    stages.push({ name, idle: idle(), ms: performance.now() - start_ms })
  }
  return { outcomes, stages, leftOut }
}

async function runShown(job: Job, options: RunOptions): Promise<Outcome> {
  const outcome = await runJob(job, options)
  console.log(await describeOutcome(outcome))
  return outcome
}

/** Each program saves minutes on a new machine and costs nothing on a prepared one. */
const preparingPrograms = (tier: string | undefined) => [
  ['scripts/wordpress-mirror.ts'],
  ['scripts/lab-bases.ts', ...(tier === 'gate' ? ['--gate'] : [])],
]

/**
 * Prepares what the system tests would otherwise create themselves, one after the other. A failure
 * is only logged: the test that needs it fails again and reports the reason.
 */
async function prepareLab({ root, folder, signal, env }: RunOptions): Promise<void> {
  if (process.getuid?.() !== 0) return
  for (const program of preparingPrograms(env.HOSTING_TIER)) {
    const log = join(folder, 'prepare.log')
    const argv = [process.execPath, ...program]
    const status = await runLogged({ argv, cwd: root, log, timeout_ms: 900_000, signal })
    if (status !== 0) console.log(`  note: ${program.join(' ')} failed (${status}), see ${log}`)
  }
}

await main().catch((error: unknown) => {
  process.exitCode = 1
  console.log('0 passed, 1 failed, 0 skipped')
  fail(error)
})
