import { z } from 'zod'
import { serviceUnitOf } from '#agent/features/jobs/cron/files.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { formOf } from '#agent/kernel/services/index.ts'
import { jobRunsOf } from '#agent/kernel/site/paths.ts'
import { getSite } from '#agent/kernel/site/sites.ts'
import {
  type AgentJobRun,
  MAX_JOB_OUTPUT,
  MAX_JOB_RUNS,
  plainOutput,
} from '#shared/jobs/job-runs.ts'
import { parseJson } from '#shared/kernel/parse.ts'
import { runsOfUnit } from './journal.ts'
import { outputsOf } from './output.ts'

/**
 * Returns the newest runs of the jobs of a site, with the end of each output: text of the site,
 * without control characters. Throws not_found for a site that this agent did not create.
 */
export async function listJobRuns(host: Host, domain: string): Promise<AgentJobRun[]> {
  const { user } = await getSite(host, domain)
  return formOf(host, { systemd: fromJournal, direct: fromRecord })(host, user)
}

async function fromJournal(host: Host, user: string): Promise<AgentJobRun[]> {
  const runs = await runsOfUnit(host, serviceUnitOf(user))
  const outputs = await outputsOf(host, user, runs, MAX_JOB_OUTPUT)
  return runs.map(({ id, ...run }) => ({ ...run, output: (outputs.get(id) ?? '').trim() }))
}

async function fromRecord(host: Host, user: string): Promise<AgentJobRun[]> {
  const runs = await runsRecorded(host, user)
  return runs.map((run) => ({ ...run, output: plainOutput(run.output).trim() }))
}

/** The limit of a record: twice its maximum size, as each byte may take six in JSON. */
const MAX_BYTES = 1 << 20
/** The exit status of timeout(1) after a timeout, and of a program that a signal ended. */
const TIMED_OUT = [124, 137]

const RecordedRun = z.object({
  at: z.number().min(0).max(8e15),
  seconds: z.number().nonnegative().max(1e6),
  status: z.int().min(-1).max(255),
  output: z.string(),
})

/** Reads the newest runs of a site's jobs from the files of the recorder. */
async function runsRecorded(host: Host, user: string): Promise<AgentJobRun[]> {
  const text = (await host.files.read(jobRunsOf(user), MAX_BYTES)) ?? ''
  const runs = text.split('\n').flatMap((line) => parseJson(RecordedRun, line) ?? [])
  return runs.map(runOf).reverse().slice(0, MAX_JOB_RUNS)
}

function runOf({ at, seconds, status, output }: z.infer<typeof RecordedRun>): AgentJobRun {
  return {
    started_at: new Date(at).toISOString(),
    seconds,
    result: status === 0 ? 'success' : TIMED_OUT.includes(status) ? 'timed_out' : 'failed',
    exit_status: status < 0 ? null : status,
    output: output.slice(-MAX_JOB_OUTPUT),
  }
}
