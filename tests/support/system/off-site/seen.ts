import { expect } from 'bun:test'
import { Watcher } from '#tests/support/canary.ts'
import type { Enrolled } from '#tests/support/system/enrolled.ts'

const NAME = 'the dashboard'

/** What can be read of a dashboard that saves its records: its processes, its output and its files. */
export class Seen {
  readonly #watcher = new Watcher()
  readonly #programs = new Map<number, string>()
  readonly #enrolled: Enrolled

  constructor(enrolled: Enrolled) {
    this.#enrolled = enrolled
    this.follow()
    this.#watcher.watch(this.#programs)
  }

  /** The dashboard that runs now. */
  follow(): void {
    this.#programs.set(this.#enrolled.dashboard.process.child.pid ?? 0, NAME)
  }

  /** The places of these secrets until now, after which nothing is looked at any more. */
  async placesOf(secrets: readonly string[]): Promise<string[]> {
    this.#watcher.stop()
    this.#watcher.see('output', this.#enrolled.dashboard.process.lines.join('\n'))
    await this.#watcher.seeFiles('data', this.#enrolled.data_dir)
    // Shows that processes are looked at.
    expect(this.#watcher.placesOf('dashboard.tar')).toContain(`arguments of a child of ${NAME}`)
    return secrets.flatMap((secret) => this.#watcher.placesOf(secret))
  }
}
