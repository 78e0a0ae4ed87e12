import type { CopyResult } from '#agent/features/copies/clone/report.ts'
import { switchOffServices } from '#agent/features/wordpress/separate/switch-off.ts'
import * as baseline from '#agent/kernel/baseline/baseline.ts'
import { copiedFolder } from '#agent/kernel/baseline/live-files.ts'
import { databaseDigests } from '#agent/kernel/database/digests.ts'
import { change } from '#agent/kernel/effects/effects.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import type { Site } from '#agent/kernel/site/sites.ts'
import {
  type Progress,
  type Step,
  type StepResults,
  stepResult,
} from '#agent/kernel/steps/command.ts'

export const copyResult = stepResult<CopyResult>('Nothing was copied')

/** Separates the copy from its original; the undo then counts each table as changed. */
export const separateStep = (host: Host, site: Site, { get }: Pick<StepResults, 'get'>): Step => ({
  name: 'separate',
  title: 'Switching off payments, mail services and accounts',
  effects: [change('database', site.user)],
  apply: () => separate(host, site, get(copyResult)),
  undo: () => baseline.forgetBaseline(host, site.domain),
})

async function* separate(
  host: Host,
  site: Site,
  { at, digests, same }: CopyResult,
): Progress<void> {
  await baseline.forgetBaseline(host, site.domain)
  const off = await switchOffServices(host, site)
  if (off.length > 0) yield `Switched off: ${off.join(', ')}`
  if (!site.staging) return
  const staging = await databaseDigests(host, site)
  const isSame = same && same.folder === (await copiedFolder(host, same.live)).folder
  await baseline.writeBaseline(host, site.domain, {
    of: site.staging.of,
    at,
    live: digests,
    staging,
    ...(isSame && { files: { at, folder: same.folder } }),
  })
}
