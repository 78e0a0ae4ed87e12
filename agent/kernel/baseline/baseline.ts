import { z } from 'zod'
import { TableDigest } from '#agent/kernel/database/digests.ts'
import { type Change, removed } from '#agent/kernel/effects/change.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import type { Site } from '#agent/kernel/site/sites.ts'
import type { Step } from '#agent/kernel/steps/command.ts'
import { Domain } from '#shared/kernel/fields.ts'
import { parseJson } from '#shared/kernel/parse.ts'
import { SameFiles } from './live-files.ts'

/**
 * The tables of a live site and of its staging site at the moment at which they were the same: the
 * live ones as they were read, the others after their addresses and settings were changed.
 */
const Baseline = z.object({
  of: Domain,
  at: z.iso.datetime(),
  live: z.array(TableDigest),
  staging: z.array(TableDigest),
  files: SameFiles.optional(),
})
export type Baseline = z.infer<typeof Baseline>

const MAX_BYTES = 8 << 20

const pathOf = ({ settings }: Host, domain: string) =>
  `${settings.state_dir}/baselines/${domain}.json`

export async function writeBaseline(host: Host, domain: string, baseline: Baseline): Promise<void> {
  await host.files.mkdir(`${host.settings.state_dir}/baselines`, { mode: 0o700 })
  await host.files.write(pathOf(host, domain), `${JSON.stringify(baseline)}\n`, { mode: 0o600 })
}

/** Records the time after a push of files; without it nothing is known of them. */
export async function recordSameFiles(
  host: Host,
  { domain, of }: { domain: string; of: string },
  files: SameFiles | undefined,
): Promise<void> {
  const known = await findBaseline(host, domain, of)
  if (!known) return
  const { files: _, ...tables } = known
  await writeBaseline(host, domain, { ...tables, ...(files && { files }) })
}

/** Returns the baseline; undefined if never compared, or for another live site. */
export async function findBaseline(
  host: Host,
  domain: string,
  of: string,
): Promise<Baseline | undefined> {
  const baseline = parseJson(Baseline, await host.files.read(pathOf(host, domain), MAX_BYTES))
  return baseline?.of === of ? baseline : undefined
}

/** Returns the baseline for a backup, without files, which a folder of this server has. */
export async function baselineForBackup(
  host: Host,
  { domain, staging }: Pick<Site, 'domain' | 'staging'>,
): Promise<Baseline | undefined> {
  const known = staging && (await findBaseline(host, domain, staging.of))
  if (!known) return undefined
  const { files: _, ...tables } = known
  return tables
}

/** Restores the baseline from a backup of another server. Values of other sites are ignored. */
export async function restoreBaseline(
  host: Host,
  { domain, staging }: Pick<Site, 'domain' | 'staging'>,
  value: unknown,
): Promise<void> {
  const { data } = Baseline.omit({ files: true }).safeParse(value)
  if (data && data.of === staging?.of) await writeBaseline(host, domain, data)
}

/** Replaces a baseline by another one, if there is one. */
export async function replaceBaseline(host: Host, from: string, to: string): Promise<void> {
  if (!(await host.files.stat(pathOf(host, from)))) return
  await host.files.rename(pathOf(host, from), pathOf(host, to))
}

export const baselineRemoved = (host: Host, domain: string): Change =>
  removed(host, 'file', pathOf(host, domain))

export const forgetBaseline = (host: Host, domain: string): Promise<void> =>
  baselineRemoved(host, domain).apply()

/** Forgets the baseline of a staging site with other content: each table counts as changed. */
export const forgetBaselineSteps = (host: Host, { domain, staging }: Site): Step[] =>
  staging
    ? [
        {
          name: 'baseline',
          title: 'Discarding the records of the tables',
          effects: [],
          apply: () => forgetBaseline(host, domain),
        },
      ]
    : []
