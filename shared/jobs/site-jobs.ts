import { z } from 'zod'
import { Domain, ReportedDomain, TrueOrFalse, wholeNumber } from '#shared/kernel/fields.ts'
import { nextRuns, parseSchedule, ScheduleError } from './cron.ts'
import { JOB_RESULTS } from './job-runs.ts'

export const MAX_JOBS = 20
const MAX_COMMAND = 1000
/** The maximum size of the output of a run, in bytes. */
export const MAX_OUTPUT = 65_536
/** The maximum number of scheduled events of WordPress in one answer. */
export const MAX_EVENTS = 100

/** The name of a job, which is a part of the name of a unit. */
export const JobName = z
  .string('Must be a string')
  .regex(
    /^[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$/,
    'Must have 1 to 32 of a-z 0-9 -, and neither begin nor end with -',
  )

const RULE = 'Must be a text of 1 to 100 characters'

const JobSchedule = z
  .string(RULE)
  .trim()
  .min(1, RULE)
  .max(100, RULE)
  .superRefine((text, context) => {
    const message = scheduleProblem(text)
    if (message !== undefined) context.addIssue({ code: 'custom', message })
  })
  .describe(
    'The five fields of crontab(5), or @hourly, @daily, @weekly, @monthly, @yearly; in UTC.',
  )

export function scheduleProblem(text: string): string | undefined {
  try {
    const [next] = nextRuns(parseSchedule(text), 0, 1)
    return next === undefined ? 'Must name a date that exists' : undefined
  } catch (error) {
    if (error instanceof ScheduleError) return error.message
    throw error
  }
}

const LENGTH = `Must have 1 to ${MAX_COMMAND} characters`

const JobCommand = z
  .string('Must be a string')
  .trim()
  .min(1, LENGTH)
  .max(MAX_COMMAND, LENGTH)
  .refine(
    (text) => !/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u.test(text),
    'Must be one line without control characters',
  )
  .describe('A line for /bin/sh, which runs as the user of the site in its public folder.')

export const SiteJob = z.object({
  name: JobName,
  schedule: JobSchedule,
  command: JobCommand,
  max_minutes: wholeNumber(1, 1440).default(60).describe('A run that takes longer is ended.'),
  enabled: TrueOrFalse.default(true).describe('False: it runs only on request.'),
})
export type SiteJob = z.infer<typeof SiteJob>

export const SiteJobs = z
  .array(SiteJob, 'Must be a list of jobs')
  .max(MAX_JOBS, `Must have at most ${MAX_JOBS} jobs`)
  .superRefine((jobs, context) => {
    const names = jobs.map(({ name }) => name)
    const twice = names.find((name, at) => names.indexOf(name) !== at)
    if (twice === undefined) return
    context.addIssue({ code: 'custom', message: `Must have each name once: ${twice} has two jobs` })
  })

/** A job in the report of an agent: its texts were valid when they were set. */
export const ReportedJob = z.object({
  name: JobName,
  schedule: z.string().max(100),
  command: z.string().max(MAX_COMMAND),
  max_minutes: z.int().min(1).max(1440),
  enabled: z.boolean(),
})

/** The reasons why the jobs of a site do not run automatically. */
export const JOB_STOPS = ['suspended', 'staging', 'moving', 'without_systemd'] as const

const time = z.iso.datetime().max(40)

export const LastRun = z.object({
  started_at: time,
  seconds: z.number().nonnegative().max(1e6).nullable(),
  result: z.enum(JOB_RESULTS),
  exit_status: z.int().min(0).max(255).nullable(),
})
export type LastRun = z.infer<typeof LastRun>

const AgentJob = ReportedJob.extend({
  next_run_at: time.nullable(),
  last_run: LastRun.nullable(),
  failures: z.int().nonnegative().max(1000),
})

/** The cron jobs of a site. */
export const AgentSiteJobs = z.object({
  stopped: z.enum(JOB_STOPS).nullable(),
  jobs: z.array(AgentJob).max(MAX_JOBS),
})
export type AgentSiteJobs = z.infer<typeof AgentSiteJobs>

export const JobOutputRequest = z.object({ domain: Domain, name: JobName })
export const AgentJobOutput = z.object({
  run: LastRun.nullable(),
  output: z.string().transform((text) => text.slice(-MAX_OUTPUT)),
})
export type AgentJobOutput = z.infer<typeof AgentJobOutput>

const text = (most: number) => z.string().transform((value) => value.slice(0, most))

/** The scheduled events of the WordPress of a site, which may be hostile: earliest first. */
export const AgentCron = z.object({
  events: z
    .array(
      z.object({
        hook: text(200),
        due_at: time,
        schedule: text(100).nullable(),
        interval: z.int().nonnegative().max(1e9).nullable(),
      }),
    )
    .max(MAX_EVENTS),
  total: z.int().nonnegative().max(1e9),
  overdue: z.int().nonnegative().max(1e9),
  next_run_at: time.nullable(),
  stopped: z.enum(JOB_STOPS).nullable(),
})
export type AgentCron = z.infer<typeof AgentCron>

/** A site whose jobs fail again and again, or whose events do not run; others are not reported. */
export const SiteJobTrouble = z.object({
  domain: ReportedDomain,
  failing: z
    .array(z.object({ name: JobName, failures: z.int().positive().max(1000), at: time }))
    .max(MAX_JOBS),
  /** The time since when no run of due events succeeded. */
  overdue_since: time.nullable(),
})
export type SiteJobTrouble = z.infer<typeof SiteJobTrouble>
/** The number of failures in a row that are reported. */
export const MANY_FAILURES = 3
export const EVENTS_LATE_MS = 60 * 60_000

/** The age at which a due event counts as overdue: two turns of the runner. */
export const OVERDUE_MS = 10 * 60_000
