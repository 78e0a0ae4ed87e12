import type { Host } from '#agent/kernel/host/ports.ts'
import { NGINX } from '#agent/kernel/services/debian-services.ts'
import { isRunning, signal } from '#agent/kernel/services/service.ts'
import { conflict } from '#shared/kernel/errors.ts'
import * as nginx from './nginx.ts'

/** The path of the former master's pid during the replacement. */
const FORMER_MASTER = { ...NGINX, pid_file: `${NGINX.pid_file}.oldbin` }
const MAX_WAIT_MS = 15_000

/**
 * Replaces the running nginx by the program on the disk without closing a socket or ending a
 * request: a new master beside the former one, which ends with its last request. See "Upgrading
 * Executable on the Fly" in nginx's documentation. Throws conflict if the new one does not start;
 * the former one then continues.
 */
export function replaceNginxProgram(host: Host): Promise<void> {
  return host.exclusive('nginx', async () => {
    await nginx.test(host)
    const before = await pidOf(host)
    if (!(await isRunning(host, FORMER_MASTER))) await signal(host, NGINX, 'USR2')
    await awaitNewMaster(host, before)
    await signal(host, FORMER_MASTER, 'QUIT')
  })
}

async function awaitNewMaster(host: Host, before: string): Promise<void> {
  for (const end = host.clock.elapsed() + MAX_WAIT_MS; host.clock.elapsed() < end; ) {
    const [pid, former] = [await pidOf(host), await pidOf(host, FORMER_MASTER.pid_file)]
    if (former !== '' && pid !== '' && pid !== former && (await isRunning(host, NGINX))) return
    // The former master ended by itself: another program has ended it.
    if (former === '' && pid !== '' && pid !== before) return
    await host.clock.sleep(50)
  }
  throw conflict('nginx did not start its new program: read /var/log/nginx/error.log on the server')
}

async function pidOf({ files }: Host, path = NGINX.pid_file): Promise<string> {
  return (await files.read(path))?.trim() ?? ''
}
