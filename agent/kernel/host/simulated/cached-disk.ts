import type { WriteOptions } from '#agent/kernel/host/ports.ts'
import type { Dice } from './dice.ts'
import { Disk } from './disk.ts'
import { file, type Node, textOf } from './nodes.ts'

/** A text that was appended to a file and may be lost. */
interface AppendedText {
  path: string
  text: string
}

type DiskChange = (disk: Disk) => void

/**
 * A disk with a write cache. Changes of names reach the disk in order, together with the next sync;
 * appended text reaches it when its own file is synced (ext4 with ordered journal and delayed
 * allocation). After a power failure, the rest is on the disk in part or not at all.
 */
export class CachedDisk extends Disk {
  readonly #durable: Disk
  /** The changes of names that may be lost, in order. */
  #names: DiskChange[] = []
  #added: AppendedText[] = []

  /** Starts with the durable content of the other disk. */
  constructor(disk: Disk) {
    super(undefined, disk.snapshot())
    this.#durable = new Disk(undefined, disk.snapshot())
  }

  override put(path: string, node: Node): void {
    this.#added = this.#added.filter((added) => added.path !== path)
    const kept = node.kind === 'directory' ? { ...node, shared: true as const } : node
    super.put(path, kept)
    this.#names.push((disk) => disk.put(path, kept))
  }

  override putFolder(path: string, options: WriteOptions = {}): void {
    super.putFolder(path, options)
    this.#names.push((disk) => disk.putFolder(path, options))
  }

  override drop(path: string): void {
    this.#added = this.#added.filter((added) => !isIn(path, added.path))
    super.drop(path)
    this.#names.push((disk) => disk.drop(path))
  }

  override move(from: string, to: string): void {
    super.move(from, to)
    for (const added of this.#added)
      if (isIn(from, added.path)) added.path = to + added.path.slice(from.length)
    this.#names.push((disk) => disk.move(from, to))
  }

  override add(path: string, text: string): void {
    if (!this.find(path)) this.put(path, file('', { mode: 0o600 }))
    super.add(path, text)
    this.#added.push({ path, text })
  }

  /** Copies file by file, because each may be lost. */
  override copy(node: Node, to: string): void {
    if (node.kind === 'file') this.add(to, textOf(node))
    if (node.kind !== 'directory') return
    for (const [name, below] of node.entries) this.copy(below, `${to}/${name}`)
  }

  /** Makes names and the text of this file durable as fsync(2); without a path as sync(2). */
  override sync(path?: string): void {
    for (const change of this.#names.splice(0)) change(this.#durable)
    for (const added of this.#added)
      if (path === undefined || added.path === path) this.#keep(added)
    this.#added = this.#added.filter((added) => path !== undefined && added.path !== path)
  }

  /** Leaves what the machine finds after a restart. */
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
    this.restore(this.#durable.snapshot())
  }

  #keep({ path, text }: AppendedText): void {
    if (this.#durable.find(path)) this.#durable.add(path, text)
  }
}

const isIn = (folder: string, path: string) => path === folder || path.startsWith(`${folder}/`)
