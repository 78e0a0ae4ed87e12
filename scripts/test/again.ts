import type { Outcome } from './job.ts'
import type { Job } from './jobs.ts'
import type { Case } from './junit.ts'

/** These tests wait for other programs. Others do not depend on what runs beside them. */
const WAITING = ['contract', 'browser', 'system']
/** So many failed programs have one cause, and it is not what ran beside them. */
const FAILED_PROGRAMS = 12

/**
 * How a failed test ended when it ran once more, alone, with the same random inputs: it failed
 * again, or it is unsteady. Both are failures of the run, unless it was a wait that ended, on a
 * machine that was measured as overloaded (`late`): that is named, and says nothing.
 */
export type Verdict = 'fails' | 'unsteady' | 'late'

/** Returns the programs to run a second time, one after another, after all others. */
export function plannedAgain(outcomes: readonly Outcome[]): Map<Outcome, Job> {
  const failed = outcomes.filter(
    ({ job, cases }) => WAITING.includes(job.part) && cases.some(isFailed),
  )
  if (failed.length > FAILED_PROGRAMS) return new Map()
  return new Map(failed.map((outcome) => [outcome, again(outcome)]))
}

function again({ job, cases }: Outcome): Job {
  const named = new Set(cases.filter(isFailed).map(({ file }) => file))
  const all = job.files ?? []
  // A crashed program has no list of failed files.
  const files = named.has('') ? all : all.filter((file) => named.has(file))
  const options = job.argv.filter((word) => !all.some((file) => word === `./${file}`))
  return {
    ...job,
    title: `${job.title} (again)`,
    argv: [...options, ...files.map((file) => `./${file}`)],
    files,
  }
}

/** Returns each failed test with its verdict. */
export function judged(first: Outcome, second: Outcome | undefined): [Case, Verdict][] {
  const still = new Set(second?.cases.filter(isFailed).map(nameOf))
  const crashed = second?.cases.some((one) => isFailed(one) && one.file === '')
  return first.cases.filter(isFailed).map((one) => {
    const crashed_first = one.file === '' && still.size > 0
    if (!second || crashed || crashed_first || still.has(nameOf(one))) return [one, 'fails']
    return [one, first.overloaded && one.waited ? 'late' : 'unsteady']
  })
}

const nameOf = ({ file, name }: Case) => `${file} ${name}`

const isFailed = ({ status }: Case) => status === 'failed'
