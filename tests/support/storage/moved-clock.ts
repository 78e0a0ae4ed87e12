import type { Host } from '#tests/support/lab/index.ts'
import { morePackages } from '#tests/support/lab/more-packages.ts'

const DEBS = '/srv/clock-debs'
/** A folder: a view of it has the file that was moved there last. */
const FOLDER = '/usr/local/share/moved-clock'
const CLOCK = `${FOLDER}/now`
/** The drop-in file of all units of operations of the agent: systemd.unit(5). */
const DROP_IN = '/etc/systemd/system/hosting-operation-.service.d/clock.conf'

/** A clock of single programs of a host, which can be moved while they run. */
export class MovedClock {
  readonly #host: Host
  readonly #variables: Record<string, string>

  private constructor(host: Host, library: string) {
    this.#host = host
    this.#variables = {
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: CLOCK,
      FAKETIME_NO_CACHE: '1',
      // Waits are not moved.
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    }
  }

  /** The host has Debian 12. */
  static async on(host: Host, more: readonly string[] = []): Promise<MovedClock> {
    await putPackages(host, await morePackages('bookworm', [...more, 'libfaketime']))
    const found = await host.must(['find', '/usr/lib', '-name', 'libfaketimeMT.so.1'])
    const clock = new MovedClock(host, found.trim())
    await clock.move(0)
    return clock
  }

  /** From now on the programs are ahead of the host; a negative number: behind it. */
  async move(seconds: number): Promise<void> {
    await this.#host.put(`${CLOCK}.new`, `${seconds < 0 ? '' : '+'}${seconds}\n`)
    await this.#host.must(['mv', `${CLOCK}.new`, CLOCK])
  }

  /** The service has this clock from now on. */
  async ofService(name: string): Promise<void> {
    const lines = Object.entries(this.#variables).map(
      ([key, value]) => `Environment=${key}=${value}`,
    )
    const path = `/etc/systemd/system/${name}.service.d/clock.conf`
    await this.#host.put(path, ['[Service]', ...lines, ''].join('\n'))
    await this.#host.must(['systemctl', 'daemon-reload'])
    await this.#host.must(['systemctl', 'restart', name])
  }

  /**
   * The program has this clock from now on, also in a unit of an operation, which sees only what it
   * executes. It is static, and asks the kernel itself: QEMU runs it, and asks in its place. That
   * needs the package qemu-user.
   */
  async ofStatic(path: string): Promise<void> {
    const own = `${FOLDER}/${path.slice(path.lastIndexOf('/') + 1)}`
    const machine = (await this.#host.must(['uname', '-m'])).trim()
    const qemu = `/usr/bin/qemu-${machine}`
    const set = Object.entries(this.#variables).map(([key, value]) => `export ${key}=${value}`)
    await this.#host.must(['cp', '-p', path, own])
    const seen = `[Service]\nBindReadOnlyPaths=/bin/sh ${qemu} ${FOLDER}\n`
    await this.#host.put(DROP_IN, seen)
    await this.#host.must(['systemctl', 'daemon-reload'])
    const run = `exec ${qemu} ${own} "$@"`
    await this.#host.put(path, ['#!/bin/sh', ...set, run, ''].join('\n'), 0o755)
  }
}

/** Their files alone, over those that are there. */
async function putPackages(host: Host, folder: string): Promise<void> {
  for await (const name of new Bun.Glob('*.deb').scan(folder)) {
    await host.put(`${DEBS}/${name}`, await Bun.file(`${folder}/${name}`).bytes())
  }
  const script = `for deb in ${DEBS}/*.deb; do
      dpkg-deb --fsys-tarfile "$deb" | tar -xC / --keep-directory-symlink
    done; ldconfig`
  await host.must(['bash', '-ec', script])
}
