import { inOrder } from '#agent/kernel/effects/change.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { isRunning, type Service, type Services, signal } from './service.ts'

const START_MS = 30_000

/** Starts programs without systemd: the agent finds them by their pid files. */
export function directServices(host: Host): Services {
  const start = async (service: Service) => {
    if (await isRunning(host, service)) return
    const { folder, env = {}, user, pid_file } = service
    if (folder) await host.files.mkdir(folder.path, folder.options)
    const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`)
    const setting = variables.length > 0 ? ['env', ...variables] : []
    const before =
      user === undefined
        ? [...setting, ...limitCapabilities(service)]
        : [...asUser(user), ...setting]
    const command = [...before, service.program, ...service.args]
    const pid = await host.shell.daemon(command, { log: service.log })
    if (user === undefined) await awaitRunning(host, service)
    else await host.files.write(pid_file, `${pid}\n`)
  }
  const stop = async ({ pid_file, program, stop_signal, stop_seconds = 15 }: Service) => {
    const retry = `--retry=${stop_signal}/${stop_seconds}/KILL/5`
    const target = ['--remove-pidfile', '--pidfile', pid_file, '--exec', program]
    await host.shell.run(['start-stop-daemon', '--stop', '--quiet', '--oknodo', retry, ...target])
  }
  return {
    start,
    stop,
    async restart(service) {
      await stop(service)
      await directServices(host.steady ?? host).start(service)
    },
    reload: (service, name) => signal(host, service, name),
    isActive: (service) => isRunning(host, service),
    statusesOf: (services) =>
      Promise.all(
        services.map(async (service) => ((await isRunning(host, service)) ? 'running' : 'stopped')),
      ),
    leftAtBoot: (services) => services,
    enabled: () => inOrder(),
    installed: (service) => ({ effects: async () => [], apply: () => start(service) }),
    uninstalled: (service) => ({
      effects: async () => [],
      async apply() {
        if (await isRunning(host, service)) await stop(service)
      },
    }),
    holdsSockets: false,
    reread: async () => undefined,
    units: async (_, otherwise) => otherwise,
  }
}

const DROP = ['--clear-groups', '--no-new-privs', '--inh-caps=-all', '--bounding-set=-all', '--']

const asUser = (user: string) => ['setpriv', `--reuid=${user}`, `--regid=${user}`, ...DROP]

/** Limits all child programs to these capabilities of root: setpriv(1). */
function limitCapabilities({ capabilities }: Service): string[] {
  if (!capabilities) return []
  const kept = capabilities.map((name) => `+${name}`).join(',')
  return ['setpriv', '--no-new-privs', '--inh-caps=-all', `--bounding-set=-all,${kept}`, '--']
}

async function awaitRunning(host: Host, service: Service): Promise<void> {
  const end = host.clock.elapsed() + START_MS
  while (!(await isRunning(host, service))) {
    if (host.clock.elapsed() > end) {
      throw new Error(`${service.program} did not start: see ${service.log}`)
    }
    await host.clock.sleep(10)
  }
}
