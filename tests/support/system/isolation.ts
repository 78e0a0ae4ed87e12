import { buildAgent } from '#scripts/build-agent.ts'
import { wordpressMirror } from '#scripts/wordpress-mirror.ts'
import type { IsolationResult } from '#shared/isolation/isolation.ts'
import * as lab from '#tests/support/lab/index.ts'
import { type Suite, suites } from '#tests/support/lab/suites.ts'
import { addAdminerSource } from './adminer-source.ts'
import { Asking } from './asking.ts'
import { startMachine } from './machine.ts'
import { provisioned } from './prepared.ts'
import { snapshot } from './snapshot.ts'

const PROGRAM = '/usr/local/bin/hosting-agent'
const SETTINGS = `AGENT_LISTEN=127.0.0.1:8443
AGENT_WORDPRESS_URL=file:///srv/mirror
AGENT_WP_CLI_URL=file:///srv/mirror/wp-cli.phar
`

const SHOP = {
  domain: 'shop.example.test',
  tier: 'small',
  tls: 'none',
  email: 'owner@example.test',
  user: 'shop1a2b3c',
} as const

/** The hash of a password that nobody has. */
const NOBODY = `*${'0'.repeat(40)}`

/** A provisioned server with the installed agent in its sandbox, and one site, with Adminer and a shell. */
export async function startIsolated(suite: Suite): Promise<{ host: lab.Host; agent: Asking }> {
  const { file: program } = await buildAgent('.')
  const host = await startMachine(
    { name: `isolation-${suite}`, suite, init: 'systemd', image: await provisioned(suite) },
    { program, mirror: await wordpressMirror(), serve: false },
  )
  const agent = await Asking.signed(host)
  await host.put('/etc/hosting-agent/agent.env', SETTINGS, 0o600)
  await host.must([PROGRAM, 'install'])
  await lab.poll(async () =>
    (await agent.call('/nowhere', {}).catch(() => '')).includes('Not found'),
  )
  // As Debian has it by default: the rate of new connections is limited with it.
  await host.must(['apt-get', 'install', '-q', '--yes', 'nftables'])
  await completed(agent, 'site.create', { ...SHOP, php: suites[suite].php })
  await openAdminer(host, agent, suite)
  await giveShell(host, agent)
  return { host, agent }
}

/** Installs it, as the first person does who opens the database of a site. */
async function openAdminer(host: lab.Host, agent: Asking, suite: Suite): Promise<void> {
  await addAdminerSource(host, suite)
  const user = { token: 'abcdefghij', rights: 'read', minutes: 60, account_hash: NOBODY }
  await completed(agent, 'database.tool', { domain: SHOP.domain, ...user })
}

/** Prepares shells and client accounts, as the first person does who gets one. */
async function giveShell(host: lab.Host, agent: Asking): Promise<void> {
  await host.must(['apt-get', 'install', '-q', '--yes', 'openssh-client'])
  await host.must(['ssh-keygen', '-q', '-t', 'ed25519', '-N', '', '-C', '', '-f', '/root/person'])
  const key = (await host.must(['cat', '/root/person.pub'])).trim()
  const person = { id: 1, person: 'Anna', kind: 'shell', expires_at: null, keys: [key] }
  const client = { token: 'abcd2345', label: 'Print shop', expires_at: null }
  const clients = [{ ...client, password_hash: `$2b$10$${'a'.repeat(53)}` }]
  const access = { domain: SHOP.domain, clients, install: false }
  await completed(agent, 'site.access', { ...access, grants: [person] })
}

/** The data of its `complete` event; throws any other last event. */
async function completed(agent: Asking, command: string, params: object) {
  const last = (await agent.start(command, params).ended).at(-1)
  if (last?.event !== 'complete') throw new Error(`${command}: ${JSON.stringify(last)}`)
  return last.data
}

/** A check; the result of each attack by its id. */
export async function checked(agent: Asking): Promise<Map<string, IsolationResult>> {
  const { results } = await completed(agent, 'isolation.check', {})
  return new Map((results as IsolationResult[]).map((result) => [result.id, result]))
}

/** A drop-in for the PHP-FPM of all sites, as an administrator may write it to debug. */
const LOOSE_UNIT = `[Service]
ProtectProc=default
TemporaryFileSystem=
TemporaryFileSystem=/etc/hosting:ro
BindReadOnlyPaths=
BindReadOnlyPaths=/etc/hosting/fpm/%i.d
InaccessiblePaths=
LimitNOFILE=100000
SystemCallFilter=
`

