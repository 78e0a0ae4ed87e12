import type { WriteOptions } from '#agent/host/ports.ts'
import { FakeDisk } from '#tests/support/fake-disk.ts'
import type { Dice } from './dice.ts'

/** A text that was added to a file and is not on the disk for sure. */
interface Added {
  path: string
  text: string
}

type Change = (disk: FakeDisk) => void

/**
 * A disk with a cache above it. What changes names goes to the disk in its order, together with
 * whatever is synced next; a text that was appended goes when its own file is synced (ext4 with its
 * ordered journal and delayed allocation). At a loss of power the rest is there in part, or not.
 */
export class SimulatedDisk extends FakeDisk {
  readonly #durable = new FakeDisk()
  /** What was done to names, in its order, and is not on the disk for sure. */
  #names: Change[] = []
  #added: Added[] = []

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
    this.#added = this.#added.filter((added) => added.path !== path)
    this.#do((disk) => void disk.nodes.set(path, { kind: 'file', text, options }))
    this.settle(path)
  }

  override async append(path: string, text: string, { sync = false } = {}) {
    if (!this.nodes.has(path)) this.#do((disk) => adding(disk, { path, text: '' }))
    adding(this, { path, text })
    this.#added.push({ path, text })
    if (sync) this.settle(path)
  }

  override async remove(path: string) {
    this.#added = this.#added.filter((added) => !isIn(path, added.path))
    this.#do((disk) => void FakeDisk.prototype.remove.call(disk, path))
  }

  override async rename(from: string, to: string) {
    for (const added of this.#added)
      if (isIn(from, added.path)) added.path = to + added.path.slice(from.length)
    this.#do((disk) => void FakeDisk.prototype.rename.call(disk, from, to))
    this.settle(to)
  }

  override async mkdir(path: string, options: WriteOptions = {}) {
    this.#do((disk) => void FakeDisk.prototype.mkdir.call(disk, path, options))
  }

  override async link(target: string, path: string) {
    this.#do((disk) => void FakeDisk.prototype.link.call(disk, target, path))
  }

  /** Names, and the text of this file, are on the disk: fsync(2). Without a path everything is: sync(2). */
  settle(path?: string): void {
    for (const change of this.#names.splice(0)) change(this.#durable)
    for (const added of this.#added)
      if (path === undefined || added.path === path) this.#keep(added)
    this.#added = this.#added.filter((added) => path !== undefined && added.path !== path)
  }

  /** What a start of the machine finds of what was on its way to the disk. */
  losePower(dice: Dice): void {
    const names = this.#names.splice(0)
    for (const change of names.slice(0, dice.below(names.length + 1))) change(this.#durable)
    const torn = new Set<string>()
    for (const { path, text } of this.#added.splice(0)) {
      if (torn.has(path)) continue
      const some = dice.chance(0.7) ? text.length : dice.below(text.length)
      if (some < text.length) torn.add(path)
      this.#keep({ path, text: text.slice(0, some) })
    }
    this.nodes.clear()
    for (const [path, node] of this.#durable.nodes) this.nodes.set(path, node)
  }

  #do(change: Change): void {
    change(this)
    this.#names.push(change)
  }

  #keep(added: Added): void {
    if (this.#durable.nodes.has(added.path)) adding(this.#durable, added)
  }
}

const isIn = (folder: string, path: string) => path === folder || path.startsWith(`${folder}/`)

function adding(disk: FakeDisk, { path, text }: Added): void {
  const before = disk.nodes.get(path)
  disk.nodes.set(path, { kind: 'file', text: (before?.text ?? '') + text, options: {} })
}
