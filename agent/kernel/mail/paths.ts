import { createHash } from 'node:crypto'

/**
 * The folders of the mail of sites. Settings contain the passwords of relays: root writes them, and the
 * queue alone reads them. The queue listens in a separate folder for each site below `sockets`; no
 * other site can enter it, which identifies the client.
 */
export const MAIL_USER = 'hosting-mail'
export const MAIL_ROOT = '/var/lib/hosting-mail'

/** The folder of kept messages beside those that wait. */
export const KEPT_FOLDER = 'caught'

export const mailPathsIn = (root: string) => ({
  settings: `${root}/settings`,
  sites: `${root}/settings/sites`,
  server: `${root}/settings/server.json`,
  site: (user: string) => `${root}/settings/sites/${user}.json`,
  sockets: `${root}/sockets`,
  socketFolder: (user: string) => socketFolderOf(root, user),
  socket: (user: string) => `${socketFolderOf(root, user)}/mail.sock`,
  queue: `${root}/queue`,
  queueOf: (user: string) => `${root}/queue/${user}`,
  caughtOf: (user: string) => `${root}/queue/${user}/${KEPT_FOLDER}`,
  status: `${root}/status`,
  statusOf: (user: string) => `${root}/status/${user}.json`,
  /** The log with a line for each event of the mail of a site. */
  logOf: (user: string) => `${root}/status/${user}.log`,
})

/** Returns a folder that names no site, like the sockets of PHP-FPM: every process can list it. */
function socketFolderOf(root: string, user: string): string {
  const hash = createHash('sha256').update(`hosting-mail ${user}`).digest('hex')
  return `${root}/sockets/${hash.slice(0, 32)}`
}

export type MailPaths = ReturnType<typeof mailPathsIn>

/** The paths of the mail queue of this machine. */
export const MAIL_PATHS = mailPathsIn(MAIL_ROOT)
