import { declared, generated, inOrder, provided } from '#agent/kernel/effects/change.ts'
import { run } from '#agent/kernel/effects/effects.ts'
import { MARK_LINE } from '#agent/kernel/effects/generated.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { MARIADB } from '#agent/kernel/services/debian-services.ts'
import { isRunning } from '#agent/kernel/services/service.ts'
import type { Step } from '#agent/kernel/steps/command.ts'
import { restartMariadb } from './mariadb.ts'

const SETTINGS = '/etc/mysql/mariadb.conf.d'
export const NETWORK_FILE = `${SETTINGS}/90-hosting.cnf`
const DATA = '/var/lib/mysql'
const OWN_DATABASES = ['mysql', 'performance_schema', 'sys', 'lost+found']
/** Matches the files of Debian's packages. */
const DEBIAN_FILES =
  /^(?:50-(?:client|mysql-clients|mariadb-clients|mysqld_safe|server)|60-galera|provider_\w+)\.cnf$/
/** Matches another address than Debian's. */
const OTHER_ADDRESS = /^\s*bind[-_]address\s*=\s*(?!127\.0\.0\.1\s*$)\S/m

const TEXT = `# ${MARK_LINE}
[mariadbd]
skip-networking
`

/**
 * Returns the step that closes the port of a MariaDB without databases: the sites of this agent use
 * its socket, and a program of a site could take the port while MariaDB restarts, which then does
 * not start. None for a MariaDB that serves others, or if it is done.
 */
export async function databaseNetworkSteps(host: Host): Promise<Step[]> {
  if ((await host.files.stat(NETWORK_FILE)) || (await servesOthers(host))) return []
  const change = inOrder(
    generated(host, [{ path: NETWORK_FILE, text: TEXT }]),
    provided(
      () => isRunning(host, MARIADB),
      declared([run('restart', MARIADB.unit)], () => restartMariadb(host)),
    ),
  )
  return [{ name: 'database port', title: 'Closing the port of MariaDB', ...change }]
}

async function servesOthers({ files }: Host): Promise<boolean> {
  const entries = await files.list(DATA)
  const databases = entries.filter(({ kind }) => kind === 'directory').map(({ name }) => name)
  if (databases.some((name) => !OWN_DATABASES.includes(name) && !name.startsWith('#'))) return true
  const names = (await files.list(SETTINGS)).map(({ name }) => name)
  if (names.some((name) => !DEBIAN_FILES.test(name))) return true
  const paths = ['/etc/mysql/my.cnf', ...names.map((name) => `${SETTINGS}/${name}`)]
  const texts = await Promise.all(paths.map((path) => files.read(path)))
  return texts.some((text) => OTHER_ADDRESS.test(text ?? ''))
}
