import { declared, folder, generated, inOrder, provided } from '#agent/kernel/effects/change.ts'
import { create } from '#agent/kernel/effects/effects.ts'
import type { Host, WriteOptions } from '#agent/kernel/host/ports.ts'
import { MAIL_USER, mailPathsIn } from '#agent/kernel/mail/paths.ts'
import { STAGING_PHP } from '#agent/kernel/sandbox/staging.ts'
import { STAGING_PHP_TEXT } from '#agent/kernel/sandbox/staging-php.ts'
import type { Step } from '#agent/kernel/steps/command.ts'
import { SENDMAIL, SENDMAIL_PHP } from './sendmail.ts'

/** Returns the steps for mail on a server before a relay is set; none if they are done. */
export async function mailSteps(host: Host): Promise<Step[]> {
  const all = inOrder(
    provided(
      async () => !(await hasUser(host)),
      declared([create('user', MAIL_USER), create('group', MAIL_USER)], () => createUser(host)),
    ),
    ...foldersOf(host).map(([path, options]) => folder(host, path, options)),
    generated(host, [
      { path: SENDMAIL, text: SENDMAIL_PHP, options: { mode: 0o755 } },
      { path: STAGING_PHP, text: STAGING_PHP_TEXT },
    ]),
  )
  if ((await all.effects()).length === 0) return []
  return [{ name: 'mail', title: 'Preparing the mail of sites', ...all }]
}

async function createUser({ shell, settings }: Host): Promise<void> {
  const home = ['--no-create-home', '--home-dir', settings.mail_dir]
  const words = ['--system', '--user-group', ...home, '--shell', '/usr/sbin/nologin']
  await shell.run(['useradd', ...words, '--comment', 'Mail of sites', '--', MAIL_USER])
}

/** Returns the folders of root and the queue; a site reaches its own socket only. */
function foldersOf({ settings: { mail_dir } }: Host): [string, WriteOptions][] {
  const places = mailPathsIn(mail_dir)
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
