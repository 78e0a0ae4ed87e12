import { type Host, startHost } from '#tests/support/lab/index.ts'
import { limitDisk, listening, serve } from './service.ts'

const PORT = 2222
const ETC = '/srv/sftp-etc'
const USER = 'backups'
const JAIL = `/srv/sftp/${USER}`

/** The folder of the account as the host sees it; the account sees `/data`. */
const DATA = `${JAIL}/data`

/** Not OpenSSH's defaults: an account with a key that has its folder and nothing else. */
const SETTINGS = `Port ${PORT}
HostKey ${ETC}/host
PidFile none
AuthorizedKeysFile ${ETC}/%u.keys
PasswordAuthentication no
KbdInteractiveAuthentication no
AllowUsers ${USER}
UsePAM no
AllowTcpForwarding no
X11Forwarding no
Subsystem sftp internal-sftp
ForceCommand internal-sftp
ChrootDirectory /srv/sftp/%u
`

/**
 * OpenSSH with an account that may use sftp in its own folder only, on a host of its own: service
 * `sftp`. The folder survives a power failure unless its size is given.
 */
export async function startSftpServer(options: { name?: string; megabytes?: number } = {}) {
  const { name = 'sftp', megabytes } = options
  const host = await startHost({ name, suite: 'bookworm', init: 'systemd' })
  // sshd refuses a locked account, and a folder above the jail that is not root's.
  const account = ['--system', '--home-dir', '/', '--shell', '/usr/sbin/nologin', '--password', '*']
  await host.must(['useradd', ...account, USER])
  await host.must(['install', '-d', ETC, JAIL])
  await host.must(['install', '-d', '-m', '0700', DATA])
  await limitDisk(host, DATA, megabytes)
  await host.must(['chown', USER, DATA])
  for (const key of ['host', 'client', 'other']) {
    await host.must([
      'ssh-keygen',
      '-q',
      '-t',
      'ed25519',
      '-N',
      '',
      '-C',
      '',
      '-f',
      `${ETC}/${key}`,
    ])
  }
  await host.must(['cp', `${ETC}/client.pub`, `${ETC}/${USER}.keys`])
  await host.put(`${ETC}/sshd`, SETTINGS)
  await serve(host, 'sftp', ['/usr/sbin/sshd', '-D', '-f', `${ETC}/sshd`])
  await listening(host, 'sftp', PORT)
  const read = (path: string) => host.must(['cat', path])
  const place = {
    ...{ kind: 'sftp' as const, host: host.address, port: PORT, user: USER, path: '/data' },
    host_key: (await read(`${ETC}/host.pub`)).trim(),
  }
  return {
    host,
    folder: DATA,
    target: { place, secret: await read(`${ETC}/client`) },
    /** A private key that the account does not know. */
    other_key: await read(`${ETC}/other`),
    stop: () => host.remove(),
  }
}

/** Runs the commands of the documentation on a host with OpenSSH; returns the target that they set up. */
export async function documentedAccount(host: Host) {
  const text = await Bun.file('.github/docs/backups.md').text()
  const [, commands = ''] = /\*\*SFTP\.\*\*[\s\S]*?```sh\n([\s\S]*?)```/.exec(text) ?? []
  await host.must(['systemctl', 'start', 'ssh'])
  const printed = await host.must(['env', '--chdir=/root', 'sh', '-c', commands])
  // sshd starts again for its reload, and refuses connections meanwhile.
  await listening(host, 'ssh', 22)
  const [, host_key = ''] = /^localhost (ssh-ed25519 \S+)$/m.exec(printed) ?? []
  const place = { kind: 'sftp' as const, host: host.address, port: 22, user: 'hosting' }
  const secret = await host.must(['cat', '/root/hosting-key'])
  return { place: { ...place, path: '/data', host_key }, secret }
}
