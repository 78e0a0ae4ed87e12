import { ACME_ROOT } from '#agent/features/web/base.ts'
import { isDraft } from '#agent/kernel/host/draft.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { CONFIGURATION, RESTORES } from '#agent/kernel/site/paths.ts'
import { SITE_ETC } from '#agent/kernel/site-etc/paths.ts'

/** The depth of the records of operations and the states before restores below their folders. */
const DEPTH = 2

/**
 * Removes, at the start of the agent and before it writes, the drafts of files that a killed agent
 * left in its own folders. They are never read, and may have secrets. A folder that others can
 * write is not entered.
 */
export async function removeLeftoverDrafts(host: Host): Promise<void> {
  for (const root of [host.settings.state_dir, CONFIGURATION, SITE_ETC, ACME_ROOT, RESTORES])
    await removeBelow(host, root, DEPTH)
}

async function removeBelow(host: Host, folder: string, depth: number): Promise<void> {
  if (!(await isOwn(host, folder))) return
  for (const { name, kind } of await host.files.list(folder)) {
    const path = `${folder}/${name}`
    if (kind === 'file' && isDraft(name)) await host.files.remove(path)
    else if (kind === 'directory' && depth > 0) await removeBelow(host, path, depth - 1)
  }
}

async function isOwn({ files }: Host, folder: string): Promise<boolean> {
  const found = await files.stat(folder)
  return found?.kind === 'directory' && found.uid === 0 && (found.mode & 0o022) === 0
}
