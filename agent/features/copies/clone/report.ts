import { z } from 'zod'
import { restoreFolders } from '#agent/features/backups/paths.ts'
import type { OriginalSite } from '#agent/features/wordpress/addresses/addresses.ts'
import type { CopiedFolder } from '#agent/kernel/baseline/live-files.ts'
import type { TableDigest } from '#agent/kernel/database/digests.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { restoresOf } from '#agent/kernel/site/paths.ts'
import { AddressReport } from '#shared/copies/copy-source.ts'
import { parseJson } from '#shared/kernel/parse.ts'

const amount = z.int().nonnegative()

/** The result of a copy, for an operation that a restart interrupted after its end. */
const CopyReport = z.object({
  at: z.iso.datetime(),
  files: amount,
  bytes: amount,
  tables: amount,
  addresses: AddressReport,
})
type CopyReport = z.infer<typeof CopyReport>

/** A completed copy, and the state of its original. */
export interface CopyResult extends CopyReport {
  original: OriginalSite
  /** The digests of the tables of the original at the time of the copy. */
  digests: TableDigest[]
  same?: CopiedFolder
}

const pathOf = (user: string) => `${restoresOf(user)}/clone.json`

/** Writes the report on a copy, which stays until the site is deleted permanently. */
export async function writeReport(host: Host, user: string, report: CopyReport): Promise<void> {
  for (const path of restoreFolders(user)) await host.files.mkdir(path, { mode: 0o700 })
  await host.files.write(pathOf(user), `${JSON.stringify(CopyReport.parse(report))}\n`, {
    mode: 0o600,
  })
}

export const findReport = async (host: Host, user: string): Promise<CopyReport | undefined> =>
  parseJson(CopyReport, await host.files.read(pathOf(user)))
