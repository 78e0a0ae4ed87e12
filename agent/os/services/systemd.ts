import type { Host } from '#agent/host/ports.ts'
import type { Services } from './service.ts'

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

/** The folder of this server's unit files. */
export const UNITS = '/etc/systemd/system'
export const WANTS = `${UNITS}/multi-user.target.wants`

/** The name of a slice: `-` would make it a child of another one (systemd.slice(5)). */
export function sliceOf(user: string): string {
  return `hosting-${user.replaceAll('-', '\\x2d')}.slice`
}

export const slicePathOf = (user: string) => `${UNITS}/${sliceOf(user)}`
