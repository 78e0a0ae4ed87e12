import { z } from 'zod'
import type { Host } from '#agent/kernel/host/ports.ts'
import { runAsSite, tryAsSite } from '#agent/kernel/sandbox/run.ts'
import { NOT_PUSHED, UPLOADS_FOLDER } from '#agent/kernel/site/content-paths.ts'
import { docrootOf } from '#agent/kernel/site/paths.ts'
import type { Site } from '#agent/kernel/site/sites.ts'

const LIMITS = { network: false, idle: true, timeout_ms: 60 * 60_000 } as const

/** The maximum output; that of a program is cut off at twice as much. */
const MAX_CHARACTERS = 8 << 20

/**
 * The time at which a live site and its staging site had the same files, and the inode of the live
 * site's document root, which a restore, an undo and a push replace.
 */
export const SameFiles = z.object({ at: z.iso.datetime(), folder: z.string() })
export type SameFiles = z.infer<typeof SameFiles>

/** A live site whose files are copied, and the inode of its document root at the beginning. */
export interface CopiedFolder {
  live: Site
  folder: string
}

/** Reads the inode before its files are copied. */
export const copiedFolder = async (host: Host, live: Site): Promise<CopiedFolder> => ({
  live,
  folder: await inodeOf(host, live),
})

export const sameFiles = async (host: Host, live: Site, at: string): Promise<SameFiles> => ({
  at,
  folder: await inodeOf(host, live),
})

/**
 * Returns the files and links of a live site that were written since then, by the time that no
 * program of a site can set. Undefined if nothing is known of them: its document root is another
 * one, they cannot all be listed, or there are too many.
 */
export async function writtenSince(
  host: Host,
  live: Site,
  since: SameFiles | undefined,
): Promise<Set<string> | undefined> {
  if (!since || since.folder !== (await inodeOf(host, live))) return undefined
  const seconds = Date.parse(since.at) / 1000
  const root = docrootOf(live.user)
  const pruned = [...NOT_PUSHED, UPLOADS_FOLDER].flatMap((one) => [
    '-path',
    `${root}/${one}`,
    '-prune',
    '-o',
  ])
  const written = ['!', '-type', 'd', '-newerct', `@${seconds}`, '-printf', '%P\\0']
  const argv = ['find', root, '-ignore_readdir_race', '-mindepth', '1', ...pruned, ...written]
  const { code, stdout } = await tryAsSite(host, live, argv, LIMITS)
  if (code !== 0 || stdout.length > MAX_CHARACTERS) return undefined
  return new Set(stdout.split('\0').slice(0, -1))
}

async function inodeOf(host: Host, { user }: Site): Promise<string> {
  const argv = ['find', docrootOf(user), '-maxdepth', '0', '-printf', '%i']
  const { stdout } = await runAsSite(host, { user }, argv, LIMITS)
  return stdout
}
