import type { Host } from '../../host/ports.ts'
import type { Services } from './service.ts'

export function systemd({ shell }: Host): Services {
  return {
    async start({ unit }) {
      await shell.run(['systemctl', 'start', unit])
    },
    async stop({ unit }) {
      await shell.run(['systemctl', 'stop', unit])
      // One that had failed would be listed as such for good, its files gone or not.
      await shell.try(['systemctl', 'reset-failed', unit])
    },
    async restart({ unit }) {
      await shell.run(['systemctl', 'restart', unit])
    },
  }
}

/** The name of a slice: `-` would make it a child of another one (systemd.slice(5)). */
export function sliceOf(user: string): string {
  return `hosting-${user.replaceAll('-', '\\x2d')}.slice`
}
