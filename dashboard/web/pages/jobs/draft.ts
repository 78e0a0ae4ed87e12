import type { CronJob } from '#dashboard/web/api/site-jobs.ts'
import { SiteJob } from '#shared/jobs/site-jobs.ts'

/** A job as it is typed. */
export interface Draft {
  name: string
  schedule: string
  command: string
  max_minutes: string
  enabled: boolean
}

const NEW = { name: '', schedule: '0 3 * * *', command: '', max_minutes: 60, enabled: true }

export function draftOf(job: Omit<CronJob, 'last_run' | 'next_run_at' | 'failures'> = NEW): Draft {
  const { name, schedule, command, max_minutes, enabled } = job
  return { name, schedule, command, max_minutes: String(max_minutes), enabled }
}

export const inputOf = ({ max_minutes, ...draft }: Draft): SiteJob => ({
  ...draft,
  max_minutes: /^\d{1,4}$/.test(max_minutes.trim()) ? Number(max_minutes) : 0,
})

export type Mistakes = { [N in keyof Draft]?: string }

/** By field, with the rules of the API. */
export function mistakesOf(draft: Draft, others: readonly { name: string }[]): Mistakes {
  const { error } = SiteJob.safeParse(inputOf(draft))
  const issues = (error?.issues ?? []).map(({ path, message }) => [String(path[0]), message])
  const taken = others.some(({ name }) => name === draft.name)
  return {
    ...Object.fromEntries(issues.toReversed()),
    ...(taken && { name: 'Another job has this name' }),
  }
}
