import { availableParallelism } from 'node:os'
import { idleSince } from './cost.ts'
import { type Outcome, type RunOptions, runJob } from './job.ts'
import type { Job } from './jobs.ts'
import { prepareLab } from './prepare-lab.ts'
import { describeOutcome, type Stage } from './report.ts'

/** Tests that need only this machine run first; the lab's servers start after all of them. */
const stageOf = ({ part, within_ms }: Job) => (part === 'system' || within_ms ? 'servers' : 'here')

/**
 * Most files wait much of their time, so there are more lanes than cores; fewer if servers boot, or
 * while the lab is prepared.
 */
function lanesOf(stage: string, beside: boolean): number {
  if (stage === 'servers') return availableParallelism() + 2
  return availableParallelism() + (beside ? 1 : 4)
}

/**
 * Stage after stage. The lab is prepared during the first one, which does not use its network and
 * disk. `leftOut` are the jobs that could not end in their time.
 */
export async function runStages(jobs: readonly Job[], options: RunOptions) {
  const began_ms = performance.now()
  const ready = jobs.some(({ part }) => part === 'system') ? prepareLab(options) : undefined
  const outcomes: Outcome[] = []
  const leftOut: Job[] = []
  const stages: Stage[] = []
  const runLane = async (queue: Job[]) => {
    for (let job = queue.shift(); job; job = queue.shift()) {
      if (options.signal.aborted) return
      const end_ms = performance.now() - began_ms + 1000 * job.seconds
      if (end_ms > (job.within_ms ?? Number.POSITIVE_INFINITY)) leftOut.push(job)
      else outcomes.push(await runShown(job, options))
    }
  }
  for (const name of new Set(jobs.map(stageOf))) {
    if (name === 'servers') await ready
    const start_ms = performance.now()
    const idle = idleSince()
    const queue = jobs.filter((job) => stageOf(job) === name)
    const lanes = Array.from({ length: lanesOf(name, ready !== undefined) }, () => runLane(queue))
    await Promise.all(lanes)
    stages.push({ name, idle: idle(), ms: performance.now() - start_ms })
  }
  return { outcomes, stages, leftOut }
}

export async function runShown(job: Job, options: RunOptions): Promise<Outcome> {
  const outcome = await runJob(job, options)
  console.log(await describeOutcome(outcome))
  return outcome
}
