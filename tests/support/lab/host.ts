import { readFileSync, readlinkSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type Background, background, endOf } from './background.ts'
import { removeTree } from './cache.ts'
import { signalPid } from './child.ts'
import { willRun, writeCommands } from './commands-run.ts'
import { archiveDisk, type Image } from './disk.ts'
import { describeConsole, type Machine, powerOn, type Running } from './nspawn.ts'
import { must, type Outcome, type RunOptions, run } from './run.ts'
import { sweep } from './sweep.ts'
import { setCable } from './switch.ts'
import { polled } from './wait.ts'

/** The environment of root's login shell, without this machine's. */
const GUEST_ENV: Record<string, string> = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  HOME: '/root',
  LANG: 'C.UTF-8',
  TERM: 'dumb',
  DEBIAN_FRONTEND: 'noninteractive',
}

const NAMESPACES = ['--mount', '--uts', '--ipc', '--net', '--pid', '--cgroup']

/** The command that runs `argv` inside the machine of process `leader`. */
const enter = (leader: number, argv: readonly string[]): string[] => [
  '/usr/bin/nsenter',
  '--target',
  `${leader}`,
  ...NAMESPACES,
  '--',
  ...argv,
]

/** A power failure: every process inside dies at once. */
async function powerOff({ nspawn, leader }: Running): Promise<void> {
  signalPid(leader, 'SIGKILL')
  await ended(nspawn)
}

/** An orderly shutdown; after half a minute the rest is killed. */
async function shutDown(running: Running, { name, init }: Machine): Promise<void> {
  const { nspawn } = running
  if (init === 'systemd') nspawn.kill('SIGTERM')
  else await endPrograms(running, name)
  const done = init === 'systemd' && (await polled(() => isOver(nspawn), { timeout_ms: 30_000 }))
  if (!done) await powerOff(running)
}

/** Like a container engine: SIGTERM to all, a delay, then the end. */
async function endPrograms({ leader }: Running, netns: string): Promise<void> {
  const programs = await insidersOf(leader, netns)
  for (const pid of programs) signalPid(pid, 'SIGTERM')
  await polled(async () => (await insidersOf(leader, netns)).length === 0, { timeout_ms: 30_000 })
}

/** Processes of the machine except its first two, which belong to every machine. */
async function insidersOf(leader: number, netns: string): Promise<number[]> {
  const { stdout } = await run(['ip', 'netns', 'pids', netns])
  const space = pidSpace(leader)
  const { stdout: children } = await run(['pgrep', '--parent', `${leader}`, '--exact', 'sleep'])
  const [idle = ''] = children.split('\n')
  return stdout
    .split('\n')
    .filter((pid) => pid && pid !== `${leader}` && pid !== idle)
    .map(Number)
    .filter((pid) => pidSpace(pid) === space)
}

