import type { WriteOptions } from '#agent/host/ports.ts'
import { FakeDisk } from '#tests/support/fake-disk.ts'
import type { Dice } from './dice.ts'

/** What was done and is not on the disk for sure; `file`: it only adds to the text of that one. */
interface Pending {
  file?: string
  text?: string
  apply(disk: FakeDisk): void
}

/**
 * A disk with a cache above it. What changes names goes to the disk in its order, together with
 * whatever is synced next; a text that was appended goes when its own file is synced (ext4 with its
 * ordered journal and delayed allocation). At a loss of power the rest is there in part, or not.
 */
export class SimulatedDisk extends FakeDisk {
  readonly #durable = new FakeDisk()
  #pending: Pending[] = []

  /** As it is when the simulation begins. */
  static of(nodes: FakeDisk['nodes']): SimulatedDisk {
    const disk = new SimulatedDisk()
    for (const [path, node] of nodes) {
      disk.nodes.set(path, node)
      disk.#durable.nodes.set(path, node)
    }
    return disk
  }

  override async write(path: string, text: string, options: WriteOptions = {}) {
    this.#do({ apply: (disk) => void disk.nodes.set(path, { kind: 'file', text, options }) })
    this.settle(path)
  }

  override async append(path: string, text: string, { sync = false } = {}) {
    if (!this.nodes.has(path)) this.#do({ apply: (disk) => adding(disk, path, '') })
    this.#do({ file: path, text, apply: (disk) => adding(disk, path, text) })
    if (sync) this.settle(path)
  }

  override async remove(path: string) {
    this.#do({ apply: (disk) => void FakeDisk.prototype.remove.call(disk, path) })
  }

  override async rename(from: string, to: string) {
    this.#do({ apply: (disk) => void FakeDisk.prototype.rename.call(disk, from, to) })
    this.settle(to)
  }

  override async mkdir(path: string, options: WriteOptions = {}) {
    this.#do({ apply: (disk) => void FakeDisk.prototype.mkdir.call(disk, path, options) })
  }

  override async link(target: string, path: string) {
    this.#do({ apply: (disk) => void FakeDisk.prototype.link.call(disk, target, path) })
  }

  /** Everything is on the disk: sync(2). */
  sync(): void {
    for (const { apply } of this.#pending.splice(0)) apply(this.#durable)
  }

  /** What a start of the machine finds of what was on its way to the disk. */
  losePower(dice: Dice): void {
    const pending = this.#pending.splice(0)
    const names = dice.below(pending.length + 1)
    for (const { apply } of pending.filter(({ file }) => file === undefined).slice(0, names))
      apply(this.#durable)
    const torn = new Set<string>()
    for (const { file, text = '' } of pending) {
      if (file === undefined || torn.has(file) || !this.#durable.nodes.has(file)) continue
      const some = dice.chance(0.7) ? text.length : dice.below(text.length)
      adding(this.#durable, file, text.slice(0, some))
      if (some < text.length) torn.add(file)
    }
    this.nodes.clear()
    for (const [path, node] of this.#durable.nodes) this.nodes.set(path, node)
  }

  #do(change: Pending): void {
    change.apply(this)
    this.#pending.push(change)
  }

  /** What was done to names so far, and the text of this file, is on the disk: fsync(2). */
  settle(path: string): void {
    this.#pending = this.#pending.filter(({ file, apply }) => {
      if (file !== undefined && file !== path) return true
      apply(this.#durable)
      return false
    })
  }
}

function adding(disk: FakeDisk, path: string, text: string): void {
  const before = disk.nodes.get(path)
  disk.nodes.set(path, { kind: 'file', text: (before?.text ?? '') + text, options: {} })
}
