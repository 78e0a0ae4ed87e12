import type { Host } from '#agent/host/ports.ts'
import { isRunning, type Service, type Services } from './service.ts'

const START_MS = 30_000

/** Without systemd: the agent starts the programs itself, and knows them by their pid files. */
export function direct(host: Host): Services {
  const start = async (service: Service) => {
    if (await isRunning(host, service)) return
    const { folder, env = {}, capabilities } = service
    if (folder) await host.files.mkdir(folder.path, folder.options)
    const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`)
    const argv = [...limiting(capabilities), service.program, ...service.args]
    const command = variables.length > 0 ? ['env', ...variables, ...argv] : argv
    await host.shell.daemon(command, { log: service.log })
    await untilRunning(host, service)
  }
  const stop = async ({ pid_file, program, stop_signal }: Service) => {
    const retry = `--retry=${stop_signal}/15/KILL/5`
    const target = ['--remove-pidfile', '--pidfile', pid_file, '--exec', program]
    await host.shell.run(['start-stop-daemon', '--stop', '--quiet', '--oknodo', retry, ...target])
  }
  return {
    start,
    stop,
    async restart(service) {
      await stop(service)
      // A started restart is completed.
      await direct(host.steady ?? host).start(service)
    },
  }
}

/** No child program has more of root's capabilities than these: setpriv(1). */
function limiting(capabilities: readonly string[] | undefined): string[] {
  if (!capabilities) return []
  const kept = capabilities.map((name) => `+${name}`).join(',')
  return ['setpriv', '--no-new-privs', '--inh-caps=-all', `--bounding-set=-all,${kept}`, '--']
}

async function untilRunning(host: Host, service: Service): Promise<void> {
  const end = host.clock.elapsed() + START_MS
  while (!(await isRunning(host, service))) {
    if (host.clock.elapsed() > end) {
      throw new Error(`${service.program} did not start: see ${service.log}`)
    }
    await host.clock.sleep(10)
  }
}
