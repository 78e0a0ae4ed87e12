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

/** After a push of files; without a time nothing is known of them. */
export async function recordFiles(
  host: Host,
  { domain, of }: { domain: string; of: string },
  files: SameFiles | undefined,
): Promise<void> {
  const known = await findBaseline(host, domain, of)
  if (!known) return
  const { files: _, ...tables } = known
  await writeBaseline(host, domain, { ...tables, ...(files && { files }) })
}

/**
 * Returns the baseline; undefined for a staging site whose tables were never compared, and for
 * another live site.
 */
export async function findBaseline(
  host: Host,
  domain: string,
  of: string,
): Promise<Baseline | undefined> {
  const baseline = parseJson(Baseline, await host.files.read(pathOf(host, domain), MAX_BYTES))
  return baseline?.of === of ? baseline : undefined
}

/** For a backup of a staging site: its files are compared by a folder of this server, and so left out. */
export async function baselineOf(
  host: Host,
  { domain, staging }: Pick<Site, 'domain' | 'staging'>,
): Promise<Baseline | undefined> {
  const known = staging && (await findBaseline(host, domain, staging.of))
  if (!known) return undefined
  const { files: _, ...tables } = known
  return tables
}

/** From a backup that another server has made. Nothing happens with a value that is none of this site. */
export async function bringBaseline(
  host: Host,
  { domain, staging }: Pick<Site, 'domain' | 'staging'>,
  value: unknown,
): Promise<void> {
  const { data } = Baseline.omit({ files: true }).safeParse(value)
  if (data && data.of === staging?.of) await writeBaseline(host, domain, data)
}

/** Replaces one by another one, if there is one. */
export async function adoptBaseline(host: Host, from: string, to: string): Promise<void> {
  if (!(await host.files.stat(pathOf(host, from)))) return
  await host.files.rename(pathOf(host, from), pathOf(host, to))
}

export const baselineRemoved = (host: Host, domain: string): Change =>
  removed(host, 'file', pathOf(host, domain))

export const forgetBaseline = (host: Host, domain: string): Promise<void> =>
  baselineRemoved(host, domain).apply()

/** For a staging site with other content: each of its tables counts as changed. */
export const forgetSteps = (host: Host, { domain, staging }: Site): Step[] =>
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
