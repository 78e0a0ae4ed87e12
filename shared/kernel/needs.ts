import { conflict } from './errors.ts'

/** What a server must have for a call. */
export interface Need {
  readonly init: 'systemd'
  /** The message when it is missing. */
  readonly refusal: string
}

const systemd = (refusal: string): Need => ({ init: 'systemd', refusal })

/** The needs that have no substitute on a server without systemd; most need a unit's sandbox. */
export const NEEDS = {
  adminer: systemd('Adminer needs systemd, which isolates it from the sites of this server'),
  adminer_pages: systemd('Adminer is not installed on this server: open it again in the dashboard'),
  /** restic would follow the links of a site as root. */
  backups: systemd('Backups need a server that systemd started'),
  clones: systemd('Clones need a server that systemd started'),
  installation: systemd(
    'systemd is not running here: start `hosting-agent serve` with your service manager',
  ),
  jobs: systemd('Cron jobs of sites need a server that systemd started'),
  moves: systemd('Moves need a server that systemd started'),
  object_cache: systemd('An object cache needs a server with systemd'),
  page_purge: systemd('The purge of pages needs a server with systemd'),
  /** The journal of systemd tells whose session a process is. */
  sessions: systemd('The sessions of sites are known on servers with systemd only'),
  shell: systemd('A shell needs a server that runs systemd: grant SFTP instead'),
}

/** The service manager of a server. */
interface ManagedServer {
  readonly init: string
}

export const isMet = ({ init }: Need, server: ManagedServer): boolean => server.init === init

/** Throws conflict with the message of a need that is not met. */
export function refuseUnmet(need: Need | undefined, server: ManagedServer): void {
  if (need && !isMet(need, server)) throw conflict(need.refusal)
}
