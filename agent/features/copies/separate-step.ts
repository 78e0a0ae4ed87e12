import type { Copied } from '#agent/features/copies/clone/report.ts'
import { quiet } from '#agent/features/wordpress/separate/quiet.ts'
import * as baseline from '#agent/kernel/baseline/baseline.ts'
import { sameFolder } from '#agent/kernel/baseline/live-files.ts'
import { databaseDigests } from '#agent/kernel/database/digests.ts'
import { change } from '#agent/kernel/effects/effects.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import type { Site } from '#agent/kernel/site/sites.ts'
import { type Progress, type Step, type Values, value } from '#agent/kernel/steps/command.ts'

/** The content of a clone or a refresh. */
export const copied = value<Copied>('Nothing was copied')

/** After an undo nothing is known of the tables, and so each of them counts as changed. */
export const separateStep = (host: Host, site: Site, { get }: Pick<Values, 'get'>): Step => ({
  name: 'separate',
  title: 'Switching off payments, mail services and accounts',
  effects: [change('database', site.user)],
  apply: () => separate(host, site, get(copied)),
  undo: () => baseline.forgetBaseline(host, site.domain),
})

async function* separate(host: Host, site: Site, { at, digests, same }: Copied): Progress<void> {
  await baseline.forgetBaseline(host, site.domain)
  const off = await quiet(host, site)
  if (off.length > 0) yield `Switched off: ${off.join(', ')}`
  if (!site.staging) return
  const staging = await databaseDigests(host, site)
  const isSame = same && same.folder === (await sameFolder(host, same.live)).folder
  await baseline.writeBaseline(host, site.domain, {
    ...{ of: site.staging.of, at, live: digests, staging },
    ...(isSame && { files: { at, folder: same.folder } }),
  })
}
