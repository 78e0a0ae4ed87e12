import type { Host } from '#agent/host/ports.ts'
import type { Services } from './service.ts'

const SHOW_MS = 10_000

export function systemd({ shell }: Host): Services {
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
    async restart({ unit }) {
      await shell.run(['systemctl', 'restart', unit])
    },
  }
}

/** Properties of these units in one call, by their names: systemctl(1). */
export async function propertiesOf<P extends string>(
  { shell }: Pick<Host, 'shell'>,
  units: readonly string[],
  names: readonly P[],
): Promise<Map<string, Record<P, string>>> {
  if (units.length === 0) return new Map()
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

/** The name of a slice: `-` would make it a child of another one (systemd.slice(5)). */
export function sliceOf(user: string): string {
  return `hosting-${user.replaceAll('-', '\\x2d')}.slice`
}

export const slicePathOf = (user: string) => `${UNITS}/${sliceOf(user)}`
