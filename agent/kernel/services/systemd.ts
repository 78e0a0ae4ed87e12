import {
  folder,
  generated,
  inOrder,
  linked,
  removed,
  removedGenerated,
} from '#agent/kernel/effects/change.ts'
import { readGenerated } from '#agent/kernel/effects/generated.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { isRunning, type Service, type Services } from './service.ts'

const SHOW_MS = 10_000

export function systemdServices(host: Host): Services {
  const { shell } = host
  const restart = async ({ unit }: Service) =>
    void (await shell.run(['systemctl', 'restart', unit]))
  const reread = async () => void (await shell.run(['systemctl', 'daemon-reload']))
  const enabled = ({ unit }: Service) =>
    inOrder(folder(host, WANTS), linked(host, `${UNITS}/${unit}`, `${WANTS}/${unit}`))
  return {
    async start({ unit }) {
      await shell.run(['systemctl', 'start', unit])
    },
    async stop({ unit, socket_unit }) {
      const units = [...(socket_unit === undefined ? [] : [socket_unit]), unit]
      await shell.run(['systemctl', 'stop', ...units])
      // A failed unit would be listed as failed permanently, with or without its files.
      await shell.try(['systemctl', 'reset-failed', ...units])
    },
    restart,
    async reload({ unit }) {
      await shell.run(['systemctl', 'reload', unit])
    },
    isActive: async ({ unit }) =>
      (await shell.try(['systemctl', 'is-active', '--quiet', unit])).code === 0,
    async statusesOf(services) {
      const units = services.flatMap(({ unit, socket_unit = [] }) => [unit, socket_unit].flat())
      const states = await propertiesOf(host, units, ['ActiveState'])
      return services.map(({ unit, socket_unit = '' }) => {
        const status = statusOf(states.get(unit)?.ActiveState)
        // A stopped service counts as running if systemd listens in its place.
        return status === 'stopped' ? statusOf(states.get(socket_unit)?.ActiveState) : status
      })
    },
    leftAtBoot: () => [],
    enabled,
    installed(service, text) {
      const path = `${UNITS}/${service.unit}`
      const files = inOrder(generated(host, [{ path, text }]), enabled(service))
      return {
        effects: files.effects,
        async apply() {
          const before = await readGenerated(host, path)
          await files.apply()
          if (before !== text) await reread()
          const isOther = before !== undefined && before !== text
          if (isOther || !(await isRunning(host, service))) await restart(service)
        },
      }
    },
    uninstalled({ unit }) {
      const files = inOrder(
        removed(host, 'link', `${WANTS}/${unit}`),
        removedGenerated(host, `${UNITS}/${unit}`),
      )
      return {
        effects: files.effects,
        async apply() {
          if (!(await host.files.stat(`${UNITS}/${unit}`))) return
          await shell.run(['systemctl', 'stop', unit])
          await files.apply()
          await reread()
        },
      }
    },
    holdsSockets: true,
    reread,
    units: (work) => work(),
  }
}

/** Maps states of systemd(1): active, reloading, activating answer; one never run is inactive. */
function statusOf(state = ''): 'running' | 'stopped' | 'failed' {
  if (state === 'failed') return 'failed'
  return ['active', 'reloading', 'activating'].includes(state) ? 'running' : 'stopped'
}

/** Returns properties of units in one call, by their names: systemctl(1). None without systemd. */
export async function propertiesOf<P extends string>(
  { init, shell }: Pick<Host, 'init' | 'shell'>,
  units: readonly string[],
  names: readonly P[],
): Promise<Map<string, Record<P, string>>> {
  if (init !== 'systemd' || units.length === 0) return new Map()
  const argv = ['systemctl', 'show', `--property=Names,${names}`, '--', ...units]
  const { stdout } = await shell.try(argv, { timeout_ms: SHOW_MS })
  const blocks = stdout.split(/\n\s*\n/).flatMap((block) => {
    const field = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(block)?.[1] ?? ''
    const properties = Object.fromEntries(names.map((name) => [name, field(name)]))
    return field('Names')
      .split(' ')
      .map((unit) => [unit, properties as Record<P, string>] as const)
  })
  return new Map(blocks)
}

/** The folder of this server's unit files. */
export const UNITS = '/etc/systemd/system'
export const WANTS = `${UNITS}/multi-user.target.wants`

/** Returns the name of a slice: `-` would make it a child of another one (systemd.slice(5)). */
export function sliceOf(user: string): string {
  return `hosting-${user.replaceAll('-', '\\x2d')}.slice`
}

export const slicePathOf = (user: string) => `${UNITS}/${sliceOf(user)}`
