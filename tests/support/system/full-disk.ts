import { expect } from 'bun:test'
import { existsSync, writeFileSync } from 'node:fs'
import { wordpressMirror } from '#scripts/wordpress-mirror.ts'
import type { StoredEvent } from '#shared/kernel/sse.ts'
import * as lab from '#tests/support/lab/index.ts'
import { CRASH_POINTS, type CrashPoint } from '#tests/support/system/sweep/crash-point.ts'
import { type State, stateOf } from '#tests/support/system/sweep/state.ts'
import { Asking } from './asking.ts'
import { startMachine } from './machine.ts'
import { withShop } from './prepared.ts'
import { testProgram } from './test-program.ts'

const MINUTES = 60_000
const SOURCE = 'tests/support/system/sweep/crashing-agent.ts'
const RESERVE = '/var/lib/hosting-agent/reserve/room'
const STATE = '/var/lib/hosting-agent'
const SERVICES = ['hosting-agent.service', 'mariadb.service']

/** A server with the site `shopOf('bookworm')` and a disk that can be filled while an operation is at a record of its journal. */
export class FullDisk {
  readonly host: lab.Host
  readonly asking: Asking

  private constructor(host: lab.Host) {
    this.host = host
    this.asking = Asking.plainly(host)
  }

  /** `prepared` brings the machine into the state whose folders are then on the disk. */
  static async start(
    name: string,
    folders: readonly string[],
    prepared: (disk: FullDisk) => Promise<void>,
  ): Promise<FullDisk> {
    const program = await testProgram(SOURCE)
    const mirror = await wordpressMirror()
    const image = await withShop('bookworm')
    const machine = { name, suite: 'bookworm', init: 'systemd', image } as const
    const disk = new FullDisk(await startMachine(machine, { program, mirror }))
    await prepared(disk)
    const { host } = disk
    await host.must(['systemctl', 'stop', ...SERVICES])
    await host.must(['mkdir', '/disk'])
    await host.must(['mount', '-t', 'tmpfs', '-o', 'mode=755,size=2g', 'tmpfs', '/disk'])
    for (const [index, path] of ['/srv', STATE, '/var/lib/mysql', ...folders].entries()) {
      await host.must(['cp', '--archive', path, `/disk/${index}`])
      await host.must(['mount', '--bind', `/disk/${index}`, path])
    }
    await host.must(['systemctl', 'start', ...SERVICES])
    await lab.poll(() => disk.answers(), { timeout_ms: 3 * MINUTES })
    const kept = async () => (await host.exec(['test', '-s', RESERVE])).code === 0
    await lab.poll(kept, { timeout_ms: 3 * MINUTES })
    return disk
  }

  /** The records of its journal, such as `user intent`. */
  async run(command: string, params: object): Promise<string[]> {
    const { id, ended } = this.asking.start(command, params)
    const last = (await ended).at(-1)
    if (last?.event !== 'complete') throw new Error(`${command}: ${JSON.stringify(last)}`)
    // Inside: the folder is on a disk of the host.
    const journal = `${STATE}/operations/${id}/journal.ndjson`
    const { stdout } = await this.host.exec(['cat', journal])
    return stdout
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line))
      .map(({ step, state }) => `${step} ${state}`)
  }

  resize(size: string) {
    return this.host.must(['mount', '-o', `remount,size=${size}`, '/disk'])
  }

  /**
   * Except for some KiB. MariaDB writes its accounts to the disk some time after they were changed,
   * and finds its own tables corrupt if there is no space then.
   */
  async fill(room_kb = 0): Promise<void> {
    await this.host.exec(['mariadb', '--execute=FLUSH TABLES mysql.global_priv, mysql.db'])
    const used = await this.host.must(['df', '--output=used', '/disk'])
    await this.resize(`${Number(used.split('\n')[1]) + room_kb}k`)
  }

  /** The last event, with the code of its error, of an operation whose disk is full from the n-th record of its journal on. */
  async filledAt(
    record: number,
    command: string,
    params: object,
    { reserve = true, room_kb = 0 } = {},
  ): Promise<StoredEvent | undefined> {
    const { host } = this
    const point: CrashPoint = { file: 'journal', record, when: 'after', how: 'SIGSTOP' }
    writeFileSync(`${host.root}${CRASH_POINTS}`, JSON.stringify([point]))
    const { ended } = this.asking.start(command, params, '/exec?warnings=true')
    await lab.poll(() => !existsSync(`${host.root}${CRASH_POINTS}`))
    if (!reserve) await host.must(['rm', '-f', RESERVE])
    await this.fill(room_kb)
    await host.must(['systemctl', 'kill', '--signal=SIGCONT', 'hosting-agent.service'])
    return (await ended).at(-1)
  }

  async answers(): Promise<boolean> {
    const health = ['bash', '-c', 'exec 3<>/dev/tcp/127.0.0.1/8443']
    return (await this.host.exec(health)).code === 0
  }

  /** Twice the same: jobs of the machine come and go. */
  async settled(): Promise<State> {
    let last = await stateOf(this.host)
    const same = async () => {
      const before = last
      last = await stateOf(this.host)
      return Bun.deepEquals(last, before)
    }
    await lab.poll(same, { every_ms: 1000, timeout_ms: 3 * MINUTES })
    return last
  }

  /** Returns the state as soon as it is the given one, or the last one of three minutes. */
  async becomes(state: State): Promise<State | undefined> {
    let last: State | undefined
    const same = async () => {
      last = await stateOf(this.host)
      return Bun.deepEquals(last, state)
    }
    await lab.polled(same, { every_ms: 500, timeout_ms: 3 * MINUTES })
    return last
  }
}

/** The second code: a part of it is undone as soon as there is space again. */
export const FULL = {
  error: 'Internal error',
  code: expect.stringMatching(/^(disk_full|not_undone)$/),
  message: expect.stringMatching(/No space left on a disk of this server/),
}