function pidSpace(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/ns/pid`)
  } catch {
    return ''
  }
}

const isOver = ({ exitCode, signalCode }: Running['nspawn']) =>
  exitCode !== null || signalCode !== null

const ended = async (nspawn: Running['nspawn']) => {
  if (!isOver(nspawn)) await endOf(nspawn)
}

const PATIENCE_MS = 300_000

/** Powers the machine on and waits until it is up. Throws the end of its console. */
async function boot(machine: Machine): Promise<Running> {
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

type Exec = (argv: readonly string[], options?: RunOptions) => Promise<Outcome>

/** Writes a file inside a running machine, where /run differs from the disk. */
async function putInside(
  exec: Exec,
  path: string,
  content: string | Uint8Array,
  mode: number,
): Promise<void> {
  const made = await exec(['install', '-D', `--mode=${mode.toString(8)}`, '/dev/null', path])
  const written = await exec(['dd', `of=${path}`, 'status=none', 'bs=64K'], { input: content })
  const failed = [made, written].find(({ code }) => code !== 0)
  if (failed) throw new Error(`${path}: ${failed.stderr}`)
}

/** Writes a file on the disk of a machine that is off. */
async function putOnDisk(
  root: string,
  path: string,
  content: string | Uint8Array,
  mode: number,
): Promise<void> {
  const target = join(root, path)
  await mkdir(dirname(target), { recursive: true })
  await writeFile(target, content, { mode })
}

export type ExecOptions = Pick<RunOptions, 'input' | 'timeout_ms' | 'env'>

/** One server of the lab. Made by `startHost`; can be stopped and started on the same disk. */
export class Host {
  readonly name: string
  readonly address: string
  /** For `ip netns exec`: this machine's files and programs on the host's network. */
  readonly netns: string
  /** The host's disk as seen from this machine; /run, /proc and the like are not on it. */
  readonly root: string
  readonly #machine: Machine
  readonly #folder: string
  readonly #image: Image
  #running: Running | undefined

  constructor(machine: Machine, address: string, folder: string, image: Image) {
    this.name = machine.hostname
    this.address = address
    this.netns = machine.name
    this.root = machine.root
    this.#machine = machine
    this.#folder = folder
    this.#image = image
    willRun(this.root)
  }

  get running(): boolean {
    return this.#running !== undefined && !isOver(this.#running.nspawn)
  }

  /** The machine's output while starting and stopping. */
  get console(): string {
    return readFileSync(this.#machine.console, 'utf8')
  }

  /** Throws with the end of the console when the machine does not come up. */
  async start(): Promise<void> {
    if (this.running) throw new Error(`${this.name} is running already`)
    this.#running = await boot(this.#machine)
  }

  /** Runs a program as root; resolves and rejects like `run`. */
  exec(argv: readonly string[], { env, ...rest }: ExecOptions = {}): Promise<Outcome> {
    return run(this.#enter(argv), { ...rest, env: { ...GUEST_ENV, ...env }, clean: true })
  }

  /** Like `exec`; a status other than 0 throws with the program's output. */
  must(argv: readonly string[], { env, ...rest }: ExecOptions = {}): Promise<string> {
    return must(this.#enter(argv), { ...rest, env: { ...GUEST_ENV, ...env }, clean: true })
  }

  /** Starts a background program. */
  spawn(argv: readonly string[], env: Record<string, string> = {}): Background {
    return background(this.#enter(argv), { ...GUEST_ENV, ...env })
  }

  /** Writes a file of root and its parent folders. */
  put(path: string, content: string | Uint8Array, mode = 0o644): Promise<void> {
    if (!this.running) return putOnDisk(this.root, path, content, mode)
    return putInside((argv, options) => this.exec(argv, options), path, content, mode)
  }

  /** Disconnects the host from all others (true), or reconnects it (false). */
  partition(cut: boolean): Promise<void> {
    return setCable(this.netns, this.address, !cut)
  }

  /** An orderly shutdown; `start()` boots again from the same disk. */
  async stop(): Promise<void> {
    if (this.#running) await shutDown(this.#running, this.#machine)
    this.#running = undefined
  }

  /** A power failure; `start()` boots again from the same disk. */
  async powerOff(): Promise<void> {
    if (this.#running) await powerOff(this.#running)
    this.#running = undefined
  }

  /** Stops the host permanently, and archives what it wrote as the image of others. */
  async archive(file: string): Promise<Image> {
    await this.stop()
    writeCommands(this.root)
    await must(['umount', this.root])
    await archiveDisk(this.#folder, file)
    return { layers: this.#image.layers, written: file }
  }

  /** Removes the host and all its files, running or not. */
  async remove(): Promise<void> {
    writeCommands(this.root)
    await this.powerOff()
    await sweep(this.netns)
    await removeTree(this.#folder)
  }

  #enter(argv: readonly string[]): string[] {
    if (!this.#running) throw new Error(`${this.name} is off`)
    return enter(this.#running.leader, argv)
  }
}
