import { z } from 'zod'
import type { Host } from '#agent/kernel/host/ports.ts'
import { jobRunsOf } from '#agent/kernel/site/paths.ts'
import { type AgentJobRun, MAX_JOB_OUTPUT, MAX_JOB_RUNS } from '#shared/jobs/job-runs.ts'
import { parseJson } from '#shared/kernel/parse.ts'

/** Twice the maximum size of a record, in which every output byte may take six in JSON. */
const MAX_BYTES = 1 << 20
/** The exit status of timeout(1) after a timeout, and of a program that a signal ended. */
const TIMED_OUT = [124, 137]

const Recorded = z.object({
  at: z.number().min(0).max(8e15),
  seconds: z.number().nonnegative().max(1e6),
  status: z.int().min(-1).max(255),
  output: z.string(),
})

/** The newest runs of a site's jobs, from the files of the recorder. */
export async function runsRecorded(host: Host, user: string): Promise<AgentJobRun[]> {
  const text = (await host.files.read(jobRunsOf(user), MAX_BYTES)) ?? ''
  const runs = text.split('\n').flatMap((line) => parseJson(Recorded, line) ?? [])
  return runs.map(runOf).reverse().slice(0, MAX_JOB_RUNS)
}

function runOf({ at, seconds, status, output }: z.infer<typeof Recorded>): AgentJobRun {
  return {
    started_at: new Date(at).toISOString(),
    seconds,
    result: status === 0 ? 'success' : TIMED_OUT.includes(status) ? 'timed_out' : 'failed',
    exit_status: status < 0 ? null : status,
    output: output.slice(-MAX_JOB_OUTPUT),
  }
}
