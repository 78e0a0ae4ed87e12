import type { Host } from '#tests/support/lab/index.ts'
import { type Snapshot, snapshot } from '#tests/support/system/snapshot.ts'

/** A snapshot with the contents of the operation's files, and the pages and rows of the sites. */
export interface State extends Snapshot {
  contents: string[]
  /** The pages that a test wrote: one shows which files a site has. */
  pages: string[]
  rows: string[]
}

/** Configuration and records: digest, mode and owner of each file. Only wp-config.php has passwords. */
const PLACES = ['/etc/hosting', '/etc/nginx', '/etc/cron.d', '/var/lib/hosting-agent/sites']
/** The pattern of a unit that serves a site, whose workers, jobs and cached pages change. */
const UNIT = /^hosting-fpm@(?<user>[a-z0-9]+)-/
/** systemd keeps the slice of a killed program; its processes are listed anyway. */
const SLICE = /^hosting-\w+\.slice /
/** What PHP and the jobs of a site write by themselves: pages, temporary files, and their logs. */
const PASSING =
  /^\/var\/cache\/hosting\/[^/]+\/|^\/srv\/www\/[^/]+\/(tmp\/|logs\/(jobs|php-error)\.log$)/
const TABLES = `SELECT CONCAT(table_schema, '.', table_name) FROM information_schema.tables
WHERE table_schema NOT IN ('information_schema', 'mysql', 'performance_schema', 'sys')`

export async function stateOf(host: Host): Promise<State> {
  const script = ['-type', 'f', '-printf', '%m %u:%g %p\\n', '-exec', 'sha256sum', '{}', '+']
  const contents = await host.exec(['find', ...PLACES, ...script])
  const pages = await host.exec(['bash', '-c', 'sha256sum /srv/www/*/public/*.html'])
  const mariadb = ['mariadb', '--batch', '--skip-column-names']
  const { stdout } = await host.exec(mariadb, { input: TABLES })
  const names = lines(stdout).filter((name) => !name.endsWith('options'))
  const checks = names.map((name) => `CHECKSUM TABLE ${name};`).join('\n')
  const rows = await host.exec(mariadb, { input: checks })
  const seen = await snapshot(host)
  const served = seen.units.flatMap((line) => UNIT.exec(line)?.groups?.user ?? [])
  return {
    ...seen,
    units: seen.units.filter((line) => !SLICE.test(line) && !isLeft(line, seen.files)),
    files: seen.files.filter((path) => !PASSING.test(path)),
    processes: seen.processes.filter((line) => !served.includes(line.split(' ')[0] ?? '')),
    contents: lines(contents.stdout),
    pages: lines(pages.stdout),
    rows: lines(rows.stdout),
  }
}

/** systemd keeps the jobs of a suspended site until it reads its units again. */
const isLeft = (line: string, files: readonly string[]): boolean => {
  const [, unit] = /^(hosting-cron@\S+) loaded$/.exec(line) ?? []
  return unit !== undefined && !files.includes(`/etc/systemd/system/${unit}`)
}

const lines = (text: string) => text.split('\n').filter(Boolean).sort()
