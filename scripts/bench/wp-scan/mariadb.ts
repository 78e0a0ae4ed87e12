import { chmod, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { must } from '#scripts/lib/run.ts'
import { polled } from '#tests/support/lab/wait.ts'

export interface PrivateMariadb {
  socket: string
  stop(): Promise<void>
}

/** A MariaDB of its own in a folder: a socket and no port, root by unix_socket as Debian sets it up. */
export async function startMariadb(folder: string): Promise<PrivateMariadb> {
  const data = join(folder, 'data')
  const socket = join(folder, 'mysqld.sock')
  await mkdir(data, { recursive: true })
  await chmod(folder, 0o755)
  await must(['chown', '-R', 'mysql:mysql', folder])
  const common = ['--no-defaults', '--user=mysql', `--datadir=${data}`]
  const root = '--auth-root-authentication-method=socket'
  await must(['mariadb-install-db', ...common, root, '--skip-test-db'])
  const server = Bun.spawn(
    ['mariadbd', ...common, `--socket=${socket}`, '--skip-networking', '--skip-name-resolve'],
    { stdin: 'ignore', stdout: 'ignore', stderr: 'ignore' },
  )
  const stop = async () => {
    server.kill('SIGTERM')
    await server.exited
  }
  const ping = ['mariadb-admin', '--no-defaults', `--socket=${socket}`, 'ping']
  if (await polled(() => must(ping).catch(() => false), { timeout_ms: 20_000 }))
    return { socket, stop }
  await stop()
  throw new Error('MariaDB did not start')
}
