import { z } from 'zod'
import type { Host } from '#agent/host/ports.ts'
import { runAsSite } from '#agent/os/as-site/run.ts'
import { docrootOf } from '#agent/os/site/paths.ts'
import type { Site } from '#agent/os/site/sites.ts'

const LIMITS = { network: false, idle: true, timeout_ms: 60 * 60_000 } as const

/**
 * When a live site and its staging site had the same files, and the inode of the live site's
 * document root: a restore, an undo and a push replace the folder.
 */
export const SameFiles = z.object({ at: z.iso.datetime(), folder: z.string() })
export type SameFiles = z.infer<typeof SameFiles>

export const sameFiles = async (host: Host, live: Site, at: string): Promise<SameFiles> => ({
  at,
  folder: await inodeOf(host, live),
})

/**
 * The files and links of a live site that were written since then, by the time that no program of
 * a site can set. Undefined if its document root is another one, so that nothing is known of them.
 */
export async function writtenSince(
  host: Host,
  live: Site,
  since: SameFiles | undefined,
): Promise<Set<string> | undefined> {
  if (!since || since.folder !== (await inodeOf(host, live))) return undefined
  const seconds = Date.parse(since.at) / 1000
  const [root, written] = [docrootOf(live.user), ['!', '-type', 'd', '-newerct', `@${seconds}`]]
  const argv = ['find', root, '-mindepth', '1', ...written, '-printf', '%P\\0']
  const { stdout } = await runAsSite(host, live, argv, LIMITS)
  return new Set(stdout.split('\0').slice(0, -1))
}

async function inodeOf(host: Host, { user }: Site): Promise<string> {
  const argv = ['find', docrootOf(user), '-maxdepth', '0', '-printf', '%i']
  const { stdout } = await runAsSite(host, { user }, argv, LIMITS)
  return stdout
}
