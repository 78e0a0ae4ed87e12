import type { Case } from './junit.ts'
import type { Outcome } from './test-job.ts'
import type { Job } from './test-plan.ts'

/** Tests that wait for other programs. Others try random inputs: their failures count. */
const WAITING = ['contract', 'browser', 'system']
/** More failing programs than this are not caused by the machine's load. */
const MOST_PROGRAMS = 12

/**
 * The programs to run a second time, one after another, after all others: the files of each failed
 * test, without the passed files of the same program. None if too much failed, or anything that
 * load cannot cause.
 */
export function plannedAgain(outcomes: readonly Outcome[]): Map<Outcome, Job> {
  const failed = outcomes.filter(({ cases }) => cases.some(isFailed))
  const unexcused = failed.some(({ job }) => !WAITING.includes(job.part))
  if (failed.length > MOST_PROGRAMS || unexcused) return new Map()
  return new Map(failed.map((outcome) => [outcome, again(outcome)]))
}

function again({ job, cases }: Outcome): Job {
  const named = new Set(cases.filter(isFailed).map(({ file }) => file))
  const all = job.files ?? []
  // A crashed program has no list of failed files.
  const files = named.has('') ? all : all.filter((file) => named.has(file))
  const options = job.argv.filter((word) => !all.some((file) => word === `./${file}`))
  const argv = [...options, ...files.map((file) => `./${file}`)]
  return { ...job, title: `${job.title} (again)`, argv, files }
}

/**
 * The final result: for files that ran again, that of the second run. `unsteady` are tests that
 * failed first and passed then, with the reason of the first failure.
 */
export function settled(first: readonly Outcome[], second: ReadonlyMap<Outcome, Outcome>) {
  const cases: Case[] = []
  const unsteady: Case[] = []
  for (const outcome of first) {
    const later = second.get(outcome)
    const ranAgain = new Set(later?.job.files)
    cases.push(...outcome.cases.filter(({ file }) => !later || (file && !ranAgain.has(file))))
    if (!later) continue
    const still = new Set(later.cases.filter(isFailed).map(({ file }) => file))
    cases.push(...later.cases)
    unsteady.push(...outcome.cases.filter((one) => isFailed(one) && !still.has(one.file)))
  }
  return { cases, unsteady }
}

const isFailed = ({ status }: Case) => status === 'failed'
