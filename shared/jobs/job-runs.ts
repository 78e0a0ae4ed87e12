import { z } from 'zod'

export const JOB_RESULTS = ['running', 'success', 'failed', 'timed_out', 'killed'] as const

/** The maximum number of reported runs, newest first. The site chooses their output. */
export const MAX_JOB_RUNS = 20
export const MAX_JOB_OUTPUT = 4096

/** One run of the jobs of a site, as its agent reports it. */
export const AgentJobRun = z.object({
  started_at: z.iso.datetime().max(40),
  seconds: z.number().nonnegative().max(1e6).nullable(),
  result: z.enum(JOB_RESULTS),
  exit_status: z.int().min(0).max(255).nullable(),
  output: z.string().transform((text) => text.slice(-MAX_JOB_OUTPUT)),
})
export type AgentJobRun = z.infer<typeof AgentJobRun>
export const AgentJobRuns = z.object({ runs: z.array(AgentJobRun).max(MAX_JOB_RUNS) })

const ESCAPE = '\u001b'
/** Matches the remaining part of an escape sequence: ECMA-48, 5.4 and 8.3.89. */
const SEQUENCE = /^(?:\[[0-?]*[ -/]*[@-~]|\][^\p{Cc}]*|[@-Z\\-_])/u

/** Removes characters that change the display of other lines: escape sequences, controls, directions. */
export function plainOutput(text: string): string {
  const [first = '', ...escaped] = text.replaceAll(/\r\n?/g, '\n').split(ESCAPE)
  return [first, ...escaped.map((part) => part.replace(SEQUENCE, ''))]
    .join('')
    .replaceAll(/[^\P{Cc}\n\t]|[\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '')
}
