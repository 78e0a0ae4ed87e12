import type { z } from 'zod'
import { buildAgent } from '#scripts/build-agent.ts'
import { wordpressMirror } from '#scripts/wordpress-mirror.ts'
import type { COMMANDS, CommandName } from '#shared/commands.ts'
import type { Host } from '#tests/support/lab/index.ts'
import type { HostOptions } from '#tests/support/lab/start-host.ts'
import { putRestic } from '#tests/support/storage/restic.ts'
import { Asking } from './asking.ts'
import { startMachine } from './machine.ts'
import { provisioned } from './prepared.ts'

export interface ClonedSite {
  domain: string
  user: string
  php: string
  tier: string
  tls: string
  email: string
}

export const siteOf = (domain: string, user: string): ClonedSite => ({
  ...{ domain, user, php: '8.4', tier: 'small', tls: 'none', email: 'owner@example.test' },
})

/** A server with the agent itself, provisioned. */
export async function cloningServer(name: string, binds: HostOptions['binds'] = []) {
  const { file: program } = await buildAgent('.')
  const machine = {
    name,
    suite: 'trixie',
    init: 'systemd',
    image: await provisioned('trixie'),
    binds,
  } as const
  const host = await startMachine(machine, { program, mirror: await wordpressMirror() })
  await putRestic(host)
  const asking = Asking.plainly(host)
  const run = async (command: string, params: object) => {
    const events = await asking.start(command, params).ended
    return events.at(-1)
  }
  const completed = async <N extends CommandName>(command: N, params: object) => {
    const last = await run(command, params)
    if (last?.event !== 'complete') throw new Error(`${command}: ${JSON.stringify(last)}`)
    return last.data as z.input<(typeof COMMANDS)[N]['result']>
  }
  return { host, run, completed }
}

export type CloningServer = Awaited<ReturnType<typeof cloningServer>>

/** The statements of a site in its own database; `wp_` stands for the prefix of its tables. */
export async function sqlOf(host: Host, user: string) {
  const run = (text: string) => host.must(['mariadb', user, '-N', '-e', text])
  const names = (await run("SHOW TABLES LIKE '%\\_options'")).trim().split('\n')
  // A network has tables with numbers beside those of its first site.
  const [first = ''] = names.sort((one, other) => one.length - other.length)
  const prefix = first.replace('options', '')
  return (text: string) => run(text.replaceAll('wp_', prefix))
}

/** Content with addresses and files of every kind. */
export async function fill(
  host: Host,
  { domain, user }: Pick<ClonedSite, 'domain' | 'user'>,
): Promise<void> {
  const sql = await sqlOf(host, user)
  const url = `http://${domain}/wp-content/uploads/a.jpg`
  const widget = `a:1:{i:0;a:1:{s:3:"url";s:${url.length}:"${url}";}}`
  const builder = JSON.stringify({ link: url, text: 'Grüße 🎉' }).replaceAll('/', '\\/')
  const quoted = (text: string) => `x'${Buffer.from(text).toString('hex')}'`
  await sql(`INSERT INTO wp_options (option_name, option_value) VALUES
      ('clone_widget', ${quoted(widget)}), ('clone_builder', ${quoted(builder)}),
      ('clone_path', '/srv/www/${user}/public/wp-content/uploads'),
      ('clone_mail', 'anna@${domain}'), ('clone_cdn', 'https://cdn.${domain}/x');
    CREATE TABLE wp_bytes (id INT PRIMARY KEY, b LONGBLOB) ENGINE=MyISAM;
    INSERT INTO wp_bytes VALUES (1, x'00ff0a275c'), (2, REPEAT(x'00', 100000));`)
  await host.must([
    'bash',
    '-ec',
    `cd /srv/www/${user}/public
     mkdir -p wp-content/uploads/2026 wp-content/cache/pages
     echo cached > wp-content/cache/pages/a
     echo body > $'wp-content/uploads/new\\nline – ü.txt'
     ln wp-content/uploads/2026/../new* wp-content/uploads/2026/hard
     ln -s /srv/www/${user}/public/wp-content/uploads linked
     ln -s /etc/shadow outside
     truncate -s 20M wp-content/uploads/sparse
     echo "auto_prepend_file = '/srv/www/${user}/public/wordfence-waf.php'" > .user.ini
     echo "<?php // /srv/www/${user}/public" > wordfence-waf.php
     echo "echo '<!-- served by ${domain} -->';" >> wordfence-waf.php
     chown -h -R ${user}:${user} .; chmod 0640 .user.ini wordfence-waf.php`,
  ])
}

/** A WordPress with a second site in a folder. */
export async function makeNetwork(host: Host, { domain, user, php }: ClonedSite): Promise<void> {
  const root = `/srv/www/${user}/public`
  const wp = (...args: string[]) =>
    host.must([
      ...['runuser', '-u', user, '--', `/usr/bin/php${php}`, '/usr/local/lib/hosting/wp-cli.phar'],
      ...[`--path=${root}`, '--skip-plugins', '--skip-themes', ...args],
    ])
  const constants = [
    ...["'MULTISITE', true", "'SUBDOMAIN_INSTALL', false", `'DOMAIN_CURRENT_SITE', '${domain}'`],
    ...["'PATH_CURRENT_SITE', '/'", "'SITE_ID_CURRENT_SITE', 1", "'BLOG_ID_CURRENT_SITE', 1"],
  ]
  const lines = constants.map((constant) => `define( ${constant} );`).join('\\n')
  await host.must([
    'sed',
    '-i',
    "2i define( 'WP_ALLOW_MULTISITE', true );",
    `${root}/wp-config.php`,
  ])
  await wp('core', 'multisite-convert', '--title=Net').catch(() => undefined)
  await host.must([
    ...['bash', '-ec', `grep -q "'MULTISITE'" $1 || sed -i "2i ${lines}" $1`, 'sh'],
    `${root}/wp-config.php`,
  ])
  await wp('site', 'create', '--slug=second', `--url=${domain}`)
}
