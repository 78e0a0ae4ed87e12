import { type ChildProcess, spawn } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { endOf } from './background.ts'
import { writeCommands } from './commands-run.ts'
import { deadRuns, nameOf, runFolder, runId } from './identity.ts'
import { needPrograms } from './prerequisites.ts'
import { must } from './run.ts'
import { sweepRun } from './sweep.ts'
import { poll } from './wait.ts'

/**
 * The network of the hosts of a run; its own address is that of the lab's services, which keep
 * their files in `folder`.
 */
export type Switch = { netns: string; address: string; folder: string }

const NETWORK = '10.78.0'
const ADDRESS = `${NETWORK}.1`
const MAC = '02:00:0a:4e:00:01'
const netns = nameOf(runId, 'switch')

let up: Promise<ChildProcess> | undefined
let next = 10

/** Idempotent. Cleans up after dead runs first, and starts the reaper of this one. */
export async function switchUp(): Promise<Switch> {
  up ??= build()
  await up
  return { netns, address: ADDRESS, folder: runFolder(runId) }
}

/** Removes the switch and all hosts of this process with their programs. Idempotent. */
export async function switchDown(): Promise<void> {
  const reaper = await up?.catch(() => undefined)
  up = undefined
  if (!reaper) return
  writeCommands()
  next = 10
  const ended = endOf(reaper)
  reaper.stdin?.end()
  const status = await ended
  if (status !== 0) throw new Error(`the lab was not cleared up completely (status ${status})`)
}

/** The next free address. */
export const nextAddress = () => `${NETWORK}.${next++}`

/** A namespace on the switch, with `eth0` and loopback up. The switch must be up. */
export async function plugIn(name: string, address: string): Promise<void> {
  const port = portOf(address)
  const inside = ['ip', '-n', name]
  await must(['ip', 'netns', 'add', name])
  await inSwitch('link', 'add', port, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', name)
  await inSwitch('link', 'set', port, 'master', 'br0', 'up')
  await must([...inside, 'link', 'set', 'lo', 'up'])
  await must([...inside, 'addr', 'add', `${address}/24`, 'dev', 'eth0'])
  await must([...inside, 'link', 'set', 'eth0', 'up'])
  await must([...inside, 'route', 'add', 'default', 'via', ADDRESS])
}

/** Plugs or unplugs the cable between a host, whose namespace is `name`, and the switch. */
export async function setCable(name: string, address: string, plugged: boolean): Promise<void> {
  const port = portOf(address)
  await inSwitch('link', 'set', port, plugged ? 'up' : 'down')
  if (!plugged) return
  const both = async () => (await carries(netns, port)) && (await carries(name, 'eth0'))
  await poll(both, { awaited: `the cable of ${name} carries` })
}

/** The kernel reports a carrier with up to a second's delay when many change: until then it drops. */
async function carries(namespace: string, device: string): Promise<boolean> {
  const shown = await must(['ip', '-n', namespace, '-j', 'link', 'show', device])
  return JSON.parse(shown)[0].operstate === 'UP'
}

/** The reaper starts before anything that it removes. */
async function build(): Promise<ChildProcess> {
  await needPrograms({ ip: 'iproute2', 'systemd-nspawn': 'systemd-container' })
  for (const run of deadRuns()) await sweepRun(run)
  const reaper = spawn(
    process.execPath,
    [fileURLToPath(import.meta.resolve('./reaper.ts')), runId],
    {
      stdio: ['pipe', 'inherit', 'inherit'],
      detached: true,
    },
  )
  reaper.unref()
  await mkdir(runFolder(runId), { recursive: true, mode: 0o755 })
  await must(['ip', 'netns', 'add', netns])
  await inSwitch('link', 'set', 'lo', 'up')
  // Without an address of its own it takes the lowest of its ports, which changes with a port: the
  // hosts would send to the former one until their ARP entry ends.
  await inSwitch('link', 'add', 'br0', 'address', MAC, 'type', 'bridge')
  await inSwitch('addr', 'add', `${ADDRESS}/24`, 'dev', 'br0')
  await inSwitch('link', 'set', 'br0', 'up')
  return reaper
}

const portOf = (address: string) => `p${address.split('.').at(-1)}`

const inSwitch = (...args: string[]) => must(['ip', '-n', netns, ...args])
