import { Badge, type Tone } from '#dashboard/web/ui/status.tsx'
import type { JobRun } from '#shared/jobs/api/job-runs.ts'

const RESULTS: Record<JobRun['result'], { tone: Tone; text: string }> = {
  running: { tone: 'busy', text: 'running' },
  success: { tone: 'good', text: 'success' },
  failed: { tone: 'bad', text: 'failed' },
  timed_out: { tone: 'bad', text: 'ended at its time limit' },
  killed: { tone: 'bad', text: 'ended by a signal' },
}

/** How a run ended. */
export function RunBadge({ run }: { run: Pick<JobRun, 'result' | 'exit_status'> }) {
  const { tone, text } = RESULTS[run.result]
  return (
    <>
      <Badge tone={tone}>{text}</Badge>
      {run.exit_status !== null && run.exit_status !== 0 && (
        <span className="ml-2 text-xs text-muted">exit status {run.exit_status}</span>
      )}
    </>
  )
}
