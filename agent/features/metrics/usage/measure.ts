import type { Host } from '#agent/kernel/host/ports.ts'
import { tryAsSite } from '#agent/kernel/sandbox/run.ts'
import { stopOrphanedSlice } from '#agent/kernel/sandbox/slice.ts'
import { homeOf } from '#agent/kernel/site/paths.ts'

const LIMITS = { network: false, timeout_ms: 5 * 60_000 } as const
/** The message about a file that the site deleted during the measurement. */
const VANISHED = ': No such file or directory'

type Priority = { idle?: boolean }

/** Returns the disk blocks of a site's folder in bytes; null when not measured completely. */
export const measureBytes = (
  host: Host,
  user: string,
  pace: Priority = {},
): Promise<number | null> => measureWith(host, user, '--block-size=1', pace)

/** Counts files, folders and links in the folder of a site; null when not measured completely. */
export const measureFiles = (
  host: Host,
  user: string,
  pace: Priority = {},
): Promise<number | null> => measureWith(host, user, '--inodes', pace)

/**
 * Runs du(1) with the rights of the site, which may create endless or unreadable folders. Root
 * lists the home, which the site cannot list. Not limited to one file system: files on overlayfs
 * have their own device numbers, and a site mounts nothing.
 */
async function measureWith(
  host: Host,
  user: string,
  unit: '--block-size=1' | '--inodes',
  { idle = false }: Priority,
): Promise<number | null> {
  const home = homeOf(user)
  const parts = (await host.files.list(home)).map(({ name }) => `${home}/${name}`).sort()
  if (parts.length === 0) return 0
  const argv = ['du', '--summarize', '--total', unit, '--', ...parts]
  try {
    const { code, stdout, stderr } = await tryAsSite(host, { user }, argv, { ...LIMITS, idle })
    const total = /^(\d+)\ttotal$/m.exec(stdout)?.[1]
    return total === undefined || (code !== 0 && !isWhole(stderr)) ? null : Number(total)
  } finally {
    await stopOrphanedSlice(host, user)
  }
}

function isWhole(stderr: string): boolean {
  const lines = stderr.split('\n').filter((line) => line !== '')
  return lines.length > 0 && lines.every((line) => line.endsWith(VANISHED))
}
