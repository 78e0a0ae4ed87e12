import { folderProcess, SANDBOX_FOLDER } from '#agent/features/backups/chosen/sandbox.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { accountNumbers } from '#agent/kernel/users/users.ts'
import { ServiceError } from '#shared/kernel/errors.ts'

const LIMIT_MS = 60 * 60_000
/** The mode that `createFolders` uses: no other site can enter, whatever modes the files have. */
const DOCROOT = 0o750
const [DEVICE, SPECIAL, BITS] = ['d', 'p', 's']

/**
 * Makes files from outside safe before anything serves or runs them. The author of an archive chose
 * its names, links, owners, modes and kinds of files, and could choose those of other sites and of
 * root: nginx follows a link to a file of the same owner. Afterwards the folder and everything in
 * it belong to the site; it has only folders, files and links, without set-user-ID and set-group-ID
 * bits. What is right already is not changed, so that a later backup does not read it again. Links
 * keep their targets. `path` is below a folder that only root can enter, or nothing of the site
 * runs. Throws UnsafeFiles, a conflict, for a path that is no folder and for a device. Returns a
 * warning for each kind of change that an owner may notice.
 */
export async function sanitizeFiles(host: Host, user: string, path: string): Promise<string[]> {
  const found = await host.files.stat(path)
  const at = path.lastIndexOf('/')
  const name = path.slice(at + 1)
  if (found?.kind !== 'directory') throw new UnsafeFiles(`${name} is not a folder in these files`)
  const argv = sanitizeProgram(
    `${SANDBOX_FOLDER}${path.slice(at)}`,
    await accountNumbers(host, user),
  )
  const site = folderProcess(path.slice(0, at), RIGHTS)
  const { stdout } = await host.shell.run(argv, { site, timeout_ms: LIMIT_MS })
  await host.files.mkdir(path, { mode: DOCROOT, owner: user, group: user })
  const count = (kind: string) => stdout.split(kind).length - 1
  if (count(DEVICE) > 0)
    throw new UnsafeFiles('These files contain a device, which no site can have')
  return [
    ...warning(count(SPECIAL), 'named pipes and sockets were left out'),
    ...warning(count(BITS), 'files and folders lost their set-user-ID or set-group-ID bit'),
  ]
}

/** Thrown for files that no backup of a site has. */
export class UnsafeFiles extends ServiceError {
  constructor(message: string) {
    super('conflict', { message })
    this.name = 'Harmful'
  }
}

const RIGHTS = {
  programs: ['/usr/bin/find', '/usr/bin/chmod', '/usr/bin/chown'],
  capabilities: 'CAP_CHOWN CAP_DAC_OVERRIDE CAP_FOWNER',
}

const warning = (count: number, what: string): string[] =>
  count === 0 ? [] : [`Warning: ${count} ${what}`]

/** Runs find(1) once: it follows no link, and prints a letter for each change and no names. */
const sanitizeProgram = (path: string, { uid, gid }: { uid: number; gid: number }): string[] => [
  'find',
  '-P',
  path,
  '-xdev',
  '-type',
  'b,c',
  '-printf',
  DEVICE,
  '-delete',
  ',',
  '-type',
  'p,s',
  '-printf',
  SPECIAL,
  '-delete',
  ',',
  '-type',
  'd,f',
  '-perm',
  '/6000',
  '-printf',
  BITS,
  '-exec',
  'chmod',
  'ug-s',
  '{}',
  '+',
  ',',
  '-type',
  'd,f,l',
  '(',
  '!',
  '-uid',
  `${uid}`,
  '-o',
  '!',
  '-gid',
  `${gid}`,
  ')',
  '-exec',
  'chown',
  '--no-dereference',
  `${uid}:${gid}`,
  '{}',
  '+',
]
