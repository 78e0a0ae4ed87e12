import type { Host, WriteOptions } from '#agent/host/ports.ts'
import * as effects from '#agent/os/effects/effects.ts'
import { readGenerated, replace } from '#agent/os/effects/generated.ts'
import type { Step } from '#agent/steps/command.ts'
import { MAIL_USER, mailPlaces } from './places.ts'
import { SENDMAIL, SENDMAIL_PHP } from './sendmail.ts'

/** What the mail of sites needs on a server before there is a relay; none where it is there. */
export async function mailSteps(host: Host): Promise<Step[]> {
  const user = await hasUser(host)
  const before = await readGenerated(host, SENDMAIL)
  const missing: string[] = []
  for (const [path] of foldersOf(host)) if (!(await host.files.stat(path))) missing.push(path)
  if (user && before === SENDMAIL_PHP && missing.length === 0) return []
  return [
    {
      name: 'mail',
      title: 'Preparing the mail of sites',
      effects: [
        ...(user ? [] : [effects.create('user', MAIL_USER), effects.create('group', MAIL_USER)]),
        ...missing.map((path) => effects.create('folder', path)),
        ...effects.planWrite(SENDMAIL, before, SENDMAIL_PHP),
      ],
      apply: () => prepare(host),
    },
  ]
}

async function prepare(host: Host): Promise<void> {
  if (!(await hasUser(host))) {
    const home = ['--no-create-home', '--home-dir', host.settings.mail_dir]
    const words = ['--system', '--user-group', ...home, '--shell', '/usr/sbin/nologin']
    const comment = ['--comment', 'Mail of sites']
    await host.shell.run(['useradd', ...words, ...comment, '--', MAIL_USER])
  }
  for (const [path, options] of foldersOf(host)) await host.files.mkdir(path, options)
  await replace(host, SENDMAIL, SENDMAIL_PHP, { mode: 0o755 })
}

/** Root's, but for what the queue writes; sites only ever pass through to the socket of their own. */
function foldersOf({ settings: { mail_dir } }: Host): [string, WriteOptions][] {
  const places = mailPlaces(mail_dir)
  const own = { mode: 0o700, owner: MAIL_USER, group: MAIL_USER }
  return [
    [mail_dir, { mode: 0o711 }],
    [places.settings, { mode: 0o750, group: MAIL_USER }],
    [places.sites, { mode: 0o750, group: MAIL_USER }],
    [places.sockets, { mode: 0o751, group: MAIL_USER }],
    [places.queue, own],
    [places.status, own],
  ]
}

async function hasUser({ files }: Host): Promise<boolean> {
  return new RegExp(`^${MAIL_USER}:`, 'm').test((await files.read('/etc/passwd', 64 << 20)) ?? '')
}