/** Also with the people who may log in to each site. */
const LOOSE_SHELL = '[Service]\nProtectProc=default\nBindReadOnlyPaths=/etc/hosting/ssh\n'
const LOOSE_JOB = '[Service]\nProtectProc=default\nStandardError=journal\n'
const LOOSE_LOGIN = `Match Group hosting-sftp
    ChrootDirectory none
Match Group hosting-client
    ChrootDirectory none
    DisableForwarding no
Match all
`
/** Opens the temporary folders of all sites again and again. */
const OPENING = `[Service]
ExecStart=/bin/sh -c 'while sleep 1; do chmod 755 /srv/www/*/tmp; done'
`

/** Weakens the server in one way each; nothing is undone. */
export const WEAKENINGS: Record<string, (host: lab.Host) => Promise<unknown>> = {
  'a wp-config.php that all may read': async (host) => {
    const docroot = `/srv/www/${SHOP.user}/public`
    await host.must(['chmod', 'o+rx', docroot])
    await host.must(['chmod', '644', `${docroot}/wp-config.php`])
  },
  'a home that all may list': (host) => host.must(['chmod', '755', `/srv/www/${SHOP.user}`]),
  'temporary folders that all may enter': async (host) => {
    await host.put('/etc/systemd/system/opening.service', OPENING)
    await host.must(['systemctl', 'start', 'opening.service'])
  },
  'folders of mail that all may list': (host) =>
    host.must(['chmod', '755', '/var/lib/hosting-mail', '/var/lib/hosting-mail/sockets']),
  'a global right of one site': (host) =>
    sql(host, `GRANT FILE ON *.* TO '${SHOP.user}'@'localhost'`),
  'a right of everybody': (host) => sql(host, 'GRANT SELECT ON *.* TO PUBLIC'),
  'accounts that everybody may change': (host) => sql(host, 'GRANT CREATE USER ON *.* TO PUBLIC'),
  'code that an attack left in a database': (host) =>
    sql(host, `CREATE FUNCTION ${SHOP.user}.left_behind() RETURNS INT RETURN 1`),
  'looser units': async (host) => {
    await host.put('/etc/systemd/system/hosting-fpm@.service.d/loose.conf', LOOSE_UNIT)
    await host.put('/etc/systemd/system/hosting-shell-.service.d/loose.conf', LOOSE_SHELL)
    await host.put('/etc/systemd/system/hosting-job@.service.d/loose.conf', LOOSE_JOB)
    await host.must(['systemctl', 'daemon-reload'])
  },
  'a server of nginx without a time-out for the head of a request': async (host) => {
    const sites = '/etc/nginx/sites-available'
    await host.must([
      ...[
        'sh',
        '-c',
        `sed -i 's/client_header_timeout 10s/client_header_timeout 60s/' ${sites}/hosting-*`,
      ],
    ])
    await host.must(['systemctl', 'reload', 'nginx'])
  },
  'a MariaDB with a port': async (host) => {
    await host.must(['rm', '/etc/mysql/mariadb.conf.d/90-hosting.cnf'])
    await host.must(['systemctl', 'restart', 'mariadb'])
  },
  'an SSH server that confines nobody': async (host) => {
    await host.put('/etc/ssh/sshd_config.d/00-a.conf', LOOSE_LOGIN)
    await host.must(['systemctl', 'reload', 'ssh'])
  },
}

const sql = (host: lab.Host, statement: string) => host.must(['mariadb', '--execute', statement])

/** Things that a check did not remove. */
export async function traces(host: lab.Host): Promise<string[]> {
  const { processes: _, ...things } = await snapshot(host)
  const shared = ['find', '/tmp', '/var/tmp', '/dev/shm', '/run/lock', '/var/lib/mysql', '/srv/www']
  // A file removed meanwhile makes find(1) end with 1.
  const { stdout } = await host.exec(shared)
  const found = [...Object.values(things).flat(), ...stdout.split('\n')]
  const running = await host.must(['ps', '-eo', 'user:32,args'])
  return [...found, ...running.split('\n')].filter((line) => line.includes('canary-'))
}
