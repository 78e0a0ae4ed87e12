import { chmod, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { cacheFolder } from './lib/cache.ts'
import { fail } from './lib/fail.ts'
import { prepareLab } from './lib/prepare-lab.ts'
import { plannedAgain, settled } from './lib/test-again.ts'
import { type Outcome, type RunOptions, runJob } from './lib/test-job.ts'
import { type Job, planTests } from './lib/test-plan.ts'
import { count, describeOutcome, describeSum } from './lib/test-report.ts'

const ROOT = join(import.meta.dir, '..')
const KEPT_RUNS = 5
const INTERRUPTED = { file: '', name: 'all', status: 'failed', reason: 'interrupted' } as const

/** Runs every test and prints the results; exit status 1 if one failed or none passed. */
async function main(): Promise<void> {
  const { values } = parseArgs({ options: { quick: { type: 'boolean', default: false } } })
  const interrupted = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.on(name, () => interrupted.abort())
  }
  const folder = await logFolder()
  console.log(`Logs: ${folder}`)
  if (values.quick) process.env.HOSTING_QUICK = '1'
  const jobs = await planTests(ROOT, { quick: values.quick })
  const memory = await folderInMemory()
  const options = { root: ROOT, folder, memory, signal: interrupted.signal }
  const { cases, unsteady } = await runTwice(jobs, options).finally(
    () => memory && rm(memory, { recursive: true, force: true }),
  )
  if (interrupted.signal.aborted) cases.push(INTERRUPTED)
  console.log(describeSum(cases, unsteady))
  const { passed, failed } = count(cases)
  process.exit(failed > 0 || passed === 0 ? 1 : 0)
}

/**
 * Everything, then the failed tests once more, with the machine to itself: a missed deadline beside
 * other servers is not a failure of the product, but it is listed, because a race looks the same.
 */
async function runTwice(jobs: readonly Job[], options: RunOptions) {
  const first = await runAll(jobs, options)
  const second = new Map<Outcome, Outcome>()
  for (const [outcome, job] of plannedAgain(first)) {
    if (!options.signal.aborted) second.set(outcome, await runShown(job, options))
  }
  return settled(first, second)
}

/** Tests that need only this machine run in parallel; the lab's servers start after all of them. */
const stageOf = ({ part }: Job) => (part === 'system' ? 'servers' : 'here')

/**
 * Most files wait much of their time, so there are more lanes than cores; fewer if servers boot, or
 * while the lab is prepared.
 */
function lanesOf(stage: string, beside: boolean): number {
  if (stage === 'servers') return availableParallelism() + 2
  return availableParallelism() + (beside ? 1 : 4)
}

/**
 * Stage after stage. The lab is prepared during the first ones, which do not use its network and
 * disk.
 */
async function runAll(jobs: readonly Job[], options: RunOptions): Promise<Outcome[]> {
  const ready = jobs.some(({ part }) => part === 'system') ? prepareLab(options) : undefined
  const outcomes: Outcome[] = []
  for (const stage of new Set(jobs.map(stageOf))) {
    if (stage === 'servers') await ready
    const queue = jobs.filter((job) => stageOf(job) === stage)
    const lane = async () => {
      for (let job = queue.shift(); job; job = queue.shift()) {
        if (options.signal.aborted) return
        outcomes.push(await runShown(job, options))
      }
    }
    await Promise.all(Array.from({ length: lanesOf(stage, ready !== undefined) }, lane))
  }
  return outcomes
}

async function runShown(job: Job, options: RunOptions): Promise<Outcome> {
  const outcome = await runJob(job, options)
  console.log(await describeOutcome(outcome))
  return outcome
}

/** A folder of this run; those of the last few runs stay. */
async function logFolder(): Promise<string> {
  const all = join(await cacheFolder(), 'tests')
  await mkdir(all, { recursive: true })
  const old = (await readdir(all)).sort().slice(0, -KEPT_RUNS)
  for (const name of old) await rm(join(all, name), { recursive: true, force: true })
  const folder = join(all, `${new Date().toISOString().replace(/[:.]/g, '')}-${process.pid}`)
  await mkdir(folder)
  return folder
}

/** On Linux: files in it never reach a disk. */
async function folderInMemory(): Promise<string | undefined> {
  const folder = await mkdtemp('/dev/shm/hosting-control-').catch(() => undefined)
  // Like the folder for temporary files: some programs of the tests run as nobody.
  if (folder) await chmod(folder, 0o1777)
  return folder
}

await main().catch((error: unknown) => {
  process.exitCode = 1
  console.log('0 passed, 1 failed, 0 skipped')
  fail(error)
})
