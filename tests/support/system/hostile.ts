import { readdirSync, readFileSync } from 'node:fs'
import type { Host } from '#tests/support/lab/index.ts'

const FOLDER = '/srv/hostile'

interface Ways {
  /** Clears the environment of one of the started programs. */
  forget: boolean
  /** Arguments of the call that hangs: a pattern of sh(1). */
  only?: string
}

/**
 * The first such call once armed never ends and ignores SIGTERM, like two programs that it started
 * in sessions of their own. Every other call records how many of them run then. In the sandbox of a
 * site only the site's own folder is writable: the mark is made there.
 */
const hostile = (program: string, name: string, { forget, only = '*' }: Ways) => `#!/bin/sh
case "$*" in
  ${only}) rm ${FOLDER}/armed-$(basename "$0") 2>/dev/null ||
    { [ -e ${FOLDER}/armed-$(basename "$0") ] && mkdir "$HOME/tmp/taken" 2>/dev/null; } ;;
  *) false ;;
esac
if [ $? -eq 0 ]; then
  nsenter --target=1 --mount mv ${program}.real ${program} 2>/dev/null || mv ${program}.real ${program} 2>/dev/null
  trap '' TERM HUP
  ( setsid -f ${forget ? 'env -i ' : ''}${FOLDER}/${name} 600 >/dev/null 2>&1 & )
  ( setsid -f ${FOLDER}/${name} 600 >/dev/null 2>&1 & )
  ${FOLDER}/${name} 600
  exit 1
fi
pgrep -xc ${name} >> ${FOLDER}/seen
exec ${program}.real "$@"
`

/** The agent and its units execute scripts, and what those start, as no agent does: systemd.unit(5). */
const DROP_IN = '/etc/systemd/system/service.d'
const STARTED = ['/usr/bin', '/usr/sbin', FOLDER]

async function admitScripts(host: Host): Promise<void> {
  const words = STARTED.join(' ')
  await host.put(`${DROP_IN}/armed.conf`, `[Service]\nExecPaths=-${words.replaceAll(' ', ' -')}\n`)
  await host.exec(['systemctl', 'daemon-reload'])
  for (const folder of STARTED)
    await host.exec(['systemctl', 'bind', 'hosting-agent.service', folder, folder])
}

/** Replaces the real programs. The first call hangs; the others only count. */
export async function arm(host: Host, programs: readonly string[], ways: Ways): Promise<void> {
  await host.must(['mkdir', '-p', FOLDER])
  await host.must(['cp', '/usr/bin/sleep', `${FOLDER}/${nameOn(host)}`])
  const armed = `${FOLDER}/armed-${programs[0]?.split('/').at(-1)}`
  await host.must(['touch', armed, `${FOLDER}/seen`])
  await host.must(['chmod', '777', FOLDER])
  await admitScripts(host)
  await host.must(['chmod', '666', armed, `${FOLDER}/seen`])
  for (const program of programs) {
    await host.must(['mv', program, `${program}.real`])
    await host.put(program, hostile(program, nameOn(host), ways), 0o755)
  }
}

/** Restores the real programs; returns the hanging programs each later call saw. */
export async function disarm(host: Host, programs: readonly string[]): Promise<string[]> {
  // A call by root restores its own: a service is known by its program's file.
  for (const program of programs) await host.exec(['mv', `${program}.real`, program])
  const seen = await host.must(['cat', `${FOLDER}/seen`])
  await host.must(['rm', '-r', FOLDER, DROP_IN])
  await host.exec(['systemctl', 'daemon-reload'])
  return seen.split('\n').filter(Boolean)
}

/** The hanging programs of a host: processes of this machine with their name. */
export function survivors(host: Host): string[] {
  const name = `${nameOn(host)}\n`
  return readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/comm`, 'utf8') === name
    } catch {
      return false
    }
  })
}

/** The kernel's limit for a name. */
const nameOn = ({ name }: Host) => name.slice(0, 15)
