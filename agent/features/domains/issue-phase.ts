import { z } from 'zod'
import type { Host } from '#agent/kernel/host/ports.ts'
import { parseJson } from '#shared/kernel/parse.ts'

const IssuePhase = z.object({
  /** `checking`: requests under each name. `issuing`: the authority has an order for them. */
  phase: z.enum(['checking', 'issuing']),
  names: z.array(z.string()),
  since: z.number(),
})
export type IssuePhase = z.infer<typeof IssuePhase>

/** The maximum age of a phase: an older file was left behind. */
const MAX_MS = 20 * 60_000

const PREFIX = 'certificate-phase-'
const pathOf = ({ settings }: Host, domain: string) =>
  `${settings.state_dir}/${PREFIX}${domain}.json`

/** Records the phase of a request while `work` runs; a failing record does not fail the work. */
export async function inPhase<T>(
  host: Host,
  domain: string,
  now: Pick<IssuePhase, 'phase' | 'names'>,
  work: () => Promise<T>,
): Promise<T> {
  const path = pathOf(host, domain)
  const text = `${JSON.stringify({ ...now, since: host.clock.now() })}\n`
  await host.files.write(path, text, { mode: 0o600 }).catch(() => undefined)
  try {
    return await work()
  } finally {
    await host.files.remove(path).catch(() => undefined)
  }
}

/** Returns the phase of the running request for a certificate; undefined when none is running. */
export async function readPhase(host: Host, domain: string): Promise<IssuePhase | undefined> {
  const found = parseJson(IssuePhase, await host.files.read(pathOf(host, domain)))
  const isNow = found && Math.abs(host.clock.now() - found.since) < MAX_MS
  return isNow ? found : undefined
}

/** Removes, at the start of the agent, the phases of interrupted requests. */
export async function removeLeftoverPhases({ files, settings }: Host): Promise<void> {
  for (const { name } of await files.list(settings.state_dir))
    if (name.startsWith(PREFIX))
      await files.remove(`${settings.state_dir}/${name}`).catch(() => undefined)
}
