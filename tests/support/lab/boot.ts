import { enter, GUEST_ENV } from './enter.ts'
import { describeConsole, type Machine, powerOn, type Running } from './nspawn.ts'
import { run } from './run.ts'
import { isOver, powerOff } from './shutdown.ts'
import { polled } from './wait.ts'

const PATIENCE_MS = 300_000

/** Powers the machine on and waits until it is up. Throws the end of its console. */
export async function boot(machine: Machine): Promise<Running> {
  const running = await powerOn(machine)
  const settled = () => isOver(running.nspawn) || isUp(machine, running)
  await polled(settled, { every_ms: 50, timeout_ms: PATIENCE_MS })
  if (await isUp(machine, running)) return running
  await powerOff(running)
  throw new Error(describeConsole(machine))
}

/** Without systemd a machine is up once its mounts exist and nspawn has started `sleep`. */
async function isUp({ init }: Machine, { leader }: Running): Promise<boolean> {
  const argv =
    init === 'systemd' ? ['systemctl', 'is-system-running'] : ['pgrep', '--exact', 'sleep']
  const { code, stdout } = await run(enter(leader, argv), { env: GUEST_ENV, clean: true })
  return init === 'systemd' ? /^(running|degraded)/.test(stdout) : code === 0
}
