import { accessSync, constants, realpathSync, statSync } from 'node:fs'
import { startedInside } from '#agent/kernel/host/root-programs.ts'
import { undefinedIfThrows } from '#agent/kernel/host/undefined-if-throws.ts'
import { messageOf } from '#shared/kernel/errors.ts'
import { callOnBus } from './system-bus.ts'

const UNIT = 'hosting-agent.service'

/**
 * Makes a program of the table, and those that it starts, executable in the service of the agent if
 * they are not: one was installed after the start of the service, or a package has replaced the
 * file, and with it the mount. systemd mounts it, by the bus, because each program that could ask
 * for it may be the one that was replaced. The mount of the service is executable for no other
 * path.
 */
export async function ensureExecutable(path: string): Promise<void> {
  for (const one of [path, ...startedInside(path)]) await mountExecutable(one)
}

async function mountExecutable(path: string): Promise<void> {
  if (!isNotExecutable(path)) return
  const real = realpathSync(path)
  try {
    await callOnBus({
      destination: 'org.freedesktop.systemd1',
      path: '/org/freedesktop/systemd1',
      interface: 'org.freedesktop.systemd1.Manager',
      member: 'BindMountUnit',
      // The arguments: source, target, read-only, and no creation of the target.
      values: [UNIT, real, real, true, false],
    })
  } catch (error) {
    throw new Error(`${path} cannot be executed by the agent: ${messageOf(error)}`)
  }
}

/** Returns whether the file cannot be executed; access(2) also refuses a file of a noexec mount. */
function isNotExecutable(path: string): boolean {
  if (undefinedIfThrows(() => accessSync(path, constants.X_OK) ?? true)) return false
  const mode = undefinedIfThrows(() => statSync(path).mode) ?? 0
  return (mode & 0o111) !== 0
}
