import type { SiteProcess } from '#agent/kernel/host/ports.ts'
import { emptyRoot } from '#agent/kernel/sandbox/empty-root.ts'
import type { BackupPlace } from '#shared/backups/backup.ts'

/** The path at which restic sees the files of its repository: see repository.ts. */
export const MOUNT = '/run/backup'
export const CACHE = '/cache'

/** The folders of the server that restic sees, by their paths in its view. */
export interface ResticView {
  files: string
  cache: string
  program: string
  /** Other programs that it may start: those of `programsStartedFor`, and sftp(1). */
  starts: readonly string[]
  /** Directives for the addresses that it cannot reach: those of `deniedAddresses`. */
  denied: readonly string[]
  /** A folder that it saves: it may read all of it, whoever owns it. */
  reads?: { path: string; as: string }
  /** A folder that it restores to, with modes; everything belongs to root. */
  writes?: { path: string; as: string }
  /** A folder of repositories, and the folder of the locks of this one, which may be missing. */
  store?: { path: string; locks: string } | undefined
}

const READER = 'CAP_DAC_READ_SEARCH'
const WRITER = 'CAP_CHOWN CAP_DAC_OVERRIDE CAP_FOWNER CAP_FSETID'

export const programsStartedFor = ({ kind }: BackupPlace): string[] =>
  kind === 'sftp' ? ['/usr/bin/ssh'] : []

/**
 * Runs restic as root with an empty file system, into which only the folders of `view` are mounted:
 * a link that a site made or changed while it is read leads nowhere, and a restore writes nowhere
 * else. It has no capability but to read, or to write as any owner, and executes no program but
 * itself and `starts`. A restore cannot even write to a folder of repositories: the names and links
 * in a backup are those of its author.
 */
export function resticProcess(view: ResticView): SiteProcess {
  const { files, cache, program, starts, denied, reads, writes, store } = view
  const visible = [`${files}:${MOUNT}`]
  if (reads) visible.push(`${reads.path}:${reads.as}`)
  const written = [`${cache}:${CACHE}`]
  if (writes) written.push(`${writes.path}:${writes.as}`)
  if (store) (writes ? visible : written).push(store.path)
  if (store && writes) written.push(store.locks)
  const rights = writes ? WRITER : READER
  const capabilities = store === undefined ? rights : `${rights} CAP_DAC_OVERRIDE`
  return {
    user: 'root',
    slice: 'system.slice',
    directives: [
      ...emptyRoot({
        programs: [program, ...starts],
        reads: visible,
        writes: written,
        capabilities,
        // By the names in a backup, a restore would find accounts of other sites.
        ...(writes && { accounts: files }),
      }),
      'RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK',
      ...denied,
    ],
    launcher: [],
  }
}
