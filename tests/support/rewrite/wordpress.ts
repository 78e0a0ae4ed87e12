import { dirname } from 'node:path'
import { buildAgent } from '#scripts/build-agent.ts'
import { wordpressMirror } from '#scripts/wordpress-mirror.ts'
import * as lab from '#tests/support/lab/index.ts'
import { packaged } from '#tests/support/system/packaged.ts'

const USER = 'wordpress'
const DOCROOT = '/srv/wordpress'
const WP = ['php', '-d', 'memory_limit=2G', '/srv/mirror/wp-cli.phar', `--path=${DOCROOT}`]
const MINUTES = 60_000

/** A server with MariaDB and one WordPress, without an agent that runs. */
export class Wordpress {
  readonly host: lab.Host
  #requests = 0

  private constructor(host: lab.Host) {
    this.host = host
  }

  static async start(name: string, domain: string): Promise<Wordpress> {
    const binds = [
      { from: dirname((await buildAgent('.')).file), to: '/opt/agent', readonly: true },
      { from: await wordpressMirror(), to: '/srv/mirror', readonly: true },
    ]
    const image = await packaged('trixie')
    const site = new Wordpress(
      await lab.startHost({ name, suite: 'trixie', init: 'systemd', image, binds }),
    )
    await site.#install(domain)
    return site
  }

  async #install(domain: string): Promise<void> {
    await this.host.must(['useradd', '--system', USER])
    await this.host.must(['systemctl', 'start', 'mariadb'])
    await this.sql(`CREATE DATABASE ${USER} CHARACTER SET utf8mb4;
      CREATE USER ${USER}@localhost IDENTIFIED VIA unix_socket;
      GRANT ALL ON *.* TO ${USER}@localhost`)
    await this.host.must(['install', '-d', '-o', USER, DOCROOT])
    const unpack = ['tar', '-xzf', '/srv/mirror/latest.tar.gz', '-C', DOCROOT]
    await this.host.must(['runuser', '-u', USER, '--', ...unpack, '--strip-components=1'])
    const account = [
      `--dbname=${USER}`,
      `--dbuser=${USER}`,
      '--dbhost=localhost:/run/mysqld/mysqld.sock',
    ]
    await this.wp('config', 'create', ...account, '--skip-check', '--skip-salts')
    for (const name of ['WP_HTTP_BLOCK_EXTERNAL', 'DISABLE_WP_CRON']) {
      await this.wp('config', 'set', name, 'true', '--raw')
    }
    const admin = ['--admin_user=ann', '--admin_password=secret', `--admin_email=ann@${domain}`]
    await this.wp(
      'core',
      'install',
      `--url=https://${domain}`,
      '--title=Shop',
      ...admin,
      '--skip-email',
    )
    // Its first start writes options.
    await this.wp('option', 'get', 'home')
  }

  /** Runs wp-cli as the user of the site. */
  wp(...args: string[]): Promise<string> {
    return this.as([...WP, ...args], { timeout_ms: 60 * MINUTES })
  }

  /** Runs a program without the rights of root. */
  as(argv: readonly string[], options: { timeout_ms?: number } = {}): Promise<string> {
    const env = { WP_CLI_DISABLE_AUTO_CHECK_UPDATE: '1', WP_CLI_CONFIG_PATH: '/dev/null' }
    return this.host.must(['runuser', '-u', USER, '--', ...argv], { ...options, env })
  }

  /** Writes a dump of a database, or what a filter makes of it, to a file of the host. */
  async dump(database: string, file: string, { options = '', filter = 'cat' } = {}): Promise<void> {
    const dump = `mariadb-dump --skip-dump-date ${options} ${database}`
    await this.as(['bash', '-ec', `set -o pipefail; ${dump} | ${filter} > ${file}`])
  }

  /** Rewrites a file, or its input; the report is in `/tmp/report.json`. */
  async rewriter(request: object, input = '-'): Promise<string> {
    const file = `/tmp/${++this.#requests}.request`
    await this.host.put(file, `${JSON.stringify(request)}\n`)
    return `cat ${file} ${input} | /opt/agent/hosting-agent rewrite 3 3> /tmp/report.json`
  }

  /** Loads a dump of the host into a new database. */
  async load(file: string, database: string): Promise<void> {
    await this.sql(`CREATE DATABASE ${database} CHARACTER SET utf8mb4`)
    await this.as(['bash', '-ec', `mariadb ${database} < ${file}`], { timeout_ms: 30 * MINUTES })
  }

  /** Runs SQL as root. */
  async sql(input: string, database = ''): Promise<string> {
    const argv = ['mariadb', '--batch', '--skip-column-names', ...(database ? [database] : [])]
    return (await this.host.must(argv, { input, timeout_ms: 30 * MINUTES })).trim()
  }
}

export const DATABASE = USER
