import { expect, test } from 'bun:test'
import * as lab from '#tests/support/lab/index.ts'
import type { Login, SiteDatabaseWorld } from '#tests/support/system/site-database-world.ts'
import { MINUTES } from '#tests/support/system/world.ts'

const KEY = '/root/.ssh/tunnel'
/** Of a new client, which has not seen the server. */
const CLIENT = [
  '-i',
  KEY,
  ...['-o', 'BatchMode=yes'],
  ...['-o', 'StrictHostKeyChecking=accept-new'],
]

/** A client that uses what the dashboard shows: the command for a tunnel, and a temporary user. */
export function connectsThroughTunnel(of: () => SiteDatabaseWorld): void {
  test(
    'is reached by a client through the tunnel that is shown',
    async () => {
      const { host, login } = of()
      await host.must(['apt-get', 'install', '-q', '--yes', 'openssh-client'])
      await host.must(['mkdir', '-p', '-m', '700', '/root/.ssh'])
      await host.must(['ssh-keygen', '-q', '-t', 'ed25519', '-N', '', '-f', KEY])
      await host.must(['cp', `${KEY}.pub`, '/root/.ssh/authorized_keys'])
      const shown = (await login('read')) as Login & { host: string; port: number; tunnel: string }
      const [ssh = '', ...options] = shown.tunnel.split(' ')
      const tunnel = host.spawn([ssh, ...CLIENT, ...options])
      const place = ['--protocol=tcp', `--host=${shown.host}`, `--port=${shown.port}`]
      const client = ['mariadb', '--no-defaults', ...place, `--user=${shown.user}`, '--batch']
      const ask = (sql: string) =>
        host.exec([...client, shown.database, `--execute=${sql}`], {
          env: { MYSQL_PWD: shown.password },
        })
      const answered = async () => (await ask('SELECT DATABASE()')).stdout.includes(shown.database)

      expect(await lab.poll(answered, { timeout_ms: MINUTES })).toBe(true)
      const written = await ask('CREATE TABLE tunnel (a INT)')
      expect([written.code, written.stderr]).toEqual([1, expect.stringContaining('denied')])
      await tunnel.stop()
      await of().call('POST', '/database/users/end', { user: shown.user })
      await host.must(['rm', '-r', '/root/.ssh'])
    },
    2 * MINUTES,
  )
}
