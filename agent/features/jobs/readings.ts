import { reading } from '#agent/kernel/calls/reading.ts'
import {
  jobOutputReading,
  jobRunsReading,
  jobTroublesReading,
  siteJobsReading,
  wordpressCronReading,
} from '#shared/jobs/readings.ts'
import { listJobRuns } from './list.ts'
import { listOwnJobs, readJobOutput } from './own.ts'
import { listJobTroubles } from './troubles.ts'
import { readEvents } from './wordpress-events.ts'

export const jobTroubles = reading(jobTroublesReading, async ({ host }) => ({
  sites: await listJobTroubles(host),
}))

export const jobRuns = reading(jobRunsReading, async ({ host, params }) => ({
  runs: await listJobRuns(host, params.domain),
}))

export const siteJobs = reading(siteJobsReading, ({ host, params }) =>
  listOwnJobs(host, params.domain),
)

export const jobOutput = reading(jobOutputReading, ({ host, params }) =>
  readJobOutput(host, params),
)

export const wordpressCron = reading(wordpressCronReading, ({ host, params }) =>
  readEvents(host, params.domain),
)
